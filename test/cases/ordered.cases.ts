// Aggregates and places in an order read elements in that order where they depend on it.

import { bag } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, BOOL, NUMBER, OBJECT, STRING } from './upstream.ts';

const pair = {
  t: [
    { id: 1, x: 2 },
    { id: 2, x: 1 },
  ],
};
const five = {
  t: [
    { id: 1, n: 5, k: 'a' },
    { id: 2, n: 1, k: 'b' },
    { id: 3, n: 4, k: 'a' },
    { id: 4, n: 2, k: 'b' },
    { id: 5, n: 3, k: 'a' },
  ],
};

export const orderedCases: readonly FeedCase[] = [
  {
    name: 'contains with several functions reads an order by an index in order',
    source: 'CASES N5, rethinkdb/rethinkdb#1327',
    seed: pair,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: 'id' })
        .contains(
          (row) => row('x').gt(0),
          (row) => row('x').gt(1),
        ),
    initial: initially(false),
    steps: [
      { write: (r) => r.table('t').get(2).update({ x: 3 }), expect: steps(false, true) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(true, false) },
    ],
    without: BOOL,
  },
  {
    name: 'contains with several functions reads the first rows and a sorted list in order',
    source: 'CASES N5: orders of other kinds',
    seed: pair,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('id') })
        .limit(5)
        .orderBy('id')
        .contains(
          (row) => row('x').gt(0),
          (row) => row('x').gt(1),
        ),
    initial: initially(false),
    steps: [{ write: (r) => r.table('t').get(2).update({ x: 3 }), expect: steps(false, true) }],
    without: BOOL,
  },
  {
    name: 'contains with several functions reads the groups of an order in order',
    source: 'CASES N5: a group keeps the order of what is grouped',
    seed: {
      t: [
        { id: 1, x: 2, k: 'a' },
        { id: 2, x: 1, k: 'a' },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: 'id' })
        .group('k')
        .contains(
          (row) => row('x').gt(0),
          (row) => row('x').gt(1),
        ),
    shows: 'groups',
    initial: [{ group: 'a', new_val: false }],
    steps: [
      { write: (r) => r.table('t').get(2).update({ x: 3 }), expect: [{ group: 'a', old_val: false, new_val: true }] },
    ],
    without: BOOL,
  },
  {
    name: 'a reduction that depends on the order runs over a sorted list in order',
    source: 'CASES N5: reduce',
    seed: five,
    query: (r) =>
      r
        .table('t')
        .orderBy('n')('n')
        .reduce((a, b) => a.mul(10).add(b)),
    initial: initially(12345),
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: steps(12345, 1235) },
      { write: (r) => r.table('t').insert({ id: 6, n: 9 }), expect: steps(1235, 12359) },
    ],
    without: NUMBER,
  },
  {
    name: 'texts are joined in the order of a sorted list, whatever adds numbers too',
    source: 'CASES N5: `add` joins texts and arrays, which no order leaves as they are',
    seed: {
      t: [
        { id: 1, n: 3, s: 'c' },
        { id: 2, n: 1, s: 'a' },
        { id: 3, n: 2, s: 'b' },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy('n')
        .map((row) => ({ s: row('s'), n: [row('n')] }))
        .reduce((a, b) => ({ s: a('s').add(b('s')), n: a('n').add(b('n')) })),
    initial: initially({ s: 'abc', n: [1, 2, 3] }),
    steps: [
      {
        write: (r) => r.table('t').get(2).update({ n: 9 }),
        expect: steps({ s: 'abc', n: [1, 2, 3] }, { s: 'bca', n: [2, 3, 9] }),
      },
      { write: (r) => r.table('t').get(1).delete(), expect: steps({ s: 'bca', n: [2, 3, 9] }, { s: 'ba', n: [2, 9] }) },
    ],
    without: OBJECT,
  },
  {
    name: 'texts are joined in the order of distinct values and of the first rows',
    source: 'CASES N5: neighbours',
    seed: five,
    query: (r) =>
      r.expr([
        r
          .table('t')('k')
          .distinct()
          .reduce((a, b) => a.add(b)),
        r
          .table('t')
          .orderBy({ index: r.desc('n') })
          .limit(3)
          .map((row) => row('n').coerceTo('string'))
          .reduce((a, b) => a.add(b)),
      ]),
    initial: initially(['ab', '543']),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 6, n: 9, k: 'Z' }),
        expect: steps(['ab', '543'], ['Zab', '954']),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'a reduction that depends on the order runs over the first rows in order',
    source: 'CASES N5: reduce',
    seed: five,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(3)('n')
        .reduce((a, b) => a.sub(b)),
    initial: initially(-2),
    steps: [{ write: (r) => r.table('t').insert({ id: 6, n: 9 }), expect: steps(-2, 0) }],
    without: NUMBER,
  },
  {
    name: 'a reduction that depends on the order runs over distinct values and groups in order',
    source: 'CASES N5: reduce',
    seed: five,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .max('n')('n')
        .ungroup()('reduction')
        .reduce((a, b) => a.mul(10).add(b)),
    initial: initially(52),
    steps: [{ write: (r) => r.table('t').insert({ id: 6, n: 7, k: 'c' }), expect: steps(52, 527) }],
    without: NUMBER,
  },
  {
    name: 'of equal rows the first of a sorted list is the greatest',
    source: 'CASES N5: ties',
    seed: {
      t: [
        { id: 1, n: 1, x: 7 },
        { id: 2, n: 2, x: 7 },
        { id: 3, n: 3, x: 0 },
      ],
    },
    query: (r) => r.table('t').orderBy('n').max('x')('id'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 9 }), expect: steps(1, 2) },
      { write: (r) => r.table('t').get(3).update({ x: 7, n: 0 }), expect: steps(2, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'of equal groups the first is the greatest',
    source: 'CASES N5: ties',
    seed: five,
    query: (r) => r.table('t').group('k').count().ungroup().max('reduction')('group'),
    initial: initially('a'),
    steps: [
      { write: (r) => r.table('t').insert({ id: 6, k: 'b' }), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps('a', 'b') },
      { write: (r) => r.table('t').get(6).delete(), expect: steps('b', 'a') },
    ],
    without: STRING,
  },
  {
    name: 'of equal first rows the first by the index is the least',
    source: 'CASES N5: ties',
    seed: {
      t: [
        { id: 1, n: 1, x: 7 },
        { id: 2, n: 2, x: 7 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(2)
        .min('x')('id'),
    initial: initially(2),
    steps: [{ write: (r) => r.table('t').get(1).update({ n: 3 }), expect: steps(2, 1) }],
    without: NUMBER,
  },
  {
    name: 'lists of groups keep the order of what is grouped',
    source: 'CASES N5: group',
    seed: five,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .group('k')('n')
        .coerceTo('array'),
    shows: 'groups',
    initial: 'law',
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 6, n: 1.5, k: 'b' }),
        expect: [{ group: 'b', old_val: [2, 1], new_val: [2, 1.5, 1] }],
      },
      {
        write: (r) => r.table('t').get(3).update({ n: 9 }),
        expect: [{ group: 'a', old_val: [5, 4, 3], new_val: [9, 5, 3] }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'lists of groups keep the order of a sorted list and of a filter on it',
    source: 'CASES N5: group',
    seed: five,
    query: (r) =>
      r
        .table('t')
        .orderBy('n')
        .filter((row) => row('n').gt(1))
        .group('k')('n')
        .coerceTo('array'),
    shows: 'groups',
    initial: 'law',
    steps: [
      { write: (r) => r.table('t').get(2).update({ n: 7 }), expect: [{ group: 'b', old_val: [2], new_val: [2, 7] }] },
    ],
    without: ARRAY,
  },
  {
    name: 'arrays that are united follow one another',
    source: 'CASES N5: union',
    seed: five,
    query: (r) => r.table('t')('k').distinct().union(r.table('t')('n').distinct()).nth(1),
    initial: initially('b'),
    steps: [{ write: (r) => r.table('t').getAll('b', { index: 'k' }).delete(), expect: steps('b', 3) }],
    without: STRING,
  },
  {
    name: 'a part of an order with a closed bound',
    source: 'CASES N9, rethinkdb/rethinkdb#4909',
    seed: five,
    query: (r) => r.table('t').orderBy({ index: 'n' }).slice(1, 2, { rightBound: 'closed' })('n').coerceTo('array'),
    initial: initially([2, 3]),
    steps: [{ write: (r) => r.table('t').get(4).delete(), expect: steps([2, 3], [3, 4]) }],
    without: ARRAY,
  },
  {
    name: 'a part of an order with an open bound',
    source: 'CASES N9, rethinkdb/rethinkdb#4909',
    seed: five,
    query: (r) =>
      r.table('t').orderBy({ index: 'n' }).slice(0, 2, { leftBound: 'open', rightBound: 'closed' }).sum('n'),
    initial: initially(5),
    steps: [{ write: (r) => r.table('t').get(2).delete(), expect: steps(5, 7) }],
    without: NUMBER,
  },
  {
    name: 'a page of rows that are computed moves by a row',
    source: 'a page of a leaderboard',
    seed: five,
    query: (r) => r.table('t')('n').distinct().skip(1).limit(2),
    shows: 'rows',
    initial: bag({ new_val: 2 }, { new_val: 3 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 6, n: 0 }), expect: [{ old_val: 3, new_val: 1 }] },
      { write: (r) => r.table('t').insert({ id: 7, n: 9 }), expect: [] },
      { write: (r) => r.table('t').get(6).delete(), expect: [{ old_val: 1, new_val: 3 }] },
    ],
    without: ARRAY,
  },
  {
    name: 'parts of parts of an order',
    source: 'CASES N9: skip, limit, slice and nth in any order',
    seed: five,
    query: (r) => r.table('t').orderBy({ index: 'n' }).slice(1).limit(3).skip(1).nth(1)('n'),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').insert({ id: 6, n: 3.5 }), expect: steps(4, 3.5) },
      { write: (r) => r.table('t').get(2).delete(), expect: steps(3.5, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'the last row of an order is the first of the reverse one',
    source: 'CASES N9: nth(-1)',
    seed: five,
    query: (r) => r.table('t').orderBy({ index: 'n' }).nth(-1)('id'),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('t').insert({ id: 6, n: 9 }), expect: steps(1, 6) },
      { write: (r) => r.table('t').get(6).delete(), expect: steps(6, 1) },
    ],
    without: NUMBER,
  },
  {
    name: 'the first rows of an order that pass a filter',
    source: 'CASES N9: a filter between orderBy and limit',
    seed: five,
    query: (r) => r.table('t').orderBy({ index: 'n' }).filter({ k: 'a' }).limit(2)('n').coerceTo('array'),
    initial: initially([3, 4]),
    steps: [
      { write: (r) => r.table('t').get(2).update({ k: 'a' }), expect: steps([3, 4], [1, 3]) },
      { write: (r) => r.table('t').get(5).update({ k: 'b' }), expect: steps([1, 3], [1, 4]) },
    ],
    without: ARRAY,
  },
  {
    name: 'a fold over a sorted list that is kept as one',
    source: 'CASES N9: what the refusal of fold advises',
    seed: five,
    query: (r) =>
      r
        .table('t')
        .orderBy('n')
        .coerceTo('array')
        .fold({ s: '' }, (acc, row) => ({ s: acc('s').add(row('k')) })),
    initial: initially({ s: 'bbaaa' }),
    steps: [{ write: (r) => r.table('t').get(4).update({ n: 9 }), expect: steps({ s: 'bbaaa' }, { s: 'baaab' }) }],
    without: OBJECT,
  },
];
