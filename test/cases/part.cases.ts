// Parts of orders that RethinkDB does not watch: as rows, as one row, below aggregates, in groups; ties, bad input, and what is one
// change.

import { bag, error } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT, STRING } from './upstream.ts';

const players = {
  t: [
    { id: 1, name: 'Ann', score: 50, team: 'red' },
    { id: 2, name: 'Bob', score: 30, team: 'blue' },
    { id: 3, name: 'Cid', score: 40, team: 'red' },
    { id: 4, name: 'Dee', score: 20, team: 'blue' },
  ],
};
const [ann, bob, cid, dee] = players.t;

export const partCases: readonly FeedCase[] = [
  {
    name: 'the best of an order by a field, as rows: who leaves and who comes are one change',
    source: 'rethinkdb/rethinkdb#3719, CASES A8',
    seed: players,
    query: (r) => r.table('t').orderBy(r.desc('score')).limit(2),
    shows: 'rows',
    initial: [{ new_val: ann }, { new_val: cid }],
    steps: [
      { write: (r) => r.table('t').get(4).update({ score: 10 }), expect: [] },
      {
        write: (r) => r.table('t').get(2).update({ score: 60 }),
        expect: [{ old_val: cid, new_val: { ...bob, score: 60 } }],
      },
      {
        write: (r) => r.table('t').get(1).update({ score: 55 }),
        expect: [{ old_val: ann, new_val: { ...ann, score: 55 } }],
      },
      {
        write: (r) => r.table('t').get(2).delete(),
        expect: [{ old_val: { ...bob, score: 60 }, new_val: cid }],
      },
      {
        write: (r) => r.table('t').filter({ team: 'red' }).delete(),
        expect: 'law',
      },
    ],
    without: ARRAY,
  },
  {
    name: 'a list that grows to its length and shrinks below it',
    source: 'a leaderboard of few rows',
    query: (r) => r.table('t').orderBy('score').limit(1).pluck('id'),
    shows: 'rows',
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, score: 2 }), expect: [{ old_val: null, new_val: { id: 1 } }] },
      { write: (r) => r.table('t').insert({ id: 2, score: 3 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ score: 4 }), expect: [{ old_val: { id: 1 }, new_val: { id: 2 } }] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ old_val: { id: 2 }, new_val: { id: 1 } }] },
      { write: (r) => r.table('t').delete(), expect: [{ old_val: { id: 1 }, new_val: null }] },
    ],
    without: ARRAY,
  },
  {
    name: 'the sum of the best of an order by a field',
    source: 'CASES A8: without an index',
    seed: {
      t: [
        { id: 1, n: 1 },
        { id: 2, n: 5 },
        { id: 3, n: 7 },
        { id: 4, n: 9 },
      ],
    },
    query: (r) => r.table('t').orderBy(r.desc('n')).limit(3).sum('n'),
    initial: initially(21),
    steps: [
      { write: (r) => r.table('t').insert({ id: 5, n: 8 }), expect: steps(21, 24) },
      { write: (r) => r.table('t').get(4).delete(), expect: steps(24, 20) },
      { write: (r) => r.table('t').insert({ id: 6, n: 0 }), expect: [] },
      { write: (r) => r.table('t').delete(), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'the name of the first of an order by a function and another key',
    source: 'who leads',
    seed: players,
    query: (r) =>
      r
        .table('t')
        .orderBy(
          r.desc((row) => row('score').div(10).floor()),
          'name',
        )
        .nth(0)('name'),
    initial: initially('Ann'),
    steps: [
      { write: (r) => r.table('t').get(3).update({ score: 58 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ name: 'Eve' }), expect: steps('Ann', 'Cid') },
      { write: (r) => r.table('t').get(3).delete(), expect: steps('Cid', 'Eve') },
      { write: (r) => r.table('t').delete(), expect: 'law' },
    ],
    without: STRING,
  },
  {
    name: 'the last row of an order without an index, and the error of a place where there is none',
    source: 'nth from the end; RethinkDB 2.4.4: Index out of bounds',
    seed: players,
    query: (r) =>
      r.expr([
        r.table('t').orderBy('score').nth(-1)('id').default('none'),
        r
          .table('t')
          .orderBy('score')
          .nth(4)('id')
          .default((message) => message),
      ]),
    initial: initially([1, 'Index out of bounds: 4']),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 5, score: 60 }),
        expect: steps([1, 'Index out of bounds: 4'], [5, 5]),
      },
      { write: (r) => r.table('t').get(1).delete(), expect: steps([5, 5], [5, 'Index out of bounds: 4']) },
    ],
    without: ARRAY,
  },
  {
    name: 'rows that are equal in an order are in the order of their primary keys',
    source: 'the one-shot query gives them in any order: README says so',
    seed: {
      t: [
        { id: 3, n: 1 },
        { id: 1, n: 1 },
        { id: 2, n: 1 },
      ],
    },
    query: (r) => r.table('t').orderBy('n').limit(2)('id').coerceTo('array'),
    // The one-shot query may give others.
    after: (feed) => feed,
    initial: initially([1, 2]),
    steps: [
      { write: (r) => r.table('t').insert({ id: 0, n: 1 }), expect: steps([1, 2], [0, 1]) },
      { write: (r) => r.table('t').get(1).update({ n: 2 }), expect: steps([0, 1], [0, 2]) },
    ],
    without: ARRAY,
  },
  {
    name: 'a row without the field comes before all others, and null before numbers',
    source: 'RethinkDB 2.4.4: sort.cc',
    seed: { t: [{ id: 1, n: 0 }, { id: 2, n: null }, { id: 3 }, { id: 4, n: 'a' }] },
    query: (r) => r.table('t').orderBy('n').limit(2)('id').coerceTo('array'),
    initial: initially([3, 2]),
    steps: [
      { write: (r) => r.table('t').get(3).update({ n: 5 }), expect: steps([3, 2], [2, 1]) },
      { write: (r) => r.table('t').insert({ id: 5, n: false }), expect: steps([2, 1], [5, 2]) },
      { write: (r) => r.table('t').get(4).replace({ id: 4 }), expect: steps([5, 2], [4, 5]) },
    ],
    without: ARRAY,
  },
  {
    name: 'a part with open and closed ends, and all but the first',
    source: 'slice and skip without an index',
    seed: players,
    query: (r) =>
      r.expr({
        part: r
          .table('t')
          .orderBy('score')
          .slice(0, 2, { leftBound: 'open', rightBound: 'closed' })('id')
          .coerceTo('array'),
        rest: r.table('t').orderBy('score').skip(3).sum('score'),
        closed: r.table('t').orderBy('score').slice(2, -1, { rightBound: 'closed' }).count(),
      }),
    initial: initially({ part: [2, 3], rest: 50, closed: 2 }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 5, score: 35 }),
        expect: steps({ part: [2, 3], rest: 50, closed: 2 }, { part: [2, 5], rest: 90, closed: 3 }),
      },
      {
        write: (r) => r.table('t').get(4).delete(),
        expect: steps({ part: [2, 5], rest: 90, closed: 3 }, { part: [5, 3], rest: 50, closed: 2 }),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'places from the end of a list that is ordered without an index',
    source: 'RethinkDB 2.4.4 counts from the end of lists alone',
    seed: players,
    query: (r) => r.table('t').pluck('id', 'score').orderBy('score').slice(-3, -1)('id').coerceTo('array'),
    initial: initially([2, 3]),
    steps: [
      { write: (r) => r.table('t').insert({ id: 5, score: 10 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 6, score: 100 }), expect: steps([2, 3], [3, 1]) },
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: steps([3, 1], [4, 3]) },
    ],
    without: ARRAY,
  },
  {
    name: 'a place from the end of rows of a table is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4',
    seed: players,
    query: (r) => r.table('t').orderBy('score').nth(-2)('id'),
    refused: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
    without: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
  },
  {
    name: 'a place from the end of a part of a part of an index is refused as RethinkDB does',
    source: 'RethinkDB 2.4.4: a part of a selection is a selection',
    seed: players,
    query: (r) => r.table('t').orderBy({ index: 'id' }).limit(3).skip(1).nth(-2)('id'),
    refused: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
    without: error('QUERY_LOGIC', 'Cannot use an index < -1 (-2) on a stream.'),
  },
  {
    name: 'a place that is no whole number is refused as RethinkDB does',
    source: 'RethinkDB 2.4.4',
    seed: players,
    query: (r) => r.table('t').orderBy('score').limit(1.5),
    refused: error('QUERY_LOGIC', 'Number not an integer: 1.5'),
    without: error('QUERY_LOGIC', 'Number not an integer: 1.5'),
  },
  {
    name: 'so is one that 32 bits do not hold, but for `skip` and `slice`',
    source: 'RethinkDB 2.4.4',
    seed: players,
    query: (r) => r.table('t').orderBy('score').skip(3_000_000_000).nth(3_000_000_000),
    refused: error('QUERY_LOGIC', 'Integer too large: 3000000000'),
    without: error('QUERY_LOGIC', 'Integer too large: 3000000000'),
  },
  {
    name: 'one row of a table by its place in an order is watched by RethinkDB, as the row that it was',
    source: 'RethinkDB 2.4.4: nth of a selection is a row by its key',
    seed: players,
    query: (r) => r.table('t').orderBy('score').limit(3).nth(0),
    initial: initially(dee),
    steps: [
      {
        write: (r) => r.table('t').get(4).update({ score: 70 }),
        expect: [{ old_val: dee, new_val: { ...dee, score: 70 } }],
      },
    ],
    after: (feed) => feed,
  },
  {
    name: 'the first of each group, as lists, as rows and by a value',
    source: 'the latest message of each room',
    seed: players,
    query: (r) => r.table('t').group('team').orderBy(r.desc('score')).limit(1)('name'),
    shows: 'groups',
    initial: bag({ group: 'blue', new_val: ['Bob'] }, { group: 'red', new_val: ['Ann'] }),
    steps: [
      {
        write: (r) => r.table('t').get(4).update({ score: 45 }),
        expect: [{ group: 'blue', old_val: ['Bob'], new_val: ['Dee'] }],
      },
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
      { write: (r) => r.table('t').get(4).delete(), expect: [{ group: 'blue', old_val: ['Dee'], new_val: null }] },
    ],
    without: ARRAY,
  },
  {
    name: 'the last of each group by its place',
    source: 'nth for each group',
    seed: players,
    query: (r) => r.table('t').group('team').orderBy('score').nth(-1)('id'),
    shows: 'groups',
    initial: bag({ group: 'blue', new_val: 2 }, { group: 'red', new_val: 1 }),
    steps: [
      { write: (r) => r.table('t').get(3).update({ score: 90 }), expect: [{ group: 'red', old_val: 1, new_val: 3 }] },
      {
        write: (r) => r.table('t').get(3).update({ team: 'blue' }),
        expect: bag({ group: 'red', old_val: 3, new_val: 1 }, { group: 'blue', old_val: 2, new_val: 3 }),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'an order by a function that fails for a row ends the feed, naming the row',
    source: 'bad input: the one-shot query fails too',
    seed: players,
    query: (r) =>
      r
        .table('t')
        .orderBy((row) => row('score').add(1))
        .limit(1)('id')
        .coerceTo('array'),
    initial: initially([4]),
    steps: [
      { write: (r) => r.table('t').get(4).update({ score: 5 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 9, score: 'many' }), expect: [] },
    ],
    ends: error('QUERY_LOGIC', /^Expected type STRING but found NUMBER|^Expected type NUMBER but found STRING/),
    after: (feed) => feed,
    without: ARRAY,
  },
  {
    name: 'an order by what names no field is left to the server, which refuses it',
    source: 'bad input',
    seed: players,
    query: (r) => r.table('t').orderBy(1).limit(2).count(),
    refused: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
    without: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
  },
  {
    name: 'the rest of an order by an index, which RethinkDB does not watch',
    source: 'CASES N9: what reaches to the end of an order',
    seed: { t: [{ id: 1, n: 3 }, { id: 2, n: 1 }, { id: 3 }, { id: 4, n: 2 }] },
    query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1)('id').coerceTo('array'),
    initial: initially([4, 1]),
    steps: [
      { write: (r) => r.table('t').get(3).update({ n: 0 }), expect: steps([4, 1], [2, 4, 1]) },
      { write: (r) => r.table('t').get(1).replace({ id: 1 }), expect: steps([2, 4, 1], [2, 4]) },
    ],
    without: ARRAY,
  },
  {
    name: 'rows of a page by an index, without the first',
    source: 'the second page',
    seed: {
      t: [
        { id: 1, n: 3 },
        { id: 2, n: 1 },
        { id: 4, n: 2 },
      ],
    },
    query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1).limit(1),
    shows: 'rows',
    initial: [{ new_val: { id: 4, n: 2 } }],
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 5, n: 0 }),
        expect: [{ old_val: { id: 4, n: 2 }, new_val: { id: 2, n: 1 } }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'types of a list: initial, add, change and remove',
    source: 'RethinkDB 2.4.4: the types of a limit feed',
    seed: { t: [{ id: 1, n: 3 }] },
    query: (r) => r.table('t').orderBy('n').limit(2),
    changes: { includeInitial: true, includeStates: true, includeTypes: true },
    after: (feed) => feed,
    initial: [
      { state: 'initializing', type: 'state' },
      { new_val: { id: 1, n: 3 }, type: 'initial' },
      { state: 'ready', type: 'state' },
    ],
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 2, n: 4 }),
        expect: [{ old_val: null, new_val: { id: 2, n: 4 }, type: 'add' }],
      },
      {
        write: (r) => r.table('t').insert({ id: 3, n: 1 }),
        expect: [{ old_val: { id: 2, n: 4 }, new_val: { id: 3, n: 1 }, type: 'change' }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'the least of an order by the rows themselves, whatever their primary keys are',
    source: 'an order whose last key is the row',
    seed: {
      t: [
        { id: 1, a: 3 },
        { id: 2, a: 1 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .orderBy((row) => row)
        .limit(1),
    shows: 'rows',
    initial: bag({ new_val: { id: 2, a: 1 } }),
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ a: 0 }),
        expect: [{ old_val: { id: 2, a: 1 }, new_val: { id: 1, a: 0 } }],
      },
    ],
    without: ARRAY,
  },
];
