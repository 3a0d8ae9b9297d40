// No value is shown that the query had at no moment: an expression over several sources waits for all that a write changes.

import { error } from '../support/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { NUMBER, OBJECT } from './upstream.ts';

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
];
