// Terms after changes: they work on the documents.

import { bag, error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import type { FeedCase } from './case.ts';
import { NUMBER } from './upstream.ts';

const three = {
  t: [
    { id: 1, x: 1, k: 'a' },
    { id: 2, x: 2, k: 'a' },
    { id: 3, x: 3, k: 'b' },
  ],
};

export const afterCases: readonly FeedCase[] = [
  {
    name: 'the new value alone',
    source: 'DESIGN 3: terms after changes',
    seed: three,
    query: (r) => r.table('t').sum('x'),
    after: (feed) => feed('new_val'),
    initial: [6],
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 5 }), expect: [10] },
      { write: (r) => r.table('t').get(3).delete(), expect: [7] },
    ],
    without: NUMBER,
  },
  {
    name: 'changes inside a do over constants, and terms after it',
    source: 'somebody whose query has parameters; RethinkDB 2.4.4 watches tables inside a do',
    seed: three,
    query: (r) => r.table('t').count(),
    after: (_, r) =>
      r
        .do(1, r.expr('b'), (least, k) =>
          r
            .table('t')
            .filter((row) => row('x').gt(least).or(row('k').eq(k)))
            .sum('x')
            .changes({ includeInitial: true }),
        )
        .map((document) => document('new_val')),
    initial: [5],
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'b' }), expect: [6] },
      { write: (r) => r.table('t').get(3).delete(), expect: [3] },
    ],
    without: NUMBER,
  },
  {
    name: 'limit ends the feed',
    source: 'DESIGN 3: terms after changes; CASES F2',
    seed: three,
    query: (r) => r.table('t').count(),
    after: (feed) => feed.limit(2),
    initial: [{ new_val: 3 }],
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: 3, new_val: 2 }] }],
    ends: 'done',
    without: NUMBER,
  },
  {
    name: 'a feed of one document ends with it',
    source: 'CASES F2, rethinkdb/rethinkdb#2337',
    seed: three,
    query: (r) => r.table('t').count(),
    after: (feed) => feed.limit(1),
    initial: [{ new_val: 3 }],
    ends: 'done',
    without: NUMBER,
  },
  {
    name: 'filter on documents',
    source: 'DESIGN 3: terms after changes',
    seed: three,
    query: (r) => r.table('t').sum('x'),
    after: (feed) => feed.filter((change) => change('new_val').gt(10)),
    steps: [
      { write: (r) => r.table('t').get(1).update({ x: 2 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: 20 }), expect: [{ old_val: 7, new_val: 25 }] },
      { write: (r) => r.table('t').get(1).update({ x: 0 }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ x: 30 }), expect: [{ old_val: 5, new_val: 35 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'map, merge and without on documents',
    source: 'DESIGN 3: terms after changes',
    seed: three,
    query: (r) => r.table('t').sum('x'),
    after: (feed) =>
      feed
        .merge((change) => ({ by: change('new_val').sub(change('old_val').default(0)) }))
        .without('old_val')
        .map((change) => [change('by'), change('new_val')]),
    initial: [[6, 6]],
    steps: [{ write: (r) => r.table('t').get(1).update({ x: 5 }), expect: [[4, 10]] }],
    without: NUMBER,
  },
  {
    name: 'pluck, withFields and hasFields on documents',
    source: 'DESIGN 3: terms after changes',
    seed: three,
    query: (r) => r.table('t').count(),
    after: (feed) => feed.withFields('old_val', 'new_val').pluck('old_val'),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: 3 }] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ old_val: 2 }] },
    ],
    without: NUMBER,
  },
  {
    name: 'concatMap and skip on documents',
    source: 'DESIGN 3: terms after changes',
    seed: three,
    query: (r) => r.table('t').count(),
    after: (feed) => feed.skip(1).concatMap((change) => [change('old_val'), change('new_val')]),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [3, 2] },
      { write: (r) => r.table('t').get(2).delete(), expect: [2, 1] },
    ],
    without: NUMBER,
  },
  {
    name: 'terms after changes on groups',
    source: 'DESIGN 3: terms after changes',
    seed: three,
    query: (r) => r.table('t').group('k').count(),
    after: (feed) => feed.filter({ group: 'a' }).map((change) => change('new_val')),
    initial: [2],
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: [] },
      { write: (r) => r.table('t').get(1).delete(), expect: [1] },
    ],
    without: NUMBER,
  },
  {
    name: 'r.row after changes is the document',
    source: 'CASES D1',
    seed: three,
    query: (r) => r.table('t').sum(r.row('x').mul(10)),
    after: (feed, r) => feed.map(r.row('new_val').div(10)),
    initial: [6],
    steps: [{ write: (r) => r.table('t').get(1).update({ x: 0 }), expect: [5] }],
    without: NUMBER,
  },
];

const I = { includeInitial: true };
const united = { t: [{ id: 1, k: 'a' }], u: [{ id: 9 }] };

/** Several feeds in one query. */
export const unitedCases: readonly FeedCase[] = [
  {
    name: 'a feed of RethinkDB and a live one in one',
    source: 'CASES N7, rethinkdb/docs#923, rethinkdb/rethinkdb#4531',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (_, r) => r.table('u').changes(I).union(r.table('t').count().changes(I)),
    initial: bag({ new_val: { id: 9 } }, { new_val: 1 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 2 }), expect: [{ old_val: 1, new_val: 2 }] },
      { write: (r) => r.table('u').get(9).delete(), expect: [{ old_val: { id: 9 }, new_val: null }] },
    ],
    without: NUMBER,
  },
  {
    name: 'a live feed first and one of RethinkDB behind it',
    source: 'CASES N7: the other way round',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (feed, r) => feed.union(r.table('u').changes()),
    initial: [{ new_val: 1 }],
    steps: [
      { write: (r) => r.table('t').insert({ id: 2 }), expect: [{ old_val: 1, new_val: 2 }] },
      { write: (r) => r.table('u').get(9).delete(), expect: [{ old_val: { id: 9 }, new_val: null }] },
    ],
    without: NUMBER,
  },
  {
    name: 'several live feeds in one, each with its own options',
    source: 'CASES N7, neighbours',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (_, r) =>
      r.union(
        r.table('t').count().changes(I),
        r.table('u').count().changes({ includeStates: true }),
        r.table('t').group('k').count().changes(I),
      ),
    initial: bag({ new_val: 1 }, { state: 'ready' }, { group: 'a', new_val: 1 }),
    steps: [
      { write: (r) => r.table('u').insert({ id: 8 }), expect: [{ old_val: 1, new_val: 2 }] },
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: bag({ old_val: 1, new_val: 0 }, { group: 'a', old_val: 1, new_val: null }),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'unions of unions, and terms after them',
    source: 'CASES N7, neighbours',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (_, r) =>
      r
        .table('t')
        .changes()
        .union(r.table('u').changes().union(r.table('u').count().changes()).merge({ of: 'u' }))
        .pluck('new_val', 'of'),
    steps: [
      {
        write: (r) => r.table('u').insert({ id: 8 }),
        expect: bag({ new_val: { id: 8 }, of: 'u' }, { new_val: 2, of: 'u' }),
      },
      { write: (r) => r.table('t').insert({ id: 7 }), expect: [{ new_val: { id: 7 } }] },
    ],
    without: NUMBER,
  },
  {
    name: 'each feed of a union has its states',
    source: 'CASES N7: RethinkDB gives two of each for two feeds',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (_, r) => {
      const IS = { includeInitial: true, includeStates: true };
      return r.table('u').changes(IS).union(r.table('t').count().changes(IS))('state');
    },
    initial: bag('initializing', 'ready', 'initializing', 'ready'),
    without: NUMBER,
  },
  {
    name: 'a table that is united with a live feed is read once',
    source: 'CASES N7, neighbours: rows beside a feed',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (_, r) => r.table('u').union(r.table('t').count().changes(I)),
    initial: bag({ id: 9 }, { new_val: 1 }),
    steps: [{ write: (r) => r.table('t').insert({ id: 2 }), expect: [{ old_val: 1, new_val: 2 }] }],
    without: NUMBER,
  },
  {
    name: 'a map over a list and a live feed',
    source: 'CASES N7: what RethinkDB takes of its own feeds',
    seed: { t: [{ id: 1 }] },
    options: { maxBatchRows: 1 },
    query: (r) => r.table('t').count(),
    after: (feed, r) => r.map([7, 8, 9], feed, (place: Reql, document: Reql) => [place, document('new_val')]),
    initial: [[7, 1]],
    steps: [{ write: (r) => r.table('t').insert({ id: 2 }), expect: [[8, 2]] }],
    without: NUMBER,
  },
  {
    name: 'a live feed in the function of a do that takes nothing',
    source: 'CASES N7: what RethinkDB takes of its own feeds',
    seed: { t: [{ id: 1 }] },
    query: (r) => r.table('t').count(),
    after: (feed, r) => r.expr(1).do(() => feed),
    initial: [{ new_val: 1 }],
    steps: [{ write: (r) => r.table('t').insert({ id: 2 }), expect: [{ old_val: 1, new_val: 2 }] }],
    without: NUMBER,
  },
  {
    name: 'a live feed that a condition chooses which is written out, and terms on it',
    source: 'CASES N7: what RethinkDB takes of its own feeds',
    seed: { t: [{ id: 1 }] },
    query: (r) => r.table('t').count(),
    after: (feed, r) => r.branch(false, r.table('u').changes(), null, r.table('u').changes(), feed)('new_val'),
    initial: [1],
    steps: [{ write: (r) => r.table('t').insert({ id: 2 }), expect: [2] }],
    without: NUMBER,
  },
  {
    name: 'a live feed as an argument of something else is refused by the name of that',
    source: 'CASES N7',
    seed: united,
    query: (r) => r.table('t').count(),
    after: (feed, r) => feed.merge(r.table('u').count().changes()),
    refused: error('QUERY_LOGIC', /`merge`.*Unite the feeds/),
    without: NUMBER,
  },
];
