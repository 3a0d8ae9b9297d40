// Whole lists and objects, live: coerceTo.

import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT } from './upstream.ts';

export const collectCases: readonly FeedCase[] = [
  {
    name: 'the ordered list on each change',
    source: 'CASES A8, rethinkdb/rethinkdb#3719; issue 4: ordered when the query orders',
    seed: {
      t: [
        { id: 1, n: 3 },
        { id: 2, n: 1 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy('n')('n')
        .coerceTo('array')
        .do((list) => ({ list })),
    initial: initially({ list: [1, 3] }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 2 }), expect: steps({ list: [1, 3] }, { list: [1, 2, 3] }) },
      { write: (r) => r.table('t').get(2).update({ n: 9 }), expect: steps({ list: [1, 2, 3] }, { list: [2, 3, 9] }) },
      { write: (r) => r.table('t').get(3).update({ other: 1 }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps({ list: [2, 3, 9] }, { list: [2, 9] }) },
    ],
    without: OBJECT,
  },
  {
    name: 'the first three by an index as one list',
    source: 'CASES A8, rethinkdb/rethinkdb#3719',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 2, n: 2 },
        { id: 3, n: 3 },
      ],
    },
    query: (r) =>
      r.expr({
        top: r
          .table('t')
          .orderBy({ index: r.desc('n') })
          .limit(2)('id')
          .coerceTo('array'),
      }),
    initial: initially({ top: [3, 2] }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, n: 2.5 }), expect: steps({ top: [3, 2] }, { top: [3, 4] }) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps({ top: [3, 4] }, { top: [4, 2] }) },
    ],
    without: OBJECT,
  },
  {
    name: 'pairs as one object',
    source: "issue 4: coerceTo('object')",
    seed: {
      t: [
        { id: 1, k: 'a', n: 1 },
        { id: 2, k: 'b', n: 2 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .map((row) => [row('k'), row('n')])
        .coerceTo('object'),
    initial: initially({ a: 1, b: 2 }),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 5 }), expect: steps({ a: 1, b: 2 }, { a: 5, b: 2 }) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps({ a: 5, b: 2 }, { a: 5 }) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps({ a: 5 }, {}) },
    ],
    without: OBJECT,
  },
  {
    name: 'the length of a list',
    source: "a user who writes coerceTo('array').count()",
    seed: { t: [{ id: 1 }] },
    query: (r) => r.table('t').coerceTo('array').count(),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').insert({ id: 2 }), expect: steps(1, 2) }],
    without: NUMBER,
  },
  {
    name: 'a list by itself is one value that changes as a whole',
    source: "issue 4: coerceTo('array'), the whole list on each change",
    seed: { t: [{ id: 1, n: 1 }] },
    query: (r) => r.table('t').orderBy('id').coerceTo('array'),
    initial: initially([{ id: 1, n: 1 }]),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 2, n: 2 }),
        expect: steps(
          [{ id: 1, n: 1 }],
          [
            { id: 1, n: 1 },
            { id: 2, n: 2 },
          ],
        ),
      },
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: steps(
          [
            { id: 1, n: 1 },
            { id: 2, n: 2 },
          ],
          [{ id: 2, n: 2 }],
        ),
      },
    ],
    without: ARRAY,
  },
];
