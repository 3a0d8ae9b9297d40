// Groups and rows that are null: they are there, and their documents tell them from what is not.

import { bag, error } from '../support/checks/matchers.ts';
import type { Query } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NULL, NUMBER, OBJECT, STRING } from './upstream.ts';

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
  {
    name: 'N4: a default after a group does not see a group that is null',
    source: SOURCE,
    seed: zeds,
    query: (r) => greatest(r).default('none'),
    shows: 'groups',
    initial: bag(group('a', { new_val: null }), group('b', { new_val: 5 })),
    steps: [
      { write: set(2, null), expect: [group('b', { old_val: 5, new_val: null })] },
      { write: set(1, 1), expect: [group('a', { old_val: null, new_val: 1 })] },
    ],
    without: NULL,
  },
  {
    name: 'N4: a default after a group stands for the whole answer while a group has no value',
    source: SOURCE,
    seed: zeds,
    query: (r) => greatest(r).default('none'),
    changes: { includeInitial: true, includeTypes: true },
    shows: 'groups',
    initial: bag(group('a', { new_val: null, type: 'initial' }), group('b', { new_val: 5, type: 'initial' })),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 3, k: 'c', n: 3 }),
        expect: bag(
          group('a', { old_val: null, type: 'remove' }),
          group('b', { old_val: 5, new_val: null, type: 'remove' }),
          { old_val: null, new_val: 'none', type: 'add' },
        ),
      },
      { write: (r) => r.table('t').insert({ id: 4, k: 'c', n: 2, z: 8 }), expect: [] },
      {
        write: (r) => r.table('t').get(3).delete(),
        expect: bag(
          group('a', { new_val: null, type: 'add' }),
          group('b', { old_val: null, new_val: 5, type: 'add' }),
          group('c', { old_val: null, new_val: 8, type: 'add' }),
          { old_val: 'none', new_val: null, type: 'remove' },
        ),
      },
    ],
    without: NULL,
  },
  {
    name: 'N4: what stands above a default after a group works on the groups, or on what it put in their place',
    source: SOURCE,
    seed: { t: [{ id: 1, k: 'a', n: 1 }] },
    query: (r) => greatest(r).default(10).add(r.table('u').count()),
    shows: 'groups',
    initial: [{ new_val: 10 }],
    steps: [
      { write: (r) => r.table('u').insert({ id: 1 }), expect: steps(10, 11) },
      {
        write: set(1, 2),
        expect: bag(group('a', { old_val: null, new_val: 3 }), { old_val: 11, new_val: null }),
      },
      { write: (r) => r.table('u').insert({ id: 2 }), expect: [group('a', { old_val: 3, new_val: 4 })] },
    ],
    without: NUMBER,
  },
  {
    name: 'N4: a default that is a function gets the error of a group',
    source: SOURCE,
    seed: { t: [{ id: 1, k: 'a', n: 1 }] },
    query: (r) => greatest(r).default((text) => text.split(' ').nth(0)),
    shows: 'groups',
    initial: [{ new_val: 'No' }],
    steps: [{ write: set(1, null), expect: bag(group('a', { new_val: null }), { old_val: 'No', new_val: null }) }],
    without: STRING,
  },
  {
    name: 'N4: while a group has no value there are none, and nothing is known of their rows',
    source: 'RethinkDB 2.4.4: the error of one group is that of all that stands above',
    seed: zeds,
    query: (r) => greatest(r).ungroup().count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3, k: 'c', n: 3 }), expect: steps(2, null) },
      { write: set(3, 1), expect: steps(null, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'N4: ungroup refuses what a default put in the place of groups',
    source: SOURCE,
    seed: zeds,
    query: (r) => greatest(r).default('none').ungroup(),
    changes: {},
    shows: 'rows',
    steps: [{ write: (r) => r.table('t').insert({ id: 3, k: 'c', n: 3 }), expect: [] }],
    ends: error('QUERY_LOGIC', /^Expected type GROUPED_DATA but found DATUM/),
    without: ARRAY,
  },
  {
    name: 'N4: a default before anything is computed of a group is none',
    source: 'RethinkDB 2.4.4: a grouped stream is there, whatever is read from it later',
    seed: zeds,
    query: (r) => r.table('t').group('k').default([]).max('n')('z'),
    shows: 'groups',
    initial: bag(group('a', { new_val: null }), group('b', { new_val: 5 })),
    steps: [{ write: set(1, 1), expect: [group('a', { old_val: null, new_val: 1 })] }],
    without: NULL,
  },
  {
    name: 'N4: groups that do not depend on what is in them',
    source: 'RethinkDB 2.4.4: do is done for each group',
    seed: zeds,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .do((_) => 'there'),
    shows: 'groups',
    initial: bag(group('a', { new_val: 'there' }), group('b', { new_val: 'there' })),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [group('a', { old_val: 'there', new_val: null })] }],
    without: STRING,
  },
  {
    name: 'N4: only the first argument of a do may be groups',
    source: 'RethinkDB 2.4.4: the others are taken as data, and groups are none',
    seed: zeds,
    query: (r) => r.do(1, r.table('t').group('k').count(), (a, b) => b.add(a)),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found GROUPED_DATA/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found GROUPED_DATA/),
  },
  {
    name: 'N4: the type of groups is that of groups, whatever is in them',
    source: 'RethinkDB 2.4.4: typeOf and info are not mapped over groups',
    seed: zeds,
    query: (r) =>
      r.expr({
        data: r.table('t').group('k').count().typeOf(),
        stream: r.table('t').group('k').typeOf(),
        groups: r.table('t').group('k').count().ungroup().count(),
      }),
    initial: initially({ data: 'GROUPED_DATA', stream: 'GROUPED_STREAM', groups: 2 }),
    steps: [
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: steps(
          { data: 'GROUPED_DATA', stream: 'GROUPED_STREAM', groups: 2 },
          { data: 'GROUPED_DATA', stream: 'GROUPED_STREAM', groups: 1 },
        ),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'N4: a reduction of a single null is null',
    source: 'RethinkDB 2.4.4: reduce of one element is that element',
    seed: zeds,
    query: (r) =>
      r
        .table('t')
        .group('k')('z')
        .reduce((a, b) => r.branch(a.eq(null), b, a)),
    shows: 'groups',
    initial: bag(group('a', { new_val: null }), group('b', { new_val: 5 })),
    steps: [{ write: set(2, null), expect: [group('b', { old_val: 5, new_val: null })] }],
    without: NULL,
  },
];
