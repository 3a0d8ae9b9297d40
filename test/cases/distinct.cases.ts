// Live distinct, contains and isEmpty.

import { bag } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, BOOL, NUMBER } from './upstream.ts';

const ks = {
  t: [
    { id: 1, k: 'a' },
    { id: 2, k: 'a' },
    { id: 3, k: 'b' },
  ],
};
const comes = (value: unknown): unknown => ({ old_val: null, new_val: value });
const goes = (value: unknown): unknown => ({ old_val: value, new_val: null });

export const distinctCases: readonly FeedCase[] = [
  {
    name: 'distinct: a value comes with its first row and goes with its last',
    source: 'CASES G5, MaterializeInc/materialize#17908',
    seed: ks,
    query: (r) => r.table('t')('k').distinct(),
    shows: 'rows',
    initial: bag({ new_val: 'a' }, { new_val: 'b' }),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).update({ k: 'b' }), expect: [goes('a')] },
      { write: (r) => r.table('t').delete(), expect: [goes('b')] },
    ],
    without: ARRAY,
  },
  {
    name: 'distinct count falls with the last row of a value',
    source: 'CASES G5, MaterializeInc/materialize#17908',
    seed: ks,
    query: (r) => r.table('t')('k').distinct().count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).update({ k: 'b' }), expect: steps(2, 1) },
      { write: (r) => r.table('t').delete(), expect: steps(1, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'distinct by an index shows the keys of the index',
    source: 'issue 4: distinct (also {index})',
    seed: ks,
    query: (r) => r.table('t').distinct({ index: 'k' }),
    shows: 'rows',
    initial: bag({ new_val: 'a' }, { new_val: 'b' }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 5, k: 'c' }), expect: [comes('c')] },
      { write: (r) => r.table('t').get(3).update({ k: 'c' }), expect: [goes('b')] },
    ],
    without: ARRAY,
  },
  {
    name: '0 and -0 are one distinct value',
    source: 'CASES H2, rethinkdb/rethinkdb#3637',
    seed: {
      t: [
        { id: 1, z: 0 },
        { id: 2, z: -0 },
        { id: 3, z: 1 },
      ],
    },
    query: (r) => r.table('t')('z').distinct().count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(2, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'distinct of whole rows, of objects and of arrays',
    source: 'a user who lists the tariffs in use',
    seed: {
      t: [
        { id: 1, v: { a: 1, b: [2] } },
        { id: 2, v: { b: [2], a: 1 } },
        { id: 3, v: [null] },
      ],
    },
    query: (r) => r.table('t')('v').distinct(),
    shows: 'rows',
    initial: bag({ new_val: [null] }, { new_val: { a: 1, b: [2] } }),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ v: r.literal('x') }),
        expect: bag(goes({ a: 1, b: [2] }), comes('x')),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'null is a distinct value, missing is none',
    source: 'DESIGN 5: a bare null element makes no event',
    seed: { t: [{ id: 1, v: null }, { id: 2 }] },
    query: (r) => r.table('t')('v').distinct().count(),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(2).update({ v: null }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(1, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'the sum of distinct values',
    source: 'DESIGN 3: distinct() is a stream again',
    seed: {
      t: [
        { id: 1, n: 5 },
        { id: 2, n: 5 },
        { id: 3, n: 7 },
      ],
    },
    query: (r) => r.table('t')('n').distinct().sum(),
    initial: initially(12),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).update({ n: 1 }), expect: steps(12, 8) },
    ],
    without: NUMBER,
  },
  {
    name: 'contains a value',
    source: 'issue 4: contains (values, predicates, several)',
    seed: ks,
    query: (r) => r.table('t')('k').contains('b'),
    initial: initially(true),
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: steps(true, false) },
      { write: (r) => r.table('t').insert({ id: 4, k: 'b' }), expect: steps(false, true) },
      { write: (r) => r.table('t').insert({ id: 5, k: 'b' }), expect: [] },
      { write: (r) => r.table('t').delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 4, k: 'b' }), expect: steps(false, true) },
    ],
    without: BOOL,
  },
  {
    name: 'contains all of several values and predicates',
    source: 'issue 4: contains (values, predicates, several)',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 2, n: 2 },
      ],
    },
    query: (r) =>
      r
        .table('t')('n')
        .contains(1, (n) => n.gt(5)),
    initial: initially(false),
    steps: [
      { write: (r) => r.table('t').get(2).update({ n: 6 }), expect: steps(false, true) },
      { write: (r) => r.table('t').get(1).update({ n: 7 }), expect: steps(true, false) },
    ],
    without: BOOL,
  },
  {
    name: 'isEmpty of a filter',
    source: 'a user with an alarm',
    query: (r) =>
      r
        .table('t')
        .filter((row) => row('n').gt(100))
        .isEmpty(),
    initial: initially(true),
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, n: 5 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 2, n: 500 }), expect: steps(true, false) },
      { write: (r) => r.table('t').insert({ id: 3, n: 501 }), expect: [] },
      { write: (r) => r.table('t').delete(), expect: steps(false, true) },
    ],
    without: BOOL,
  },
  {
    name: 'isEmpty turned round',
    source: 'a user with an alarm',
    query: (r) => r.table('t').isEmpty().not(),
    initial: initially(false),
    steps: [{ write: (r) => r.table('t').insert({ id: 1 }), expect: steps(false, true) }],
    without: BOOL,
  },
];
