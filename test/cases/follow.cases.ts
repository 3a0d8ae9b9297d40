// Figures for keys that are written out, and queries whose selection follows a row: they are read anew when it changes.

import { bag, error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT } from './upstream.ts';

const votes = {
  t: [
    { id: 1, k: 'a', n: 1 },
    { id: 2, k: 'a', n: 2 },
    { id: 3, k: 'b', n: 3 },
    { id: 4, k: 'c', n: 4 },
  ],
  u: [{ id: 'me', least: 2, top: 'a', page: 1 }],
};

export const followCases: readonly FeedCase[] = [
  {
    name: 'a figure for each of some keys that are written out',
    source: 'a badge for each of the tabs that a page shows',
    seed: votes,
    query: (r) => r.expr(['a', 'b', 'z', 'a']).map((k) => r.table('t').getAll(k, { index: 'k' }).count()),
    initial: initially([2, 1, 0, 2]),
    steps: [
      { write: (r) => r.table('t').get(1).update({ k: 'z' }), expect: steps([2, 1, 0, 2], [1, 1, 1, 1]) },
      { write: (r) => r.table('t').get(4).update({ n: 9 }), expect: [] },
      { write: (r) => r.table('t').get(3).delete(), expect: steps([1, 1, 1, 1], [1, 0, 1, 1]) },
    ],
    without: ARRAY,
  },
  {
    name: 'objects of figures for keys, by a filter, and a sum over them',
    source: 'figures for a list of keys',
    seed: votes,
    query: (r) =>
      r.expr(['a', 'b']).map((k) => ({ k, sum: r.table('t').filter({ k }).sum('n'), all: r.table('t').count() })),
    initial: initially([
      { k: 'a', sum: 3, all: 4 },
      { k: 'b', sum: 3, all: 4 },
    ]),
    steps: [
      {
        write: (r) => r.table('t').get(4).update({ k: 'b' }),
        expect: steps(
          [
            { k: 'a', sum: 3, all: 4 },
            { k: 'b', sum: 3, all: 4 },
          ],
          [
            { k: 'a', sum: 3, all: 4 },
            { k: 'b', sum: 7, all: 4 },
          ],
        ),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'a filter that follows a row: what it selects is read anew when the row changes, and shown as one change',
    source: 'posts above the mark that a user has set',
    seed: votes,
    query: (r) =>
      r
        .table('u')
        .get('me')
        .do((me) =>
          r
            .table('t')
            .filter((row) => row('n').gt(me('least')))
            .count(),
        ),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').insert({ id: 5, n: 5 }), expect: steps(2, 3) },
      { write: (r) => r.table('u').get('me').update({ least: 4 }), expect: steps(3, 1) },
      { write: (r) => r.table('t').insert({ id: 6, n: 3 }), expect: [] },
      { write: (r) => r.table('t').insert({ id: 7, n: 7 }), expect: steps(1, 2) },
      { write: (r) => r.table('u').get('me').update({ name: 'Me' }), expect: [] },
      { write: (r) => r.table('u').get('me').update({ least: 0 }), expect: steps(2, 7) },
    ],
    without: NUMBER,
  },
  {
    name: 'a key that follows a row, which is not there, and comes',
    source: 'comments of the top post of a user; a key that is null or missing',
    seed: { t: votes.t },
    query: (r) =>
      r.expr({
        count: r.table('t').getAll(r.table('u').get('me')('top'), { index: 'k' }).count().default('none'),
        all: r.table('t').count(),
      }),
    initial: initially({ count: 'none', all: 4 }),
    steps: [
      {
        write: (r) => r.table('u').insert({ id: 'me', top: 'a' }),
        expect: steps({ count: 'none', all: 4 }, { count: 2, all: 4 }),
      },
      {
        write: (r) => r.table('t').insert({ id: 5, k: 'a' }),
        expect: steps({ count: 2, all: 4 }, { count: 3, all: 5 }),
      },
      {
        write: (r) => r.table('u').get('me').update({ top: null }),
        expect: steps({ count: 3, all: 5 }, { count: 'none', all: 5 }),
      },
      {
        write: (r) => r.table('t').get(5).delete(),
        expect: steps({ count: 'none', all: 5 }, { count: 'none', all: 4 }),
      },
      {
        write: (r) => r.table('u').get('me').update({ top: 'b' }),
        expect: steps({ count: 'none', all: 4 }, { count: 1, all: 4 }),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'the whole value is none while the row that it follows is not there',
    source: 'NON_EXISTENCE shows as null',
    seed: { t: votes.t },
    query: (r) => r.table('t').getAll(r.table('u').get('me')('top'), { index: 'k' }).sum('n'),
    initial: initially(null),
    steps: [
      { write: (r) => r.table('u').insert({ id: 'me', top: 'a' }), expect: steps(null, 3) },
      { write: (r) => r.table('u').get('me').delete(), expect: steps(3, null) },
    ],
    without: error('NON_EXISTENCE', /^(Cannot perform bracket on a non-object non-sequence `null`|No attribute)/),
  },
  {
    name: 'groups of what follows a row: those that differ are told',
    source: 'read anew beside, net change',
    seed: votes,
    query: (r) =>
      r
        .table('u')
        .get('me')
        .do((me) =>
          r
            .table('t')
            .filter((row) => row('n').ge(me('least')))
            .group('k')
            .count(),
        ),
    shows: 'groups',
    initial: bag({ group: 'a', new_val: 1 }, { group: 'b', new_val: 1 }, { group: 'c', new_val: 1 }),
    steps: [
      {
        write: (r) => r.table('u').get('me').update({ least: 1 }),
        expect: [{ group: 'a', old_val: 1, new_val: 2 }],
      },
      {
        write: (r) => r.table('u').get('me').update({ least: 4 }),
        expect: bag({ group: 'a', old_val: 2, new_val: null }, { group: 'b', old_val: 1, new_val: null }),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'rows of a page that a row tells',
    source: 'a limit that is not written out, and follows a row',
    seed: votes,
    query: (r) => r.table('t').orderBy('n').limit(r.table('u').get('me')('page')),
    shows: 'rows',
    initial: [{ new_val: votes.t[0] }],
    steps: [
      {
        write: (r) => r.table('u').get('me').update({ page: 2 }),
        expect: [{ old_val: null, new_val: votes.t[1] }],
      },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: votes.t[0], new_val: votes.t[2] }] },
      {
        write: (r) => r.table('u').get('me').delete(),
        expect: bag({ old_val: votes.t[1], new_val: null }, { old_val: votes.t[2], new_val: null }),
      },
    ],
    after: (feed) => feed,
    without: ARRAY,
  },
  {
    name: 'a row that follows a row, and what follows that',
    source: 'keys of keys',
    seed: {
      t: votes.t,
      u: [
        { id: 'me', friend: 'you' },
        { id: 'you', top: 'b' },
        { id: 'them', top: 'a' },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .getAll(r.table('u').get(r.table('u').get('me')('friend'))('top'), { index: 'k' })
        .sum('n'),
    initial: initially(3),
    steps: [
      { write: (r) => r.table('t').get(3).update({ n: 5 }), expect: steps(3, 5) },
      { write: (r) => r.table('u').get('me').update({ friend: 'them' }), expect: steps(5, 3) },
      { write: (r) => r.table('u').get('you').update({ top: 'c' }), expect: [] },
      { write: (r) => r.table('u').get('them').update({ top: 'c' }), expect: steps(3, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'a row of the wrong type ends what follows it',
    source: 'bad input: the one-shot query fails too',
    seed: votes,
    query: (r) =>
      r
        .table('u')
        .get('me')
        .do((me) =>
          r
            .table('t')
            .filter((row) => row('n').gt(me('least').add(1)))
            .count(),
        ),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('u').get('me').update({ least: 0 }), expect: steps(1, 3) },
      { write: (r) => r.table('u').get('me').update({ least: 'many' }), expect: [] },
    ],
    ends: error('QUERY_LOGIC', 'Expected type STRING but found NUMBER.'),
    after: (feed) => feed,
    without: NUMBER,
  },
  {
    name: 'a row with the rows that belong to it, by a merge with a function',
    source: 'the page of one post with its comments, as RethinkDB shows it for `get` and `merge`',
    seed: votes,
    query: (r) =>
      r
        .table('u')
        .get('me')
        .merge((me) => ({
          all: r.table('t').getAll(me('top'), { index: 'k' }).count(),
          ids: r
            .table('t')
            .filter({ k: me('top') })('id')
            .orderBy((id: Reql) => id),
        })),
    initial: initially({ id: 'me', least: 2, top: 'a', page: 1, all: 2, ids: [1, 2] }),
    steps: [
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: steps(
          { id: 'me', least: 2, top: 'a', page: 1, all: 2, ids: [1, 2] },
          { id: 'me', least: 2, top: 'a', page: 1, all: 1, ids: [2] },
        ),
      },
      { write: (r) => r.table('u').get('me').replace({ id: 'me', top: 'c' }), expect: 'law' },
      { write: (r) => r.table('t').get(3).update({ k: 'c' }), expect: 'law' },
      { write: (r) => r.table('u').get('me').delete(), expect: 'law' },
    ],
    without: OBJECT,
  },
  {
    name: 'several merges onto a row, each of which reads what those before have made, and a default',
    source: 'neighbour: merge with r.row, and with an object before',
    seed: votes,
    query: (r) =>
      r
        .table('u')
        .get('you')
        .default({ id: 'nobody', top: 'b' })
        .merge({ more: 'c' }, (me: Reql) => ({
          sum: r.table('t').getAll(me('top'), me('more'), { index: 'k' }).sum('n'),
        }))('sum'),
    initial: initially(7),
    steps: [
      { write: (r) => r.table('t').get(4).update({ n: 5 }), expect: steps(7, 8) },
      { write: (r) => r.table('u').insert({ id: 'you', top: 'a' }), expect: [] },
      { write: (r) => r.table('t').get(1).update({ n: 11 }), expect: 'law' },
    ],
    without: NUMBER,
  },
  {
    name: 'as many keys as the list of a row has',
    source: 'rethinkdb/docs: getAll(r.args(...)) with the friends of a user',
    seed: { t: votes.t, u: [{ id: 'me', friends: [1, 3] }] },
    query: (r) =>
      r
        .table('t')
        .getAll(r.args(r.table('u').get('me')('friends')))
        .sum('n'),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').get(3).update({ n: 5 }), expect: steps(4, 6) },
      {
        write: (r) =>
          r
            .table('u')
            .get('me')
            .update({ friends: [4, 4, 1] }),
        expect: steps(6, 9),
      },
      { write: (r) => r.table('u').get('me').update({ friends: [] }), expect: steps(9, 0) },
      {
        write: (r) =>
          r
            .table('u')
            .get('me')
            .update({ friends: [null, 2] }),
        expect: steps(0, null),
      },
      {
        write: (r) =>
          r
            .table('u')
            .get('me')
            .update({ friends: [2] }),
        expect: steps(null, 2),
      },
      { write: (r) => r.table('u').get('me').delete(), expect: steps(2, null) },
    ],
    without: NUMBER,
  },
  {
    name: 'the best of an order of keys of an index, of which a row has a list',
    source: 'neighbour: an index, and a key beside the list',
    seed: { t: votes.t, u: [{ id: 'me', follows: ['b'] }] },
    query: (r) =>
      r
        .table('t')
        .getAll('c', r.args(r.table('u').get('me')('follows')), { index: 'k' })
        .orderBy(r.desc('n'))
        .limit(2)('id'),
    shows: 'rows',
    initial: bag({ new_val: 4 }, { new_val: 3 }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 5, k: 'a', n: 9 }), expect: [] },
      {
        write: (r) =>
          r
            .table('u')
            .get('me')
            .update({ follows: ['a', 'b'] }),
        expect: 'law',
      },
      { write: (r) => r.table('u').get('me').update({ follows: [] }), expect: 'law' },
      { write: (r) => r.table('t').get(5).update({ k: 'c' }), expect: 'law' },
    ],
    without: ARRAY,
  },
  {
    name: 'what an object of a filter reads of a row is not there any more, and there again',
    source: 'RethinkDB 2.4.4: an object is evaluated once, whatever it says',
    seed: votes,
    query: (r) =>
      r
        .table('u')
        .get('me')
        .do((me) =>
          r
            .table('t')
            .filter({ k: me('top') })
            .count(),
        ),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('u').get('me').delete(), expect: steps(2, null) },
      { write: (r) => r.table('u').insert({ id: 'me', top: 'b' }), expect: steps(null, 1) },
      { write: (r) => r.table('u').get('me').replace({ id: 'me' }), expect: steps(1, null) },
    ],
    without: NUMBER,
  },
  {
    name: 'the row at the end of an order with what it finds in another table',
    source: 'max and a merge with a function that looks up',
    seed: {
      t: [
        { id: 1, x: 5, n: 7 },
        { id: 2, x: 3, n: 8 },
      ],
      u: [{ id: 7, k: 'Ada' }],
    },
    query: (r) =>
      r
        .table('t')
        .max('x')
        .merge((best: Reql) => ({ by: r.table('u').get(best('n'))('k').default('nobody') }))
        .pluck('id', 'by'),
    initial: initially({ id: 1, by: 'Ada' }),
    steps: [
      {
        write: (r) => r.table('t').get(2).update({ x: 9 }),
        expect: steps({ id: 1, by: 'Ada' }, { id: 2, by: 'nobody' }),
      },
      {
        write: (r) => r.table('u').insert({ id: 8, k: 'Bob' }),
        expect: steps({ id: 2, by: 'nobody' }, { id: 2, by: 'Bob' }),
      },
      { write: (r) => r.table('t').delete(), expect: steps({ id: 2, by: 'Bob' }, null) },
    ],
    without: OBJECT,
  },
  {
    name: 'a figure for each item of the list of a row',
    source: 'a count for each tag of a post',
    seed: { t: votes.t, u: [{ id: 'me', tabs: ['a', 'z'] }] },
    query: (r) =>
      r
        .table('u')
        .get('me')('tabs')
        .map((tab: Reql) => r.table('t').getAll(tab, { index: 'k' }).count()),
    initial: initially([2, 0]),
    steps: [
      { write: (r) => r.table('t').get(3).update({ k: 'z' }), expect: steps([2, 0], [2, 1]) },
      {
        write: (r) =>
          r
            .table('u')
            .get('me')
            .update({ tabs: ['c', 'a', 'a'] }),
        expect: steps([2, 1], [1, 2, 2]),
      },
      {
        write: (r) =>
          r
            .table('u')
            .get('me')
            .update({ tabs: ['c', null] }),
        expect: steps([1, 2, 2], null),
      },
      { write: (r) => r.table('u').get('me').update({ tabs: [] }), expect: steps(null, []) },
      { write: (r) => r.table('u').get('me').delete(), expect: steps([], null) },
    ],
    without: ARRAY,
  },
];
