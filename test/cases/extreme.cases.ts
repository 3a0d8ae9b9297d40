// Live min and max.

import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT, STRING } from './upstream.ts';

const I = { includeInitial: true };

export const extremeCases: readonly FeedCase[] = [
  {
    name: 'max stays while one of two equal holders is left, then falls',
    source: 'CASES G3, apache/flink#9120',
    seed: {
      t: [
        { id: 1, n: 7 },
        { id: 2, n: 9 },
        { id: 3, n: 9 },
      ],
    },
    query: (r) => r.table('t').max('n')('n'),
    initial: initially(9),
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(9, 7) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(7, null) },
      { write: (r) => r.table('t').insert({ id: 4, n: 1 }), expect: steps(null, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'min stays while one of two equal holders is left, then rises',
    source: 'CASES G3, apache/flink#9120',
    seed: {
      t: [
        { id: 1, n: 7 },
        { id: 2, n: 3 },
        { id: 3, n: 3 },
      ],
    },
    query: (r) => r.table('t').min('n')('n'),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(3, 7) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(7, null) },
      { write: (r) => r.table('t').insert({ id: 4, n: 1 }), expect: steps(null, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'null competes for min, a row without the field does not',
    source: 'CASES G3',
    seed: { t: [{ id: 1, n: 7 }, { id: 2 }] },
    query: (r) => r.table('t').min('n'),
    initial: initially({ id: 1, n: 7 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: null }), expect: steps({ id: 1, n: 7 }, { id: 3, n: null }) },
      { write: (r) => r.table('t').get(1).update({ n: 5 }), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: steps({ id: 3, n: null }, { id: 1, n: 5 }) },
    ],
    without: OBJECT,
  },
  {
    name: 'a default stands in for the max of nothing',
    source: 'CASES C3, rethinkdb/rethinkdb#2035',
    query: (r) => r.table('t').max('x').default('none'),
    changes: { includeInitial: true, includeStates: true },
    initial: [{ state: 'initializing' }, { new_val: 'none' }, { state: 'ready' }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, x: 4 }), expect: steps('none', { id: 1, x: 4 }) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps({ id: 1, x: 4 }, 'none') },
    ],
    without: STRING,
  },
  {
    name: 'max by a function shows the row, and follows other fields of it',
    source: 'DESIGN 3: min and max (field, function, none)',
    seed: {
      t: [
        { id: 1, x: 2, y: 3 },
        { id: 2, x: 1, y: 1 },
      ],
    },
    query: (r) => r.table('t').max((row) => row('x').mul(row('y'))),
    initial: initially({ id: 1, x: 2, y: 3 }),
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ name: 'a' }),
        expect: steps({ id: 1, x: 2, y: 3 }, { id: 1, x: 2, y: 3, name: 'a' }),
      },
      {
        write: (r) => r.table('t').get(2).update({ x: 10 }),
        expect: steps({ id: 1, x: 2, y: 3, name: 'a' }, { id: 2, x: 10, y: 1 }),
      },
      {
        write: (r) => r.table('t').get(2).delete(),
        expect: steps({ id: 2, x: 10, y: 1 }, { id: 1, x: 2, y: 3, name: 'a' }),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'max of r.row in each group',
    source: 'CASES D1, rethinkdb/rethinkdb#1593',
    seed: {
      t: [
        { id: 1, k: 'a', x: 1 },
        { id: 2, k: 'a', x: 2 },
        { id: 3, k: 'b', x: 0 },
      ],
    },
    query: (r) => r.table('t').group(r.row('k')).max(r.row('x'))('x'),
    shows: 'groups',
    initial: 'law',
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 5 }), expect: [{ group: 'a', old_val: 2, new_val: 5 }] },
      { write: (r) => r.table('t').get(3).delete(), expect: [{ group: 'b', old_val: 0, new_val: null }] },
      {
        write: (r) => r.table('t').insert({ id: 4, k: 'b', x: 7 }),
        expect: [{ group: 'b', old_val: null, new_val: 7 }],
      },
    ],
    without: NUMBER,
  },
  {
    name: 'min of elements that are values of all types is the first in the order of types',
    source: 'issue 3: the order of types',
    seed: {
      t: [
        { id: 1, x: 'b' },
        { id: 2, x: 5 },
        { id: 3, x: [1] },
      ],
    },
    query: (r) => r.table('t')('x').min(),
    initial: initially([1]),
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: steps([1], 5) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(5, 'b') },
      { write: (r) => r.table('t').insert({ id: 4, x: true }), expect: steps('b', true) },
    ],
    without: ARRAY,
  },
  {
    name: 'max over a filter without an index',
    source: 'issue 4: filtered extremes without an index',
    seed: {
      t: [
        { id: 1, n: 1, k: 'a' },
        { id: 2, n: 2, k: 'a' },
        { id: 3, n: 3, k: 'b' },
      ],
    },
    query: (r) => r.table('t').filter({ k: 'a' }).max('n')('id'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(3).update({ k: 'a' }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(3).update({ n: 0 }), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'max by an index over a table is left to the server',
    source: 'DESIGN 3: min/max({index}) are native',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 2, n: 2 },
      ],
    },
    query: (r) => r.table('t').max({ index: 'n' }),
    changes: I,
    initial: [{ new_val: { id: 2, n: 2 } }],
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 3, n: 3 }),
        expect: [{ old_val: { id: 2, n: 2 }, new_val: { id: 3, n: 3 } }],
      },
    ],
  },
  {
    name: 'a field of the max by an index is live',
    source: 'a user who watches the newest price',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 2, n: 2 },
      ],
    },
    query: (r) => r.table('t').max({ index: 'n' })('n').mul(10),
    initial: initially(20),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 3 }), expect: steps(20, 30) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(30, 20) },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(20, null) },
      { write: (r) => r.table('t').insert({ id: 9, n: 9 }), expect: steps(null, 90) },
    ],
    without: NUMBER,
  },
  {
    name: 'the span between the extremes',
    source: 'a user with a range slider',
    seed: {
      t: [
        { id: 1, n: 3 },
        { id: 2, n: 8 },
      ],
    },
    query: (r) => r.table('t')('n').max().sub(r.table('t')('n').min()),
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, n: 20 }), expect: steps(5, 17) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(17, 12) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(12, 0) },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(0, null) },
    ],
    without: NUMBER,
  },
];
