// No value is shown that the query had at no moment: an expression over several sources waits for all that a write changes.

import { error } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT } from './upstream.ts';

const SOURCE = 'CASES N3, RethinkDB/rethinkdb-go#290';
const one = { t: [{ id: 1, k: 'open', n: 1, tags: ['a'] }] };
const of = (r: Reql, k: string): Reql => r.table('t').getAll(k, { index: 'k' });
const become =
  (k: string): Query =>
  (r) =>
    r.table('t').get(1).update({ k });

export const momentCases: readonly FeedCase[] = [
  {
    name: 'N3: a share of two keys of one index is never between them, and never divides by zero',
    source: SOURCE,
    seed: one,
    query: (r) => {
      const done = of(r, 'done').count();
      return done.div(done.add(of(r, 'open').count()));
    },
    initial: initially(0),
    steps: [
      { write: become('done'), expect: steps(0, 1) },
      { write: become('open'), expect: steps(1, 0) },
      { write: become('done'), expect: steps(0, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: a union of two keys does not see a row leave that goes from one to the other',
    source: SOURCE,
    seed: one,
    query: (r) => of(r, 'open').union(of(r, 'done')).count(),
    initial: initially(1),
    steps: [
      { write: become('done'), expect: [] },
      { write: become('open'), expect: [] },
      { write: become('gone'), expect: steps(1, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: two writes one after the other are two documents, however close',
    source: SOURCE,
    seed: one,
    query: (r) => of(r, 'done').count().sub(of(r, 'open').count()),
    initial: initially(-1),
    steps: [
      { write: become('done'), expect: [] },
      { write: become('open'), expect: [] },
      { write: become('gone'), expect: [...steps(-1, 1), ...steps(1, -1), ...steps(-1, 0)] },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: selections that share a key',
    source: SOURCE,
    seed: one,
    query: (r) => r.table('t').getAll('open', 'done', { index: 'k' }).count().mul(10).add(of(r, 'done').count()),
    initial: initially(10),
    steps: [
      { write: become('done'), expect: steps(10, 11) },
      { write: become('gone'), expect: steps(11, 0) },
      { write: become('open'), expect: steps(0, 10) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: groups of a union of two keys',
    source: SOURCE,
    seed: one,
    query: (r) => of(r, 'open').union(of(r, 'done')).group('n').count(),
    shows: 'groups',
    initial: [{ group: 1, new_val: 1 }],
    steps: [
      { write: become('done'), expect: [] },
      { write: become('gone'), expect: [{ group: 1, old_val: 1, new_val: null }] },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: ranges that touch',
    source: SOURCE,
    seed: one,
    query: (r) =>
      r.expr({
        low: r.table('t').between(0, 5, { index: 'n' }).count(),
        high: r.table('t').between(5, 9, { index: 'n' }).count(),
      }),
    initial: initially({ low: 1, high: 0 }),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 5 }), expect: steps({ low: 1, high: 0 }, { low: 0, high: 1 }) },
      { write: (r) => r.table('t').get(1).update({ n: 4 }), expect: steps({ low: 0, high: 1 }, { low: 1, high: 0 }) },
    ],
    without: OBJECT,
  },
  {
    name: 'N3: selections by two indexes of one table',
    source: SOURCE,
    seed: one,
    query: (r) =>
      of(r, 'open')
        .count()
        .add(r.table('t').getAll(2, { index: 'n' }).count()),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'done', n: 2 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ k: 'open', n: 2 }), expect: steps(1, 2) },
      { write: (r) => r.table('t').get(1).update({ k: 'done', n: 1 }), expect: steps(2, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: a row by key and the table that it is in',
    source: SOURCE,
    seed: one,
    query: (r) => r.table('t').get(1)('n').sub(r.table('t').sum('n')),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 2 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 2, n: 1 }), expect: steps(0, -1) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: the first rows of an order and their table',
    source: SOURCE,
    seed: one,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(1)
        .sum('n')
        .div(r.table('t').sum('n')),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 4 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 2, n: 4 }), expect: steps(1, 0.5) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: filters of one table',
    source: SOURCE,
    seed: one,
    query: (r) => {
      const open = r.table('t').filter({ k: 'open' }).count();
      return open.div(open.add(r.table('t').filter({ k: 'done' }).count()));
    },
    initial: initially(1),
    steps: [
      { write: become('done'), expect: steps(1, 0) },
      { write: become('open'), expect: steps(0, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: an error that is still there when upstream is quiet ends the feed',
    source: SOURCE,
    seed: one,
    query: (r) => of(r, 'done').count().div(of(r, 'open').count()),
    initial: initially(0),
    steps: [{ write: become('gone'), expect: [] }],
    ends: error('QUERY_LOGIC', 'Cannot divide by zero.'),
    without: NUMBER,
  },
  {
    name: 'N3: the span between both ends of an index, which one row is',
    source: SOURCE,
    seed: one,
    query: (r) =>
      r
        .table('t')
        .max({ index: 'n' })('n')
        .sub(r.table('t').min({ index: 'n' })('n')),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 4 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 2, n: 1 }), expect: steps(0, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: the first rows of a compound index and a key of another',
    source: SOURCE,
    seed: {
      t: [
        { id: 1, k: 'a', n: 1 },
        { id: 2, k: 'b', n: 1 },
      ],
    },
    query: (r) => r.expr([r.table('t').orderBy({ index: 'kn' }).limit(1).sum('id'), of(r, 'a').count()]),
    initial: initially([1, 1]),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'c' }), expect: steps([1, 1], [2, 0]) },
      { write: (r) => r.table('t').insert({ id: 3, k: 'a', n: 9 }), expect: steps([2, 0], [3, 1]) },
    ],
    without: ARRAY,
  },
  {
    name: 'N3: an open range and the table; a value that no index holds is in the table alone',
    source: SOURCE,
    seed: one,
    query: (r) => r.expr([r.table('t').between(r.minval, 5, { index: 'n' }).count(), r.table('t').count()]),
    initial: initially([1, 1]),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ n: [null] }),
        expect: steps([1, 1], [0, 1]),
      },
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ n: [2] }),
        expect: steps([0, 1], [1, 1]),
      },
      { write: (r) => r.table('t').get(1).update({ n: null }), expect: steps([1, 1], [0, 1]) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps([0, 1], [0, 0]) },
    ],
    without: ARRAY,
  },
  {
    name: 'N3: a row by key and a range of keys',
    source: SOURCE,
    seed: one,
    query: (r) => r.expr([r.table('t').get(1)('n').default(0), r.table('t').between(0, 5).sum('n')]),
    initial: initially([1, 1]),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 2 }), expect: steps([1, 1], [2, 2]) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps([2, 2], [0, 0]) },
      { write: (r) => r.table('t').insert({ id: 4, n: 3 }), expect: steps([0, 0], [0, 3]) },
    ],
    without: ARRAY,
  },
  {
    name: 'N3: a row by a key that is named twice is one step',
    source: SOURCE,
    seed: one,
    query: (r) => r.table('t').getAll('open', 'done', 'open', { index: 'k' }).count(),
    initial: initially(2),
    steps: [
      { write: become('done'), expect: steps(2, 1) },
      { write: become('open'), expect: steps(1, 2) },
      { write: become('gone'), expect: steps(2, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: a row by a primary key that is named twice is one step',
    source: SOURCE,
    seed: one,
    query: (r) => r.table('t').getAll(1, 2, 1).sum('n'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 3 }), expect: steps(2, 6) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(6, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: a row that a multi index has under several values is one step',
    source: SOURCE,
    seed: { t: [{ id: 1, tags: ['a', 'b', 'a', 'z'] }] },
    query: (r) => r.table('t').between('a', 'c', { index: 'tags' }).count(),
    initial: initially(3),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ tags: ['b'] }),
        expect: steps(3, 1),
      },
      { write: (r) => r.table('t').insert({ id: 2, tags: ['a', 'a', 'a'] }), expect: steps(1, 4) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(4, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: a key of a multi index and the table',
    source: SOURCE,
    seed: { t: [{ id: 1, tags: ['a', 'b', 'a'] }] },
    query: (r) => r.table('t').getAll('a', { index: 'tags' }).count().div(r.table('t').count()),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, tags: ['a', 'a'] }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).update({ tags: 'a' }), expect: steps(2, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'N3: the first rows by an index of a function beside their table are refused',
    source: SOURCE,
    query: (r) => r.table('t').orderBy({ index: 'twice' }).limit(1).count().add(r.table('t').count()),
    refused: error('QUERY_LOGIC', /`orderBy` at this place: RethinkDB tells the changes of an order later/),
    without: NUMBER,
  },
  {
    name: 'N3: the end of an index of a function beside its table is refused',
    source: SOURCE,
    seed: one,
    query: (r) => r.table('t').max({ index: 'twice' })('n').default(0).add(r.table('t').count()),
    refused: error('QUERY_LOGIC', /`max` at this place: RethinkDB tells the changes of an order later/),
    without: NUMBER,
  },
];
