// Live sums and averages.

import { error } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { EMPTY_AVG, NUMBER } from './upstream.ts';

const two = {
  t: [
    { id: 1, x: 2 },
    { id: 2, x: 4 },
  ],
};
const holes = { t: [{ id: 1, x: 4 }, { id: 2 }, { id: 3, x: null }] };

export const sumCases: readonly FeedCase[] = [
  {
    name: 'sum follows an update and a delete',
    source: 'CASES A4, rethinkdb/rethinkdb#1118',
    seed: two,
    query: (r) => r.table('t').sum('x'),
    initial: initially(6),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 10 }), expect: steps(6, 14) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(14, 10) },
    ],
    without: NUMBER,
  },
  {
    name: 'avg follows an update and a delete',
    source: 'CASES A4, rethinkdb/rethinkdb#1118',
    seed: two,
    query: (r) => r.table('t').avg('x'),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 10 }), expect: steps(3, 7) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(7, 10) },
    ],
    without: NUMBER,
  },
  {
    name: 'sum leaves out null and missing',
    source: 'CASES C1, gluesql/gluesql#1897',
    seed: holes,
    query: (r) => r.table('t').sum('x'),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').get(2).update({ x: 8 }), expect: steps(4, 12) },
      { write: (r) => r.table('t').get(3).update({ x: 0 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: null }), expect: steps(12, 8) },
    ],
    without: NUMBER,
  },
  {
    name: 'avg leaves null and missing out of the sum and of the count',
    source: 'CASES C1, gluesql/gluesql#1897',
    seed: holes,
    query: (r) => r.table('t').avg('x'),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').get(2).update({ x: 8 }), expect: steps(4, 6) },
      { write: (r) => r.table('t').get(3).update({ x: 0 }), expect: steps(6, 4) },
      { write: (r) => r.table('t').get(1).update({ x: null }), expect: [] },
      { write: (r) => r.table('t').get(2).update({ x: 10 }), expect: steps(4, 5) },
    ],
    without: NUMBER,
  },
  {
    name: 'a sum of products stays 0 while no row has both factors',
    source: 'CASES C1, gluesql/gluesql#1897',
    seed: holes,
    query: (r) => r.table('t').sum((row) => row('x').mul(row('y'))),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').get(2).update({ x: 8 }), expect: [] },
      { write: (r) => r.table('t').get(3).update({ x: 0 }), expect: [] },
      { write: (r) => r.table('t').get(2).update({ y: 2 }), expect: steps(0, 16) },
    ],
    without: NUMBER,
  },
  {
    name: 'sum of r.row is the same as of a function',
    source: 'CASES D1, rethinkdb/rethinkdb#1593',
    seed: two,
    query: (r) => r.table('t').sum(r.row('x').mul(2)),
    initial: initially(12),
    steps: [{ write: (r) => r.table('t').get(1).update({ x: 10 }), expect: steps(12, 28) }],
    without: NUMBER,
  },
  {
    name: 'sum of elements that are numbers',
    source: 'issue 2: sum and avg (none, field, function)',
    seed: two,
    query: (r) => r.table('t')('x').sum(),
    initial: initially(6),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, x: 0.5 }), expect: steps(6, 6.5) },
      { write: (r) => r.table('t').insert({ id: 4 }), expect: [] },
      { write: (r) => r.table('t').get(1).replace({ id: 1 }), expect: steps(6.5, 4.5) },
    ],
    without: NUMBER,
  },
  {
    name: 'avg of nothing is null',
    source: 'CASES C3, rethinkdb/rethinkdb#2629',
    query: (r) => r.table('t').avg('x'),
    changes: { includeInitial: true, includeStates: true },
    initial: [{ state: 'initializing' }, { new_val: null }, { state: 'ready' }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 4 }), expect: steps(null, 4) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(4, null) },
    ],
    without: EMPTY_AVG,
  },
  {
    name: 'a default stands in for the avg of nothing',
    source: 'CASES C3, rethinkdb/rethinkdb#2629',
    query: (r) => r.table('t').avg('x').default(0),
    changes: { includeInitial: true, includeStates: true },
    initial: [{ state: 'initializing' }, { new_val: 0 }, { state: 'ready' }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 4 }), expect: steps(0, 4) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(4, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'doubles in and out again leave exactly nothing in a sum',
    source: 'CASES G2, apache/datafusion#7358',
    query: (r) => r.table('t').sum('x'),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 0.1 }), expect: steps(0, 0.1) },
      { write: (r) => r.table('t').insert({ id: 2, x: 0.2 }), expect: steps(0.1, 0.30000000000000004) },
      { write: (r) => r.table('t').insert({ id: 3, x: 0.3 }), expect: steps(0.30000000000000004, 0.6) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(0.6, 0.5) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(0.5, 0.3) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(0.3, 0) },
      { write: (r) => r.table('t').insert({ id: 4, x: 5 }), expect: steps(0, 5) },
    ],
    without: NUMBER,
  },
  {
    name: 'doubles in and out again leave nothing to average',
    source: 'CASES G2, apache/datafusion#7358',
    seed: {
      t: [
        { id: 1, x: 0.1 },
        { id: 2, x: 0.2 },
        { id: 3, x: 0.3 },
      ],
    },
    query: (r) => r.table('t').avg('x'),
    initial: initially(0.19999999999999998),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: steps(0.19999999999999998, 0.25) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(0.25, 0.3) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(0.3, null) },
      { write: (r) => r.table('t').insert({ id: 4, x: 5 }), expect: steps(null, 5) },
    ],
    without: NUMBER,
  },
  {
    name: 'a great number in a sum hides a small one and gives it back',
    source: 'DESIGN 5: exact sums',
    query: (r) => r.table('t').sum('x'),
    initial: initially(0),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 1e16 }), expect: steps(0, 1e16) },
      { write: (r) => r.table('t').insert({ id: 2, x: 1 }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(1e16, 1) },
      { write: (r) => r.table('t').insert({ id: 3, x: 0.5 }), expect: steps(1, 1.5) },
    ],
    without: NUMBER,
  },
  {
    name: 'the least number of a sum decides what is half way between two doubles',
    source: 'the oracle law: the plans differed in the last digit',
    seed: {
      t: [
        { id: 1, x: 2 ** 53 },
        { id: 2, x: 1 },
      ],
    },
    query: (r) => r.table('t').sum('x'),
    initial: initially(2 ** 53),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, x: 5e-324 }), expect: steps(2 ** 53, 2 ** 53 + 2) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(2 ** 53 + 2, 2 ** 53) },
    ],
    without: NUMBER,
  },
  {
    name: 'one write is one document, and what changes nothing is none',
    source: 'CASES G7, confluentinc/ksql#6616, drasi-project/drasi-core#792',
    seed: {
      t: [
        { id: 1, x: 1 },
        { id: 2, x: 2 },
      ],
    },
    query: (r) => r.table('t').sum('x'),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 8 }), expect: steps(3, 10) },
      { write: (r) => r.table('t').get(1).update({ other: true }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 1, x: 8, other: true }, { conflict: 'replace' }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: 8 }), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(10, 8) },
    ],
    without: NUMBER,
  },
  {
    name: 'two rows that change against each other in one write end where they began',
    source: 'a user who moves money between accounts',
    seed: two,
    query: (r) => r.table('t').sum('x'),
    initial: initially(6),
    steps: [
      {
        write: (r) => r.table('t').update((row) => ({ x: r.branch(row('id').eq(1), 4, 2) })),
        expect: 'law',
      },
      { write: (r) => r.table('t').get(1).delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 5, x: 100 }), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'a string where a sum wants a number ends the feed with the error of the server',
    source: 'CASES C4, rethinkdb/rethinkdb#4637',
    seed: { t: [{ id: 1, x: 1 }] },
    query: (r) => r.table('t').sum('x'),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').insert({ id: 2, x: 's' }), expect: [] }],
    ends: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
    without: NUMBER,
  },
  {
    name: 'a string that is there already is the error of the first answer',
    source: 'CASES C4, rethinkdb/rethinkdb#4637',
    seed: { t: [{ id: 1, x: 's' }] },
    query: (r) => r.table('t').sum('x'),
    refused: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
    without: error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
  },
  {
    name: 'sum of the best three by an index: one document per write though two rows move',
    source: 'CASES A8, rethinkdb/rethinkdb#3719',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 5, n: 5 },
        { id: 7, n: 7 },
        { id: 9, n: 9 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(3)
        .sum('n'),
    initial: initially(21),
    steps: [
      { write: (r) => r.table('t').insert({ id: 8, n: 8 }), expect: steps(21, 24) },
      { write: (r) => r.table('t').get(9).delete(), expect: steps(24, 20) },
    ],
    without: NUMBER,
  },
  {
    name: 'avg over a union with a projection of its own on each side',
    source: 'a user with amounts in two tables',
    seed: { t: [{ id: 1, x: 2 }], u: [{ id: 1, y: 6 }] },
    query: (r) => r.table('t')('x').union(r.table('u')('y')).avg(),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('u').insert({ id: 2, y: 1 }), expect: steps(4, 3) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 3.5) },
    ],
    without: NUMBER,
  },
  {
    name: 'sum after concatMap adds up the items of all rows',
    source: 'a user with order lines inside of orders',
    seed: {
      t: [
        {
          id: 1,
          lines: [
            { p: 2, q: 3 },
            { p: 1, q: 1 },
          ],
        },
        { id: 2, lines: [] },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => row('lines'))
        .sum((line) => line('p').mul(line('q'))),
    initial: initially(7),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ lines: [{ p: 10, q: 1 }, { p: 5 }] }),
        expect: steps(7, 17),
      },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(17, 10) },
    ],
    without: NUMBER,
  },
];
