// Groups and rows that are null: they are there, and their documents tell them from what is not.

import { bag, error } from '../support/matchers.ts';
import type { Query } from '../support/reql.ts';
import type { FeedCase } from './case.ts';
import { ARRAY, NULL } from './upstream.ts';

const zeds = {
  t: [
    { id: 1, k: 'a', n: 1, z: null },
    { id: 2, k: 'b', n: 2, z: 5 },
  ],
};
const IST = { includeInitial: true, includeStates: true, includeTypes: true };
const ready = { state: 'ready' };
const greatest: Query = (r) => r.table('t').group('k').max('n')('z');
const group = (name: string, document: object): unknown => ({ group: name, ...document });
const set = (id: number, z: number | null): Query => {
  return (r) => r.table('t').get(id).update({ z });
};
const SOURCE = 'CASES N4, rethinkdb/rethinkdb#3212';
const CONCAT_MAP = error('QUERY_LOGIC', /^Cannot call `changes` after `concat_map`/);

export const nullCases: readonly FeedCase[] = [
  {
    name: 'N4: a group that is null shows as it comes, and as it goes',
    source: SOURCE,
    seed: zeds,
    query: greatest,
    shows: 'groups',
    initial: bag(group('a', { new_val: null }), group('b', { new_val: 5 })),
    steps: [
      { write: set(2, null), expect: [group('b', { old_val: 5, new_val: null })] },
      { write: set(2, 6), expect: [group('b', { old_val: null, new_val: 6 })] },
      {
        write: (r) => r.table('t').insert({ id: 3, k: 'c', n: 3, z: null }),
        expect: [group('c', { new_val: null })],
      },
      { write: set(3, null), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: [group('c', { old_val: null })] },
      { write: (r) => r.table('t').get(2).delete(), expect: [group('b', { old_val: 6, new_val: null })] },
      { write: set(1, 7), expect: [group('a', { old_val: null, new_val: 7 })] },
    ],
    without: NULL,
  },
  {
    name: 'N4: types tell a group that is null from one that is gone',
    source: SOURCE,
    seed: zeds,
    query: greatest,
    changes: IST,
    shows: 'groups',
    initial: bag(
      { state: 'initializing', type: 'state' },
      group('a', { new_val: null, type: 'initial' }),
      group('b', { new_val: 5, type: 'initial' }),
      { ...ready, type: 'state' },
    ),
    steps: [
      { write: set(2, null), expect: [group('b', { old_val: 5, new_val: null, type: 'change' })] },
      { write: set(2, 6), expect: [group('b', { old_val: null, new_val: 6, type: 'change' })] },
      {
        write: (r) => r.table('t').get(2).delete(),
        expect: [group('b', { old_val: 6, new_val: null, type: 'remove' })],
      },
      { write: (r) => r.table('t').get(1).delete(), expect: [group('a', { old_val: null, type: 'remove' })] },
      {
        write: (r) => r.table('t').insert({ id: 1, k: 'a', n: 1, z: null }),
        expect: [group('a', { new_val: null, type: 'add' })],
      },
      {
        write: (r) => r.table('t').insert({ id: 2, k: 'b', n: 1, z: 1 }),
        expect: [group('b', { old_val: null, new_val: 1, type: 'add' })],
      },
    ],
    without: NULL,
  },
  {
    name: 'N4: rows of groups carry their null',
    source: SOURCE,
    seed: zeds,
    query: (r) => greatest(r).ungroup(),
    shows: 'rows',
    initial: bag({ new_val: { group: 'a', reduction: null } }, { new_val: { group: 'b', reduction: 5 } }),
    steps: [
      {
        write: set(2, null),
        expect: [{ old_val: { group: 'b', reduction: 5 }, new_val: { group: 'b', reduction: null } }],
      },
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: [{ old_val: { group: 'a', reduction: null }, new_val: null }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'N4: a distinct value that is null comes and goes without the other key',
    source: SOURCE,
    seed: zeds,
    query: (r) => r.table('t')('z').distinct(),
    shows: 'rows',
    initial: bag({ new_val: null }, { new_val: 5 }),
    steps: [
      { write: set(2, null), expect: [{ old_val: 5, new_val: null }] },
      { write: set(1, 5), expect: [{ old_val: null, new_val: 5 }] },
      { write: set(2, 5), expect: [{ old_val: null }] },
      { write: set(2, null), expect: [{ new_val: null }] },
    ],
    without: ARRAY,
  },
  {
    name: 'N4: types of rows that are null',
    source: SOURCE,
    seed: zeds,
    query: (r) => r.table('t')('z').distinct(),
    changes: { includeInitial: true, includeTypes: true },
    shows: 'rows',
    initial: bag({ new_val: null, type: 'initial' }, { new_val: 5, type: 'initial' }),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: null, type: 'remove' }] },
      { write: (r) => r.table('t').insert({ id: 1, z: null }), expect: [{ new_val: null, type: 'add' }] },
      {
        write: set(2, 6),
        expect: bag({ old_val: 5, new_val: null, type: 'remove' }, { old_val: null, new_val: 6, type: 'add' }),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'N4: items that are null come and go as often as they are there, and are no side of a change',
    source: SOURCE,
    seed: { t: [{ id: 1, list: [null, null, 1] }] },
    query: (r) => r.table('t').concatMap((row) => row('list')),
    shows: 'rows',
    initial: bag({ new_val: null }, { new_val: null }, { new_val: 1 }),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ list: [null, 1, 2] }),
        expect: bag({ old_val: null }, { old_val: null, new_val: 2 }),
      },
      {
        write: (r) =>
          r
            .table('t')
            .get(1)
            .update({ list: [null, null] }),
        expect: bag({ new_val: null }, { old_val: 1, new_val: null }, { old_val: 2, new_val: null }),
      },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: null }, { old_val: null }] },
    ],
    without: CONCAT_MAP,
  },
  {
    name: 'N4: rows mapped to null',
    source: SOURCE,
    seed: zeds,
    query: (r) => greatest(r).ungroup()('reduction'),
    shows: 'rows',
    initial: bag({ new_val: null }, { new_val: 5 }),
    steps: [
      { write: set(2, null), expect: bag({ new_val: null }, { old_val: 5, new_val: null }) },
      { write: set(1, 3), expect: bag({ old_val: null }, { old_val: null, new_val: 3 }) },
      { write: set(1, 4), expect: [{ old_val: 3, new_val: 4 }] },
    ],
    without: ARRAY,
  },
  {
    name: 'N4: the first rows of an order, null among them',
    source: SOURCE,
    seed: zeds,
    query: (r) =>
      r
        .table('t')('z')
        .distinct()
        .orderBy((z) => z)
        .limit(1),
    shows: 'rows',
    initial: [{ new_val: null }],
    steps: [
      { write: set(1, 6), expect: bag({ old_val: null }, { old_val: null, new_val: 5 }) },
      { write: set(2, null), expect: bag({ new_val: null }, { old_val: 5, new_val: null }) },
    ],
    without: ARRAY,
  },
  {
    name: 'N4: terms after changes see which key is there',
    source: SOURCE,
    seed: zeds,
    query: (r) => r.table('t')('z').distinct(),
    after: (feed) => feed.map((document) => document.keys()),
    shows: 'rows',
    initial: [['new_val'], ['new_val']],
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [['old_val']] },
      { write: (r) => r.table('t').get(2).delete(), expect: [['new_val', 'old_val']] },
      { write: (r) => r.table('t').insert({ id: 1, z: null }), expect: [['new_val']] },
    ],
    without: ARRAY,
  },
];
