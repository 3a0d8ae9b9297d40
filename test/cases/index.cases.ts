// Live queries over secondary indexes: rows that move in them.

import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER } from './upstream.ts';

const three = {
  t: [
    { id: 1, k: 'a', n: 1, tags: ['a', 'b'] },
    { id: 2, k: 'b', n: 2, tags: ['b'] },
    { id: 3, k: 'c', n: 3, tags: [] },
  ],
};

export const indexCases: readonly FeedCase[] = [
  {
    name: 'a row that moves within a range of an index shows nothing, one that leaves or enters it does',
    source: 'CASES N1, rethinkdb/rethinkdb#5216',
    seed: three,
    query: (r) => r.table('t').between(1, 5, { index: 'n' }).count(),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 4 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ n: 1, k: 'z' }), expect: [] },
      { write: (r) => r.table('t').get(2).update({ n: 7 }), expect: steps(3, 2) },
      { write: (r) => r.table('t').get(2).update({ n: 4 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(2).update({ n: 'none' }), expect: steps(3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'what a client makes of rows of a range is the same wherever they move',
    source: 'CASES N1, rethinkdb/rethinkdb#5216',
    seed: three,
    query: (r) =>
      r
        .table('t')
        .between(1, 5, { index: 'n' })
        .filter((row) => row('k').ne('c'))
        .pluck('k')
        .map((row) => row.merge({ x: 2 }))('x')
        .sum(),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 4 }), expect: [] },
      { write: (r) => r.table('t').get(3).update({ n: 1, k: 'd' }), expect: steps(4, 6) },
      { write: (r) => r.table('t').get(3).update({ n: 9 }), expect: steps(6, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'a row that moves between the keys of a getAll shows nothing',
    source: 'CASES N1; getAll of several keys, rethinkdb/rethinkdb#5216',
    seed: three,
    query: (r) => r.table('t').getAll('a', 'b', 'b', { index: 'k' }).sum('n'),
    initial: initially(5),
    steps: [
      { write: (r) => r.table('t').get(2).update({ k: 'a' }), expect: steps(5, 3) },
      { write: (r) => r.table('t').get(1).update({ k: 'b' }), expect: steps(3, 4) },
      { write: (r) => r.table('t').get(3).update({ k: 'a' }), expect: steps(4, 7) },
      { write: (r) => r.table('t').update({ k: 'a' }), expect: steps(7, 6) },
    ],
    without: NUMBER,
  },
  {
    name: 'a list of tags in another order shows nothing, a longer one does',
    source: 'CASES N1; multi indexes, rethinkdb/rethinkdb#5268',
    seed: three,
    query: (r) => r.table('t').between('a', 'c', { index: 'tags' }).count(),
    initial: initially(3),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ tags: ['b', 'a'] }),
        expect: [],
      },
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ tags: ['a', 'z'] }),
        expect: [],
      },
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ tags: ['a', 'a', 'b'] }),
        expect: steps(3, 5),
      },
      { write: (r) => r.table('t').get(1).update({ tags: [] }), expect: steps(5, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'rows of a range of a compound index, as a list',
    source: 'CASES N1; compound indexes',
    seed: three,
    query: (r) =>
      r.table('t').between(['a', 1], ['b', r.maxval], { index: 'kn' }).orderBy('id')('id').coerceTo('array'),
    initial: initially([1, 2]),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 8 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ k: 'b', n: 2 }), expect: [] },
      { write: (r) => r.table('t').get(3).update({ k: 'a' }), expect: steps([1, 2], [1, 2, 3]) },
      { write: (r) => r.table('t').get(2).update({ k: 'z' }), expect: steps([1, 2, 3], [1, 3]) },
    ],
    without: ARRAY,
  },
  {
    name: 'an index of a function: an update that leaves the element the same shows nothing',
    source: 'CASES N1; indexes of functions',
    seed: three,
    query: (r) => r.table('t').between(2, 5, { index: 'twice' }).avg('n'),
    initial: initially(1.5),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'z' }), expect: [] },
      { write: (r) => r.table('t').get(3).update({ n: 2 }), expect: steps(1.5, 5 / 3) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(5 / 3, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'groups and distinct values of a range show nothing of a move',
    source: 'CASES N1; groups over indexes',
    seed: three,
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .group('k')
        .count(),
    shows: 'groups',
    initial: 'law',
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 9 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ n: null }), expect: [{ group: 'a', old_val: 1, new_val: null }] },
    ],
    without: NUMBER,
  },
];
