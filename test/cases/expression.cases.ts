// Expressions over aggregates and over rows by key.

import { error } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { BOOL, NULL, NUMBER, OBJECT, STRING } from './upstream.ts';

const both = {
  t: [
    { id: 1, x: 2 },
    { id: 2, x: 4 },
  ],
  u: [{ id: 1 }],
};
const IS = { includeInitial: true, includeStates: true };

export const expressionCases: readonly FeedCase[] = [
  {
    name: 'a null where a function over computed rows wants a string leaves no value',
    source: 'RethinkDB: a type error about null is of kind NON_EXISTENCE',
    seed: { t: [{ id: 1, s: 'a' }] },
    query: (r) =>
      r
        .table('t')('s')
        .distinct()
        .map((s) => s.upcase())
        .count(),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, s: null }), expect: steps(1, null) },
      { write: (r) => r.table('t').get(2).update({ s: 'b' }), expect: steps(null, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'two tables added up become ready together',
    source: 'issue 4: several sources become ready together',
    seed: both,
    query: (r) => r.table('t').count().add(r.table('u').count()),
    changes: IS,
    initial: [{ state: 'initializing' }, { new_val: 3 }, { state: 'ready' }],
    steps: [
      { write: (r) => r.table('u').insert({ id: 2 }), expect: steps(3, 4) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(4, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'an object of aggregates changes as one',
    source: 'issue 4: r.expr({n: t.count(), s: t.sum(x)})',
    seed: both,
    query: (r) => r.expr({ n: r.table('t').count(), s: r.table('t').sum('x'), of: r.table('u').count() }),
    initial: initially({ n: 2, s: 6, of: 1 }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 3, x: 1 }),
        expect: steps({ n: 2, s: 6, of: 1 }, { n: 3, s: 7, of: 1 }),
      },
      { write: (r) => r.table('t').get(1).update({ y: 1 }), expect: [] },
      { write: (r) => r.table('u').delete(), expect: steps({ n: 3, s: 7, of: 1 }, { n: 3, s: 7, of: 0 }) },
    ],
    without: OBJECT,
  },
  {
    name: 'a division by a count that becomes 0 ends the feed with the error of the server',
    source: 'issue 4: t.sum(x).div(t.count())',
    seed: both,
    query: (r) => r.table('t').sum('x').div(r.table('t').count()),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 4) },
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
    ],
    ends: error('QUERY_LOGIC', 'Cannot divide by zero.'),
    without: NUMBER,
  },
  {
    name: 'branch guards a division by 0',
    source: 'CASES C3',
    seed: both,
    query: (r) =>
      r
        .table('t')
        .count()
        .do((n) => r.branch(n.eq(0), 'none', r.table('t').sum('x').div(n))),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 4) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(4, 'none') },
      { write: (r) => r.table('t').insert({ id: 1, x: 8 }), expect: steps('none', 8) },
    ],
    without: NUMBER,
  },
  {
    name: 'do names a value that is used twice',
    source: 'issue 4: .do',
    seed: both,
    query: (r) =>
      r
        .table('t')
        .sum('x')
        .do((s) => s.mul(s)),
    initial: initially(36),
    steps: [{ write: (r) => r.table('t').get(1).update({ x: 0 }), expect: steps(36, 16) }],
    without: NUMBER,
  },
  {
    name: 'a comparison tells when it turns',
    source: 'a user with a threshold',
    seed: both,
    query: (r) => r.table('t').sum('x').gt(10),
    initial: initially(false),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, x: 3 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 4, x: 3 }), expect: steps(false, true) },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(true, false) },
    ],
    without: BOOL,
  },
  {
    name: 'a text made of a count',
    source: 'a user with a status line',
    seed: both,
    query: (r) => r.table('t').count().coerceTo('string').add(' orders'),
    initial: initially('2 orders'),
    steps: [{ write: (r) => r.table('t').insert({ id: 3 }), expect: steps('2 orders', '3 orders') }],
    without: STRING,
  },
  {
    name: 'a field of a row by key',
    source: 'issue 4: t.get(1)(n)',
    seed: both,
    query: (r) => r.table('t').get(1)('x'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).update({ y: 0 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: 5 }), expect: steps(2, 5) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(5, null) },
      { write: (r) => r.table('t').insert({ id: 1, x: 6 }), expect: steps(null, 6) },
    ],
    without: NUMBER,
  },
  {
    name: 'a row by key merged with counts',
    source: 'a user with a dashboard',
    seed: both,
    query: (r) =>
      r
        .table('u')
        .get(1)
        .merge({ orders: r.table('t').count() }),
    initial: initially({ id: 1, orders: 2 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3 }), expect: steps({ id: 1, orders: 2 }, { id: 1, orders: 3 }) },
      {
        write: (r) => r.table('u').get(1).update({ name: 'a' }),
        expect: steps({ id: 1, orders: 3 }, { id: 1, name: 'a', orders: 3 }),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'a row that is not there is null, and can have a default',
    source: 'DESIGN 3: get(key), default',
    seed: both,
    query: (r) => r.table('u').get('nobody')('n').default(0).add(r.table('t').count()),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('u').insert({ id: 'nobody', n: 10 }), expect: steps(2, 12) },
      { write: (r) => r.table('u').get('nobody').replace({ id: 'nobody' }), expect: steps(12, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'what has no value within an expression makes it null',
    source: 'DESIGN 4: an error of kind NON_EXISTENCE in the expression',
    query: (r) => r.table('t').max('x')('x').add(1),
    initial: initially(null),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 1 }), expect: steps(null, 2) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(2, null) },
    ],
    without: error(
      'NON_EXISTENCE',
      'Cannot take the max of an empty stream.  (If you passed `max` a field name, it may be that no elements of the stream had that field.)',
    ),
  },
  {
    name: 'a default of null and no value look the same',
    source: 'facts/drivers.md: max(x).default(null)',
    query: (r) => r.table('t').max('x').default(null),
    initial: initially(null),
    steps: [{ write: (r) => r.table('t').insert({ id: 1, x: 1 }), expect: steps(null, { id: 1, x: 1 }) }],
    without: NULL,
  },
  {
    name: 'arrays of aggregates, and one element of them',
    source: 'DESIGN 3: object and array literals, bracket',
    seed: both,
    query: (r) =>
      r
        .expr([r.table('t').count(), r.table('u').count()])
        .nth(0)
        .add(r.expr({ a: r.table('t').sum('x') })('a')),
    initial: initially(8),
    steps: [
      { write: (r) => r.table('u').insert({ id: 7 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: 0 }), expect: steps(8, 6) },
    ],
    without: NUMBER,
  },
  {
    name: 'the share of rows that meet a condition',
    source: 'a user with a conversion rate',
    seed: {
      t: [
        { id: 1, paid: true },
        { id: 2, paid: false },
        { id: 3, paid: false },
        { id: 4, paid: true },
      ],
    },
    query: (r) => r.table('t').filter({ paid: true }).count().div(r.table('t').count()).mul(100).round(),
    initial: initially(50),
    steps: [
      { write: (r) => r.table('t').get(2).update({ paid: true }), expect: steps(50, 75) },
      { write: (r) => r.table('t').insert({ id: 5, paid: false }), expect: steps(75, 60) },
    ],
    without: NUMBER,
  },
  {
    name: 'a field of the configuration of a table',
    source: 'CASES N6, neighbours: a value of what RethinkDB watches',
    query: (r) => r.table('t').config()('durability').upcase(),
    initial: initially('HARD'),
    steps: [
      { write: (r) => r.table('t').config().update({ durability: 'soft' }), expect: steps('HARD', 'SOFT') },
      { write: (r) => r.table('t').config().update({ durability: 'hard' }), expect: steps('SOFT', 'HARD') },
    ],
    without: STRING,
  },
  {
    name: 'a default for a row by key is shown while the row is not there',
    source: 'CASES N6, neighbours: RethinkDB watches the row, and no default',
    seed: { t: [{ id: 1, n: 1 }] },
    query: (r) => r.table('t').get(2).default('none'),
    initial: initially('none'),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2 }), expect: steps('none', { id: 2 }) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps({ id: 2 }, 'none') },
    ],
    without: STRING,
  },
  {
    name: 'a constant of a do selects and filters rows',
    source: 'who names a constant once',
    seed: { t: [{ id: 1, n: 1, k: 'a' }] },
    query: (r) =>
      r.do('a', 2, (k, least) =>
        r
          .table('t')
          .getAll(k, { index: 'k' })
          .filter((row) => row('n').lt(least))
          .count()
          .add(least),
      ),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, n: 0, k: 'a' }), expect: steps(3, 4) },
      { write: (r) => r.table('t').get(1).update({ n: 2 }), expect: steps(4, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'a do that gives a table or a range of it has its indexes',
    source: 'who names a constant once',
    seed: { t: [{ id: 1, n: 1, k: 'a' }] },
    query: (r) =>
      r
        .do(1, 5, (from, to) => r.table('t').between(from, to, { index: 'n' }))
        .distinct({ index: 'n' })
        .count(),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, n: 2 }), expect: steps(1, 2) },
      { write: (r) => r.table('t').get(1).update({ n: 7 }), expect: steps(2, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'a constant of a do that raises an error ends the feed, though nobody reads it',
    source: 'who names a constant once',
    query: (r) => r.do(r.expr(1).div(0), (_) => r.table('t').count()),
    ends: error('QUERY_LOGIC', 'Cannot divide by zero.'),
    without: error('QUERY_LOGIC', 'Cannot divide by zero.'),
  },
];
