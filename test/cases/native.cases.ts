// Feeds that RethinkDB gives by itself are the same through every proxy.

import { bag, error } from '../support/checks/matchers.ts';
import type { FeedCase, RunCase } from './case.ts';

const rows = {
  t: [
    { id: 1, n: 1, k: 'a' },
    { id: 2, n: 2, k: 'b' },
  ],
  u: [{ id: 9 }],
};

export const nativeFeeds: readonly FeedCase[] = [
  {
    name: 'a table',
    source: 'DESIGN 3: untouched',
    seed: rows,
    query: (r) => r.table('t'),
    shows: 'rows',
    initial: bag({ new_val: { id: 1, n: 1, k: 'a' } }, { new_val: { id: 2, n: 2, k: 'b' } }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3 }), expect: [{ old_val: null, new_val: { id: 3 } }] },
      { write: (r) => r.table('t').get(3).delete(), expect: [{ old_val: { id: 3 }, new_val: null }] },
    ],
  },
  {
    name: 'a row by key that is not there',
    source: 'DESIGN 9',
    query: (r) => r.table('t').get(1),
    initial: [{ new_val: null }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 1, n: 1 }), expect: [{ old_val: null, new_val: { id: 1, n: 1 } }] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: { id: 1, n: 1 }, new_val: null }] },
    ],
  },
  {
    name: 'filter and map',
    source: 'DESIGN 3: untouched',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .filter((row) => row('n').gt(1))
        .map((row) => row('n')),
    shows: 'rows',
    initial: [{ new_val: 2 }],
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 5 }), expect: [{ old_val: null, new_val: 5 }] },
      { write: (r) => r.table('t').get(2).update({ n: 0 }), expect: [{ old_val: 2, new_val: null }] },
    ],
  },
  {
    name: 'a row that is null makes no document, at first as later',
    source: 'the server plan: null stands for no element',
    seed: rows,
    query: (r) => r.table('t').map((row) => r.branch(row('n').gt(1), row('n'), null)),
    // The query itself shows the nulls, so that there is no state to compare.
    after: (feed) => feed.filter((change) => change.ne(null)),
    initial: [{ new_val: 2 }],
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 0 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 3, n: 0 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ n: 5 }), expect: [{ old_val: null, new_val: 5 }] },
      { write: (r) => r.table('t').get(2).update({ n: 1 }), expect: [{ old_val: 2, new_val: null }] },
    ],
  },
  {
    name: 'the first rows by an index',
    source: 'DESIGN 3: untouched',
    seed: rows,
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(1),
    shows: 'rows',
    initial: [{ new_val: { id: 1, n: 1, k: 'a' } }],
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ n: 5 }),
        expect: [{ old_val: { id: 1, n: 1, k: 'a' }, new_val: { id: 2, n: 2, k: 'b' } }],
      },
    ],
  },
  {
    name: 'a union with states',
    source: 'DESIGN 9: one initializing and one ready',
    seed: rows,
    query: (r) => r.table('t').union(r.table('u'))('id'),
    changes: { includeStates: true },
    shows: 'rows',
    after: (feed) => feed,
    initial: [{ state: 'ready' }],
    steps: [{ write: (r) => r.table('u').insert({ id: 10 }), expect: [{ old_val: null, new_val: 10 }] }],
  },
  {
    name: 'the configuration of a table',
    source: 'CASES N6, rethinkdb/rethinkdb#3366',
    query: (r) => r.table('t').config(),
    after: (feed) => feed('new_val')('durability'),
    initial: ['hard'],
    steps: [
      { write: (r) => r.table('t').config().update({ durability: 'soft' }), expect: ['soft'] },
      { write: (r) => r.table('t').config().update({ durability: 'hard' }), expect: ['hard'] },
    ],
  },
  {
    name: 'the status of a table',
    source: 'CASES N6, rethinkdb/rethinkdb#3366',
    query: (r) => r.table('t').status(),
    after: (feed) => feed('new_val')('name'),
    initial: ['t'],
  },
  {
    name: 'a row of a system table',
    source: 'CASES N6: what RethinkDB watches by itself',
    query: (r) => r.db('rethinkdb').table('users').get('admin'),
    after: (feed) => feed('new_val')('id'),
    initial: ['admin'],
  },
  {
    name: 'rows that a do gives',
    source: 'CASES N6: RethinkDB watches what its function gives',
    seed: rows,
    query: (r) =>
      r.do('b', 1, (k, least) =>
        r
          .table('t')
          .getAll(k, { index: 'k' })
          .filter((row) => row('n').gt(least)),
      ),
    shows: 'rows',
    initial: [{ new_val: { id: 2, n: 2, k: 'b' } }],
    steps: [
      { write: (r) => r.table('t').get(2).delete(), expect: [{ old_val: { id: 2, n: 2, k: 'b' }, new_val: null }] },
    ],
  },
  {
    name: 'rows that a branch chooses when the feed is opened',
    source: 'CASES N6: RethinkDB watches what is chosen',
    seed: rows,
    query: (r) => r.branch(r.table('u').isEmpty(), r.table('u'), r.table('t').get(1)),
    shows: 'rows',
    initial: [{ new_val: { id: 1, n: 1, k: 'a' } }],
    after: (feed) => feed,
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ n: 5 }),
        expect: [{ old_val: { id: 1, n: 1, k: 'a' }, new_val: { id: 1, n: 5, k: 'a' } }],
      },
    ],
  },
  {
    name: 'the greatest key of a table with a default that cannot be',
    source: 'CASES N6: no default replaces a stream',
    seed: rows,
    query: (r) => r.table('t').default([]).max(),
    shows: 'rows',
    after: (feed) => feed('new_val')('id'),
    initial: [2],
    steps: [{ write: (r) => r.table('t').insert({ id: 3 }), expect: [3] }],
  },
  {
    name: 'the row that is first when the feed is opened, with a default',
    source: 'CASES N6: whether RethinkDB watches it depends on the data',
    seed: { t: [{ id: 1, n: 1 }] },
    query: (r) => r.table('t').nth(0).default({}),
    initial: [{ new_val: { id: 1, n: 1 } }],
    after: (feed) => feed,
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ n: 5 }),
        expect: [{ old_val: { id: 1, n: 1 }, new_val: { id: 1, n: 5 } }],
      },
    ],
  },
];

export const nativeRuns: readonly RunCase[] = [
  {
    name: 'aggregates without changes are run as ever',
    source: 'DESIGN 3: untouched',
    seed: rows,
    run: (r) => r.expr([r.table('t').count(), r.table('t').sum('n'), r.table('t').avg('n')]),
    expect: [2, 3, 1.5],
  },
  {
    name: 'the count of an array cannot be watched',
    source: 'DESIGN 3: so that the answer is the own one of the server',
    run: (r) => r.expr([1]).count().changes(),
    expect: error('QUERY_LOGIC', 'Cannot convert NUMBER to SEQUENCE'),
  },
  {
    name: 'an array cannot be watched',
    source: 'DESIGN 3',
    run: (r) => r.expr([1, 2]).changes(),
    expect: error('QUERY_LOGIC', 'Cannot call `changes` on an eager stream.'),
  },
  {
    name: 'changes cannot be counted',
    source: 'DESIGN 3',
    run: (r) => r.table('t').changes().count(),
    expect: error(
      'QUERY_LOGIC',
      'Cannot call a terminal (`reduce`, `count`, etc.) on an infinite stream (such as a changefeed).',
    ),
  },
  {
    name: 'a write cannot be watched',
    source: 'DESIGN 3',
    seed: rows,
    run: (r) => r.table('t').update({ a: 1 }).changes(),
    expect: error('QUERY_LOGIC', 'Cannot convert OBJECT to SEQUENCE'),
  },
  {
    name: 'an option that is none is a compile error',
    source: 'CASES B4',
    run: (r) => r.table('t').count().changes({ nope: 1 }),
    expect: error('COMPILE', 'Unrecognized optional argument `nope`.'),
  },
  {
    name: 'offsets of a plain table are refused as ever',
    source: 'CASES B4',
    run: (r) => r.table('t').changes({ includeOffsets: true }),
    expect: error('QUERY_LOGIC', 'Cannot include offsets for range subs.'),
  },
  {
    name: 'a table that is not there',
    source: 'errors carry the kind and text of the server',
    run: (r) => r.table('nowhere').count().changes(),
    expect: error('OP_FAILED', 'Table `cases.nowhere` does not exist.'),
  },
];
