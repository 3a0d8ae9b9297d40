// Groups, with and without ungroup.

import { bag } from '../support/checks/matchers.ts';
import { type FeedCase, steps } from './case.ts';
import { ARRAY, BOOL, NUMBER } from './upstream.ts';

const tagged = {
  t: [
    { id: 1, tags: ['a', 'b', 'b'] },
    { id: 2, tags: ['b'] },
    { id: 3, tags: [] },
  ],
};
const keyed = {
  t: [
    { id: 1, k: 'x', n: 1 },
    { id: 2, k: 'x', n: 2 },
    { id: 3, k: 'y', n: 4 },
  ],
};
const change = (group: unknown, old_val: unknown, new_val: unknown): unknown => ({ group, old_val, new_val });
const first = (group: unknown, new_val: unknown): unknown => ({ group, new_val });

export const groupCases: readonly FeedCase[] = [
  {
    name: 'multi: an empty array groups under null, a double entry counts twice',
    source: 'CASES A6, rethinkdb/rethinkdb#5268, neumino/rethinkdbdash#100',
    seed: tagged,
    query: (r) => r.table('t').group('tags', { multi: true }).count(),
    shows: 'groups',
    initial: bag(first('a', 1), first('b', 3), first(null, 1)),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ tags: ['a', 'c'] }),
        expect: bag(change('a', 1, 2), change('b', 3, 2), change('c', null, 1)),
      },
      { write: (r) => r.table('t').get(3).delete(), expect: [change(null, 1, null)] },
    ],
    without: NUMBER,
  },
  {
    name: 'a do over groups is done for each group, and may read its value twice',
    source: 'somebody who divides one sum of a group by another',
    seed: keyed,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .map((row) => [row('n'), 1])
        .reduce((a, b) => [a(0).add(b(0)), a(1).add(b(1))])
        .do((sums) => sums(0).div(sums(1))),
    shows: 'groups',
    initial: bag(first('x', 1.5), first('y', 4)),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [change('x', 1.5, 2)] }],
    without: NUMBER,
  },
  {
    name: 'in a do the elements of a group are an array, whose sum is there without anything to add',
    source: 'RethinkDB 2.4.4: groups to which no row contributes are left out, arrays are not',
    seed: keyed,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .do((rows) => rows.sum('n')),
    shows: 'groups',
    initial: bag(first('x', 3), first('y', 4)),
    steps: [
      { write: (r) => r.table('t').get(3).update({ n: null }), expect: [change('y', 4, 0)] },
      { write: (r) => r.table('t').get(3).delete(), expect: [change('y', 0, null)] },
    ],
    without: NUMBER,
  },
  {
    name: 'multi is on for whatever is not false or null',
    source: 'RethinkDB 2.4.4: datum_t::as_bool',
    seed: tagged,
    query: (r) => r.table('t').group('tags', { multi: 1 }).count(),
    shows: 'groups',
    initial: bag(first('a', 1), first('b', 3), first(null, 1)),
    steps: [{ write: (r) => r.table('t').get(3).delete(), expect: [change(null, 1, null)] }],
    without: NUMBER,
  },
  {
    name: 'moving between groups: one falls, one rises, nothing else',
    source: 'CASES G7, confluentinc/ksql#6616',
    seed: keyed,
    query: (r) => r.table('t').group('k').count(),
    shows: 'groups',
    initial: bag(first('x', 2), first('y', 1)),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'y' }), expect: bag(change('x', 2, 1), change('y', 1, 2)) },
      { write: (r) => r.table('t').get(1).update({ n: 9 }), expect: [] },
      { write: (r) => r.table('t').get(2).update({ k: 'y' }), expect: bag(change('x', 1, null), change('y', 2, 3)) },
      { write: (r) => r.table('t').insert({ id: 4, k: 'x' }), expect: [change('x', null, 1)] },
    ],
    without: NUMBER,
  },
  {
    name: 'six groups that JavaScript would confuse',
    source: "DESIGN 5: null, '', 0, '0', false, [0] are six groups",
    seed: {
      t: [
        { id: 1, k: null },
        { id: 2, k: '' },
        { id: 3, k: 0 },
        { id: 4, k: '0' },
        { id: 5, k: false },
        { id: 6, k: [0] },
        { id: 7 },
      ],
    },
    query: (r) => r.table('t').group('k').count(),
    shows: 'groups',
    initial: bag(first(null, 2), first('', 1), first(0, 1), first('0', 1), first(false, 1), first([0], 1)),
    steps: [
      { write: (r) => r.table('t').insert({ id: 8, k: -0 }), expect: [change(0, 1, 2)] },
      { write: (r) => r.table('t').get(7).update({ k: '' }), expect: bag(change(null, 2, 1), change('', 1, 2)) },
    ],
    without: NUMBER,
  },
  {
    name: 'group and sum: a group to which no row contributes is not there',
    source: 'DESIGN 5',
    seed: keyed,
    query: (r) => r.table('t').group('k').sum('n'),
    shows: 'groups',
    initial: bag(first('x', 3), first('y', 4)),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, k: 'z' }), expect: 'law' },
      { write: (r) => r.table('t').get(3).update({ n: 0 }), expect: [change('y', 4, 0)] },
      { write: (r) => r.table('t').get(1).delete(), expect: [change('x', 3, 2)] },
      { write: (r) => r.table('t').get(3).delete(), expect: [change('y', 0, null)] },
    ],
    without: NUMBER,
  },
  {
    name: 'group and avg, ungrouped: rows of group and reduction',
    source: 'DESIGN 4',
    seed: keyed,
    query: (r) => r.table('t').group('k').avg('n').ungroup(),
    shows: 'rows',
    initial: bag({ new_val: { group: 'x', reduction: 1.5 } }, { new_val: { group: 'y', reduction: 4 } }),
    steps: [
      {
        write: (r) => r.table('t').get(2).update({ n: 3 }),
        expect: [{ old_val: { group: 'x', reduction: 1.5 }, new_val: { group: 'x', reduction: 2 } }],
      },
      {
        write: (r) => r.table('t').get(3).update({ n: null }),
        expect: [{ old_val: { group: 'y', reduction: 4 }, new_val: null }],
      },
      {
        write: (r) => r.table('t').insert({ id: 4, k: 'z', n: 1 }),
        expect: [{ old_val: null, new_val: { group: 'z', reduction: 1 } }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'group by several fields and a function',
    source: 'issue 4: one or several fields, functions',
    seed: {
      t: [
        { id: 1, k: 'a', n: 1 },
        { id: 2, k: 'a', n: 2 },
        { id: 3, k: 'b', n: 3 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .group('k', (row) => row('n').mod(2))
        .count(),
    shows: 'groups',
    initial: bag(first(['a', 1], 1), first(['a', 0], 1), first(['b', 1], 1)),
    steps: [
      {
        write: (r) => r.table('t').get(2).update({ n: 5 }),
        expect: bag(change(['a', 0], 1, null), change(['a', 1], 1, 2)),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'group by an index',
    source: 'issue 4: {index} when the index is a plain field',
    seed: keyed,
    query: (r) => r.table('t').group({ index: 'k' }).max('n')('n'),
    shows: 'groups',
    initial: bag(first('x', 2), first('y', 4)),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, n: 100 }), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: [change('x', 2, 1)] },
    ],
    without: NUMBER,
  },
  {
    name: 'group by a multi index',
    source: 'issue 4: groups',
    seed: tagged,
    query: (r) => r.table('t').group({ index: 'tags' }).count(),
    shows: 'groups',
    initial: 'law',
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(3)
            .update({ tags: ['z'] }),
        expect: [change('z', null, 1)],
      },
      { write: (r) => r.table('t').get(2).delete(), expect: 'law' },
      { write: (r) => r.table('t').get(3).delete(), expect: [change('z', 1, null)] },
    ],
    without: NUMBER,
  },
  {
    name: 'multi: a value of an index that is an array is a group for each of its items, an empty one the group null',
    source: 'a breaker: neighbours of CASES A6, multi groups by an index',
    seed: {
      t: [
        { id: 1, k: 'a', n: 1, tags: [['p'], 'p'] },
        { id: 2, k: 'b', n: 2, tags: ['p', [], [['q']]] },
      ],
    },
    query: (r) => r.table('t').group({ index: 'tags', multi: true }).count(),
    shows: 'groups',
    initial: bag({ group: 'p', new_val: 3 }, { group: null, new_val: 1 }, { group: ['q'], new_val: 1 }),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(2)
            .update({ tags: ['p', ['p', 'z']] }),
        expect: bag(
          change('p', 3, 4),
          change('z', null, 1),
          { group: null, old_val: 1, new_val: null },
          change(['q'], 1, null),
        ),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'multi: the parts of a compound index are groups by themselves',
    source: 'a breaker: neighbours of CASES A6, multi groups by an index',
    seed: keyed,
    query: (r) => r.table('t').group({ index: 'kn', multi: true }).count(),
    shows: 'groups',
    initial: 'law',
    steps: [{ write: (r) => r.table('t').get(1).update({ k: 'z' }), expect: 'law' }],
    without: NUMBER,
  },
  {
    name: 'terms between group and the aggregate work in each group',
    source: 'issue 4: per-element terms between group and the aggregate',
    seed: keyed,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .filter((row) => row('n').gt(1))
        .map((row) => row('n').mul(10))
        .sum(),
    shows: 'groups',
    initial: 'law',
    steps: [
      { write: (r) => r.table('t').get(2).update({ n: 5 }), expect: [change('x', 20, 50)] },
      { write: (r) => r.table('t').get(3).update({ n: 1 }), expect: 'law' },
      { write: (r) => r.table('t').get(2).update({ n: 6 }), expect: [change('x', 50, 60)] },
    ],
    without: NUMBER,
  },
  {
    name: 'arithmetic on each group',
    source: 'DESIGN 3: expressions over grouped results',
    seed: keyed,
    query: (r) => r.table('t').group('k').sum('n').mul(2).add(1),
    shows: 'groups',
    initial: bag(first('x', 7), first('y', 9)),
    steps: [{ write: (r) => r.table('t').get(3).update({ n: 5 }), expect: [change('y', 9, 11)] }],
    without: NUMBER,
  },
  {
    name: 'distinct values in each group',
    source: 'a user who counts visitors by page',
    seed: {
      t: [
        { id: 1, k: 'p', n: 1 },
        { id: 2, k: 'p', n: 1 },
        { id: 3, k: 'q', n: 2 },
      ],
    },
    query: (r) => r.table('t').group('k')('n').distinct().count(),
    shows: 'groups',
    initial: bag(first('p', 1), first('q', 1)),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, k: 'p', n: 2 }), expect: [change('p', 1, 2)] },
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: [change('p', 2, 1)] },
    ],
    without: NUMBER,
  },
  {
    name: 'contains by a predicate in each group',
    source: 'issue 4: group as a combinator over any of them',
    seed: keyed,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .contains((row) => row('n').gt(3)),
    shows: 'groups',
    initial: bag(first('x', false), first('y', true)),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 9 }), expect: [change('x', false, true)] },
      { write: (r) => r.table('t').get(3).delete(), expect: [change('y', true, null)] },
    ],
    without: BOOL,
  },
  {
    name: 'a list in each group',
    source: 'issue 4: group as a combinator over any of them',
    seed: keyed,
    query: (r) => r.table('t').group('k').orderBy(r.desc('n'))('n').coerceTo('array'),
    shows: 'groups',
    initial: bag(first('x', [2, 1]), first('y', [4])),
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, k: 'y', n: 5 }), expect: [change('y', [4], [5, 4])] },
      { write: (r) => r.table('t').get(1).delete(), expect: [change('x', [2, 1], [2])] },
    ],
    without: ARRAY,
  },
  {
    name: 'groups over a union',
    source: 'DESIGN 8: the laws over unions',
    seed: {
      t: [{ id: 1, k: 'a' }],
      u: [
        { id: 1, k: 'a' },
        { id: 2, k: 'b' },
      ],
    },
    query: (r) => r.table('t').union(r.table('u')).group('k').count(),
    shows: 'groups',
    changes: { includeInitial: true, includeStates: true },
    initial: 'law',
    steps: [
      { write: (r) => r.table('u').get(1).update({ k: 'b' }), expect: 'law' },
      { write: (r) => r.table('t').get(1).delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 2, k: 'a' }), expect: [change('a', null, 1)] },
    ],
    without: NUMBER,
  },
  {
    name: 'without initial values a group tells its true old value',
    source: 'CASES B3, rethinkdb/rethinkdb#5799',
    seed: keyed,
    query: (r) => r.table('t').group('k').count(),
    shows: 'groups',
    changes: {},
    after: (feed) => feed,
    steps: [
      { write: (r) => r.table('t').insert({ id: 4, k: 'x' }), expect: [change('x', 2, 3)] },
      { write: (r) => r.table('t').insert({ id: 5, k: 'z' }), expect: [change('z', null, 1)] },
    ],
    without: NUMBER,
  },
  {
    name: 'two equal instants in two time zones are one group',
    source: 'CASES H4, rethinkdb/rethinkdb#5179',
    seed: { t: [{ id: 1 }] },
    query: (r) => r.table('t').hasFields('at').group('at').count().ungroup().count(),
    steps: [
      {
        write: (r) =>
          r.table('t').insert([
            { id: 2, at: r.ISO8601('2020-01-01T00:00:00Z') },
            { id: 3, at: r.ISO8601('2020-01-01T01:00:00+01:00') },
          ]),
        expect: steps(0, 1),
      },
      { write: (r) => r.table('t').get(2).delete(), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: steps(1, 0) },
    ],
    initial: [{ new_val: 0 }],
    without: NUMBER,
  },
];
