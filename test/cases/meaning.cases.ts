// Terms that mean something else on a table, a range of it, a stream, an array, groups or one row.

import { bag, error } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT, STRING } from './upstream.ts';

const two = {
  t: [
    { id: 1, n: 5 },
    { id: 2, n: 3 },
  ],
};
const NO_VALUE = error('QUERY_LOGIC', /^Expected type DATUM but found SEQUENCE/);
const NO_SEQUENCE = error('QUERY_LOGIC', /^Expected type SEQUENCE but found SINGLE_SELECTION/);
const NO_SLICE = error('QUERY_LOGIC', 'Can only perform an indexed distinct on a TABLE.');

export const meaningCases: readonly FeedCase[] = [
  {
    name: 'max of a table without an argument is the row with the greatest primary key',
    source: 'CASES N2, rethinkdb/rethinkdb#2974',
    seed: two,
    query: (r) => r.table('t').max()('id'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 0, n: 9 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 7, n: 1 }), expect: steps(2, 7) },
      { write: (r) => r.table('t').get(7).delete(), expect: steps(7, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'min of a table without an argument follows the other fields of its row, and is nothing where there is none',
    source: 'CASES N2, rethinkdb/rethinkdb#117',
    seed: two,
    query: (r) => r.table('t').min()('n').mul(10),
    initial: initially(50),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 6 }), expect: steps(50, 60) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(60, 30) },
      { write: (r) => r.table('t').delete(), expect: steps(30, null) },
      { write: (r) => r.table('t').insert({ id: 9, n: 1 }), expect: steps(null, 10) },
    ],
    without: NUMBER,
  },
  {
    name: 'the greatest row of a table beside other aggregates of it',
    source: 'CASES N2, wherever it stands',
    seed: two,
    query: (r) =>
      r.expr({ last: r.table('t').max()('id'), most: r.table('t').max('n')('id'), c: r.table('t').count() }),
    initial: initially({ last: 2, most: 1, c: 2 }),
    steps: [
      {
        write: (r) => r.table('t').get(2).update({ n: 8 }),
        expect: steps({ last: 2, most: 1, c: 2 }, { last: 2, most: 2, c: 2 }),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'max of a range of a table is the greatest row, not the last key',
    source: 'RethinkDB 2.4.4: only a table goes by its primary key',
    seed: two,
    query: (r) => r.table('t').between(0, 9).max()('id'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).update({ z: 1 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ a: 1 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 3, a: 0 }), expect: [] },
      { write: (r) => r.table('t').get(3).replace({ id: 3 }), expect: steps(2, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'the type of the greatest row never changes: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: it is a selection',
    seed: two,
    query: (r) => r.table('t').max().typeOf(),
    refused: STRING,
    without: STRING,
  },
  {
    name: 'distinct rows of a table are a stream, of other things an array: as a value it is left to the server',
    source: 'RethinkDB 2.4.4: distinct of a table goes by its primary key',
    seed: two,
    query: (r) => r.expr([r.table('t').distinct()]),
    refused: NO_VALUE,
    without: NO_VALUE,
  },
  {
    name: 'distinct fields are an array, which is a value',
    source: 'RethinkDB 2.4.4: distinct of a stream',
    seed: two,
    query: (r) => r.expr([r.table('t')('n').distinct(), r.table('t')('n').distinct().append(9)]),
    initial: initially([
      [3, 5],
      [3, 5, 9],
    ]),
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ n: 1 }),
        expect: steps(
          [
            [3, 5],
            [3, 5, 9],
          ],
          [
            [1, 3],
            [1, 3, 9],
          ],
        ),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'distinct rows of a table come in the order of the primary key',
    source: 'RethinkDB 2.4.4: distinct of a table goes by its primary key',
    seed: { t: [{ id: 2 }, { id: 1, z: 1 }, { id: 3, a: 1 }] },
    query: (r) => r.table('t').distinct()('id').coerceTo('array'),
    initial: initially([1, 2, 3]),
    steps: [{ write: (r) => r.table('t').get(2).delete(), expect: steps([1, 2, 3], [1, 3]) }],
    without: ARRAY,
  },
  {
    name: 'distinct values of an index come in the order of the index',
    source: 'RethinkDB 2.4.4: distinct keeps the order that it stands on',
    seed: {
      t: [
        { id: 1, n: 3 },
        { id: 2, n: 1 },
        { id: 3, n: 2 },
        { id: 4, n: 3 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .distinct({ index: 'n' })
        .limit(2)
        .coerceTo('array'),
    initial: initially([3, 2]),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(4).delete(), expect: steps([3, 2], [2, 1]) },
    ],
    without: ARRAY,
  },
  {
    name: 'distinct values of an index with several for each row are those of the range alone',
    source: 'RethinkDB 2.4.4: a range of a multi index',
    seed: {
      t: [
        { id: 1, tags: ['a', 'b', 'z'] },
        { id: 2, tags: ['c'] },
      ],
    },
    query: (r) => r.table('t').between('b', 'c', { index: 'tags', rightBound: 'closed' }).distinct({ index: 'tags' }),
    shows: 'rows',
    initial: bag({ new_val: 'b' }, { new_val: 'c' }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, tags: ['x', 'b'] }), expect: [] },
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ tags: ['d'] }),
        expect: [{ old_val: 'c', new_val: null }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'distinct by another index than that of the range is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: distinct goes by the index that it stands on',
    seed: two,
    query: (r) => r.table('t').between(1, 9).distinct({ index: 'n' }).count(),
    refused: NO_SLICE,
    without: NO_SLICE,
  },
  {
    name: 'distinct by the primary key takes the key of each row',
    source: 'RethinkDB 2.4.4: it watches that by itself',
    seed: two,
    query: (r) => r.table('t').distinct({ index: 'id' }),
    shows: 'rows',
    initial: bag({ new_val: 1 }, { new_val: 2 }),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: 1, new_val: null }] }],
  },
  {
    name: 'the number of distinct primary keys',
    source: 'RethinkDB 2.4.4: distinct by the primary key',
    seed: two,
    query: (r) => r.table('t').distinct({ index: 'id' }).count(),
    initial: initially(2),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: steps(2, 1) }],
    without: NUMBER,
  },
  {
    name: 'places from the end are for arrays: on a stream left to the server, which refuses them',
    source: 'RethinkDB 2.4.4: slice of a stream',
    seed: two,
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(3).slice(-2).count(),
    refused: error('QUERY_LOGIC', 'Cannot use a negative left index on a stream.'),
    without: error('QUERY_LOGIC', 'Cannot use a negative left index on a stream.'),
  },
  {
    name: 'places from the end of an array',
    source: 'RethinkDB 2.4.4: slice of an array',
    seed: {
      t: [
        { id: 1, n: 5 },
        { id: 2, n: 3 },
        { id: 3, n: 4 },
      ],
    },
    query: (r) => r.table('t')('n').distinct().slice(-2).sum(),
    initial: initially(9),
    steps: [{ write: (r) => r.table('t').get(3).update({ n: 1 }), expect: steps(9, 8) }],
    without: NUMBER,
  },
  {
    name: 'the last of the first rows',
    source: 'RethinkDB 2.4.4: nth of a stream takes -1',
    seed: {
      t: [
        { id: 1, n: 5 },
        { id: 2, n: 3 },
        { id: 3, n: 4 },
      ],
    },
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(2).nth(-1)('id'),
    initial: initially(3),
    steps: [{ write: (r) => r.table('t').get(3).update({ n: 1 }), expect: steps(3, 2) }],
    without: NUMBER,
  },
  {
    name: 'one row is no sequence: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: a single selection',
    seed: two,
    query: (r) => r.table('t').get(1).isEmpty(),
    refused: NO_SEQUENCE,
    without: NO_SEQUENCE,
  },
  {
    name: 'count of one row is the number of its fields, of a text of its characters, of an array of its items',
    source: 'RethinkDB 2.4.4: count of an object and of a string',
    seed: { t: [{ id: 1, k: 'äé', tags: [1, 2, 3] }] },
    query: (r) =>
      r.expr([r.table('t').get(1).count(), r.table('t').get(1)('k').count(), r.table('t').get(1)('tags').count()]),
    initial: initially([3, 2, 3]),
    steps: [{ write: (r) => r.table('t').get(1).update({ k: 'a', more: true }), expect: steps([3, 2, 3], [4, 1, 3]) }],
    without: ARRAY,
  },
  {
    name: 'a row of a table that goes through a do is a value, and live',
    source: 'RethinkDB 2.4.4: the arguments of do are data',
    seed: two,
    query: (r) =>
      r
        .table('t')
        .get(1)
        .do((row) => row),
    initial: initially({ id: 1, n: 5 }),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 6 }), expect: steps({ id: 1, n: 5 }, { id: 1, n: 6 }) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps({ id: 1, n: 6 }, null) },
    ],
    without: OBJECT,
  },
  {
    name: 'what looks like a field and may be a place is refused by name',
    source: 'RethinkDB 2.4.4: bracket takes numbers and texts',
    seed: two,
    query: (r) => r.table('t')(r.expr('n').add(r.now().typeOf())).sum(),
    refused: error('QUERY_LOGIC', /`bracket`.*not a literal/),
    without: NUMBER,
  },
  {
    name: 'N5: of equal rows in a group the first in the order of what was grouped',
    source: 'CASES N5; ties of min and max',
    seed: {
      t: [
        { id: 1, k: 'a', n: 1 },
        { id: 2, k: 'a', n: 1 },
      ],
    },
    query: (r) => r.table('t').orderBy(r.desc('id')).group('k').max('n')('id'),
    shows: 'groups',
    initial: [{ group: 'a', new_val: 2 }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, k: 'a', n: 1 }), expect: [{ group: 'a', old_val: 2, new_val: 3 }] },
      { write: (r) => r.table('t').insert({ id: 4, k: 'b' }), expect: [] },
      { write: (r) => r.table('t').get(3).update({ n: 0 }), expect: [{ group: 'a', old_val: 3, new_val: 2 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'N5: of equal rows in a group the first in the order of the group',
    source: 'CASES N5; ties of min and max',
    seed: {
      t: [
        { id: 1, k: 'a', n: 1 },
        { id: 2, k: 'a', n: 1 },
      ],
    },
    query: (r) => r.table('t').group('k').orderBy(r.desc('id')).min('n')('id'),
    shows: 'groups',
    initial: [{ group: 'a', new_val: 2 }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, k: 'a', n: 1 }), expect: [{ group: 'a', old_val: 2, new_val: 3 }] },
      { write: (r) => r.table('t').insert({ id: 4, k: 'b' }), expect: [{ group: 'a', old_val: 3, new_val: null }] },
    ],
    without: NUMBER,
  },
  {
    name: 'N5: a group in an order is there though nothing is left in it',
    source: 'CASES N5; an order within groups makes lists of them',
    seed: { t: [{ id: 1, k: 'a', n: 1 }] },
    query: (r) => r.table('t').group('k').orderBy('id').filter({ n: 5 }).count(),
    shows: 'groups',
    initial: [{ group: 'a', new_val: 0 }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 2, k: 'a', n: 5 }), expect: [{ group: 'a', old_val: 0, new_val: 1 }] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ group: 'a', old_val: 1, new_val: 0 }] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ group: 'a', old_val: 0, new_val: null }] },
    ],
    without: NUMBER,
  },
];
