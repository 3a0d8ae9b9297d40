// Leaderboards and roll-ups: rows of groups are a stream again.

import { bag } from '../support/checks/matchers.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT, STRING } from './upstream.ts';

const votes = {
  t: [
    { id: 1, k: 'ada', n: 1 },
    { id: 2, k: 'ada', n: 1 },
    { id: 3, k: 'bob', n: 1 },
    { id: 4, k: 'cyd', n: 1 },
    { id: 5, k: 'cyd', n: 1 },
    { id: 6, k: 'cyd', n: 1 },
  ],
};
const row = (group: unknown, reduction: unknown): unknown => ({ group, reduction });

export const rollupCases: readonly FeedCase[] = [
  {
    name: 'a leaderboard: rows come, go and change, each move one document',
    source: 'issue 4: t.group(k).count().ungroup().orderBy(r.desc(reduction)).limit(10)',
    seed: votes,
    query: (r) => r.table('t').group('k').count().ungroup().orderBy(r.desc('reduction')).limit(2),
    shows: 'rows',
    initial: bag({ new_val: row('cyd', 3) }, { new_val: row('ada', 2) }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 7, k: 'ada' }),
        expect: [{ old_val: row('ada', 2), new_val: row('ada', 3) }],
      },
      { write: (r) => r.table('t').insert({ id: 8, k: 'bob' }), expect: [] },
      {
        write: (r) =>
          r.table('t').insert([
            { id: 9, k: 'bob' },
            { id: 10, k: 'bob' },
            { id: 11, k: 'bob' },
          ]),
        expect: 'law',
      },
      { write: (r) => r.table('t').getAll('bob', { index: 'k' }).delete(), expect: 'law' },
      {
        write: (r) => r.table('t').insert({ id: 12, k: 'ada' }),
        expect: [{ old_val: row('ada', 3), new_val: row('ada', 4) }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'a leaderboard as one list',
    source: 'a user who renders the whole board',
    seed: votes,
    query: (r) =>
      r.expr({
        board: r.table('t').group('k').count().ungroup().orderBy(r.desc('reduction')).limit(2).coerceTo('array'),
      }),
    initial: initially({ board: [row('cyd', 3), row('ada', 2)] }),
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: [] },
      {
        write: (r) => r.table('t').insert({ id: 7, k: 'ada' }),
        expect: steps({ board: [row('cyd', 3), row('ada', 2)] }, { board: [row('ada', 3), row('cyd', 3)] }),
      },
    ],
    without: OBJECT,
  },
  {
    name: 'groups that pass a filter',
    source: 'issue 4: .ungroup().filter(f)',
    seed: votes,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .filter((group) => group('reduction').gt(1)),
    shows: 'rows',
    initial: bag({ new_val: row('ada', 2) }, { new_val: row('cyd', 3) }),
    steps: [
      { write: (r) => r.table('t').insert({ id: 7, k: 'bob' }), expect: [{ old_val: null, new_val: row('bob', 2) }] },
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: row('ada', 2), new_val: null }] },
      {
        write: (r) => r.table('t').insert({ id: 8, k: 'bob' }),
        expect: [{ old_val: row('bob', 2), new_val: row('bob', 3) }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'groups under other names',
    source: 'issue 4: .ungroup().map(f)',
    seed: votes,
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .map((group) => ({ name: group('group'), votes: group('reduction') })),
    shows: 'rows',
    initial: 'law',
    steps: [
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: [{ old_val: { name: 'ada', votes: 2 }, new_val: { name: 'ada', votes: 1 } }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'the number of groups of each size',
    source: 'DESIGN 3: two-level roll-ups',
    seed: votes,
    query: (r) => r.table('t').group('k').count().ungroup().group('reduction').count(),
    shows: 'groups',
    initial: bag({ group: 1, new_val: 1 }, { group: 2, new_val: 1 }, { group: 3, new_val: 1 }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 7, k: 'bob' }),
        expect: bag({ group: 1, old_val: 1, new_val: null }, { group: 2, old_val: 1, new_val: 2 }),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'the greatest group',
    source: 'a user who shows who leads',
    seed: votes,
    query: (r) => r.table('t').group('k').count().ungroup().max('reduction')('group'),
    initial: initially('cyd'),
    steps: [
      { write: (r) => r.table('t').insert({ id: 7, k: 'bob' }), expect: [] },
      {
        write: (r) =>
          r.table('t').insert([
            { id: 8, k: 'bob' },
            { id: 9, k: 'bob' },
          ]),
        expect: 'law',
      },
      { write: (r) => r.table('t').getAll('cyd', { index: 'k' }).delete(), expect: 'law' },
      { write: (r) => r.table('t').getAll('bob', { index: 'k' }).delete(), expect: 'law' },
      { write: (r) => r.table('t').delete(), expect: 'law' },
      { write: (r) => r.table('t').insert({ id: 1, k: 'zoe' }), expect: 'law' },
    ],
    without: STRING,
  },
  {
    name: 'the average size of a group',
    source: 'DESIGN 3: aggregates over ungroup()',
    seed: votes,
    query: (r) => r.table('t').group('k').count().ungroup().avg('reduction'),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(3).delete(), expect: steps(2, 2.5) },
      { write: (r) => r.table('t').insert({ id: 7, k: 'dee' }), expect: steps(2.5, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'the number of distinct pairs in each group',
    source: 'issue 4: a count of distinct pairs per group',
    seed: {
      t: [
        { id: 1, k: 'a', n: 1 },
        { id: 2, k: 'a', n: 1 },
        { id: 3, k: 'a', n: 2 },
        { id: 4, k: 'b', n: 1 },
      ],
    },
    query: (r) => r.table('t').pluck('k', 'n').distinct().group('k').count(),
    shows: 'groups',
    initial: bag({ group: 'a', new_val: 2 }, { group: 'b', new_val: 1 }),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [] },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ group: 'a', old_val: 2, new_val: 1 }] },
      { write: (r) => r.table('t').get(4).delete(), expect: [{ group: 'b', old_val: 1, new_val: null }] },
    ],
    without: NUMBER,
  },
  {
    name: 'a survey: the score of each poll from the counts of its answers',
    source: 'issue 4: a survey score',
    seed: {
      t: [
        { id: 1, poll: 'p', score: 10 },
        { id: 2, poll: 'p', score: 0 },
        { id: 3, poll: 'q', score: 10 },
      ],
    },
    query: (r) =>
      r
        .table('t')
        .group('poll', 'score')
        .count()
        .ungroup()
        .map((answer) => ({
          poll: answer('group').nth(0),
          up: r.branch(answer('group').nth(1).ge(9), answer('reduction'), 0),
          down: r.branch(answer('group').nth(1).le(6), answer('reduction'), 0),
        }))
        .group('poll')
        .map((answer) => answer('up').sub(answer('down')))
        .sum(),
    shows: 'groups',
    initial: bag({ group: 'p', new_val: 0 }, { group: 'q', new_val: 1 }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 4, poll: 'p', score: 9 }),
        expect: [{ group: 'p', old_val: 0, new_val: 1 }],
      },
      { write: (r) => r.table('t').insert({ id: 5, poll: 'q', score: 8 }), expect: [] },
      { write: (r) => r.table('t').get(3).update({ score: 1 }), expect: 'law' },
      { write: (r) => r.table('t').get(2).delete(), expect: [{ group: 'p', old_val: 1, new_val: 2 }] },
    ],
    without: NUMBER,
  },
];
