// Joins: pairs of rows of two tables whose keys are equal, as they come, change and go on either side.

import { bag, error } from '../support/checks/matchers.ts';
import type { Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER } from './upstream.ts';

const posts = {
  t: [
    { id: 1, n: 1, k: 'a', title: 'one' },
    { id: 2, n: 1, k: 'b', title: 'two' },
    { id: 3, n: 9, k: 'a', title: 'three' },
  ],
  u: [
    { id: 1, name: 'Ada', k: 'a' },
    { id: 2, name: 'Bob', k: 'a' },
  ],
};

export const joinCases: readonly FeedCase[] = [
  {
    name: 'a count of pairs follows both tables, whichever is written first',
    source: 'who counts the posts of authors that exist',
    seed: posts,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('u').insert({ id: 9, name: 'Zoe' }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(3).update({ n: 8 }), expect: steps(3, 2) },
      { write: (r) => r.table('u').get(1).delete(), expect: steps(2, 0) },
      { write: (r) => r.table('u').insert({ id: 1, name: 'Ada' }), expect: steps(0, 2) },
    ],
    without: NUMBER,
  },
  {
    name: 'pairs come, change and go as rows',
    source: 'a live list of posts with their authors',
    seed: posts,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().pluck('title', 'name'),
    shows: 'rows',
    initial: bag({ new_val: { title: 'one', name: 'Ada' } }, { new_val: { title: 'two', name: 'Ada' } }),
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ n: 2 }),
        expect: [{ old_val: { title: 'one', name: 'Ada' }, new_val: { title: 'one', name: 'Bob' } }],
      },
      {
        write: (r) => r.table('u').get(2).update({ name: 'Bea' }),
        expect: [{ old_val: { title: 'one', name: 'Bob' }, new_val: { title: 'one', name: 'Bea' } }],
      },
      {
        write: (r) => r.table('t').get(1).delete(),
        expect: [{ old_val: { title: 'one', name: 'Bea' }, new_val: null }],
      },
    ],
    without: ARRAY,
  },
  {
    name: 'of rows that change together each is paired with what it was',
    source: 'a list that swaps two values in one write: a page that follows it must not show one row as the other',
    seed: { t: [1, 2].map((id) => ({ id, a: id, u: 1 })), u: [{ id: 1, name: 'Ada' }] },
    query: (r) => r.table('t').eqJoin('u', r.table('u')).without({ right: 'id' }).zip().pluck('a', 'id'),
    shows: 'rows',
    initial: bag({ new_val: { a: 1, id: 1 } }, { new_val: { a: 2, id: 2 } }),
    steps: [
      {
        write: (r) => r.table('t').update((row) => ({ a: r.expr(3).sub(row('a')) })),
        expect: bag(
          { old_val: { a: 1, id: 1 }, new_val: { a: 2, id: 1 } },
          { old_val: { a: 2, id: 2 }, new_val: { a: 1, id: 2 } },
        ),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'an update of a field that nobody reads tells nothing',
    source: 'a count that must not be woken',
    seed: posts,
    query: (r) => r.table('t').eqJoin('k', r.table('u'), { index: 'k' }).count(),
    initial: initially(4),
    steps: [
      { write: (r) => r.table('t').update({ title: 'x' }), expect: [] },
      { write: (r) => r.table('u').get(1).update({ name: 'x' }), expect: [] },
      { write: (r) => r.table('u').get(1).update({ k: 'b' }), expect: steps(4, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'keys that are equal as texts alone do not meet, and null and missing ones meet nothing',
    source: 'the bad inputs of joins',
    seed: {
      t: [{ id: 1, n: '1' }, { id: 2, n: null }, { id: 3 }, { id: 4, n: 1 }],
      u: [{ id: 1 }, { id: 'null' }],
    },
    query: (r) => r.table('t').eqJoin('n', r.table('u')).count(),
    initial: initially(1),
    steps: [
      { write: (r) => r.table('u').insert({ id: '1' }), expect: steps(1, 2) },
      { write: (r) => r.table('t').get(2).update({ n: 'null' }), expect: steps(2, 3) },
    ],
    without: NUMBER,
  },
  {
    name: 'a key that cannot be one ends the feed and names the row',
    source: 'the bad inputs of joins',
    seed: posts,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().sum('id'),
    initial: initially(2),
    steps: [
      {
        write: (r) =>
          r
            .table('t')
            .get(3)
            .update({ n: { a: 1 } }),
        expect: [],
      },
    ],
    ends: error(
      'QUERY_LOGIC',
      /^Primary keys must be either a number, string, bool, pseudotype or array \(got type OBJECT\)/,
    ),
    without: NUMBER,
  },
  {
    name: 'a table that is joined with itself shows one value for one write',
    source: 'who counts replies',
    seed: { t: [{ id: 1 }, { id: 2, n: 1 }, { id: 3, n: 1 }] },
    query: (r) => r.table('t').eqJoin('n', r.table('t')).count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('t').get(1).update({ n: 1 }), expect: steps(2, 3) },
      { write: (r) => r.table('t').get(1).delete(), expect: steps(3, 0) },
    ],
    without: NUMBER,
  },
  {
    name: 'pairs are grouped by fields of both sides',
    source: 'revenue by country of the customer',
    seed: posts,
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('u'))
        .group((pair) => pair('right')('name'))
        .count(),
    shows: 'groups',
    initial: [{ group: 'Ada', new_val: 2 }],
    steps: [
      {
        write: (r) => r.table('t').get(1).update({ n: 2 }),
        expect: bag({ group: 'Ada', old_val: 2, new_val: 1 }, { group: 'Bob', old_val: null, new_val: 1 }),
      },
    ],
    without: NUMBER,
  },
  {
    name: 'a join by an index of a function is refused by name',
    source: 'what cannot be known of an index',
    seed: posts,
    query: (r) => r.table('t').eqJoin('n', r.table('u'), { index: 'twice' }).count(),
    refused: error('QUERY_LOGIC', /`eqJoin`.*the index `twice` is not one of plain fields/),
    without: NUMBER,
  },
  {
    name: 'innerJoin by an equality and a further condition follows both tables',
    source: 'a join that people write by hand',
    seed: posts,
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (post, user) =>
          post('k')
            .eq(user('k'))
            .and(post('id').gt(user('id'))),
        )
        .count(),
    initial: initially(2),
    steps: [
      { write: (r) => r.table('u').get(1).update({ k: 'b' }), expect: [] },
      { write: (r) => r.table('u').insert({ id: 0, k: 'a' }), expect: steps(2, 4) },
      { write: (r) => r.table('u').insert({ id: 5 }), expect: steps(4, null) },
      { write: (r) => r.table('u').get(5).delete(), expect: steps(null, 4) },
    ],
    without: NUMBER,
  },
  {
    name: 'outerJoin shows a left row alone while it is in no pair',
    source: 'posts without an author',
    seed: { t: [{ id: 1, n: 1 }], u: [] },
    query: (r) =>
      r
        .table('t')
        .outerJoin(r.table('u'), (post, user) => user('id').eq(post('n')))
        .map((pair) => [pair('left')('id'), pair('right')('name').default('nobody')]),
    shows: 'rows',
    initial: [{ new_val: [1, 'nobody'] }],
    steps: [
      {
        write: (r) => r.table('u').insert({ id: 1, name: 'Ada' }),
        expect: [{ old_val: [1, 'nobody'], new_val: [1, 'Ada'] }],
      },
      {
        write: (r) => r.table('u').get(1).delete(),
        expect: [{ old_val: [1, 'Ada'], new_val: [1, 'nobody'] }],
      },
    ],
    without: error('QUERY_LOGIC', /^Cannot call `changes`/),
  },
  {
    name: 'innerJoin by something else than an equality is refused, and says what works',
    source: 'what cannot be joined',
    seed: posts,
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (post, user) => post('id').gt(user('id')))
        .count(),
    refused: error('QUERY_LOGIC', /`innerJoin`.*`\(left, right\) => left\(\.\.\.\)\.eq\(right\(\.\.\.\)\)`/),
    without: NUMBER,
  },
  {
    name: 'pairs that are made by hand are zipped',
    source: 'zip over what a map makes',
    seed: { t: [{ id: 1, n: 1 }, { id: 2 }], u: [{ id: 1, name: 'Ada' }] },
    query: (r) =>
      r
        .table('t')
        .map((row: Reql) => ({
          left: { id: row('id') },
          right: r.table('u').get(row('n').default(0)).default({ name: 'nobody' }).pluck('name'),
        }))
        .zip(),
    shows: 'rows',
    initial: bag({ new_val: { id: 1, name: 'Ada' } }, { new_val: { id: 2, name: 'nobody' } }),
    steps: [
      {
        write: (r) => r.table('u').get(1).update({ name: 'Eve' }),
        expect: [{ old_val: { id: 1, name: 'Ada' }, new_val: { id: 1, name: 'Eve' } }],
      },
      {
        write: (r) => r.table('t').get(2).update({ n: 1 }),
        expect: [{ old_val: { id: 2, name: 'nobody' }, new_val: { id: 2, name: 'Eve' } }],
      },
    ],
    without: error('QUERY_LOGIC', 'Cannot call `changes` after a non-deterministic function.'),
  },
  {
    name: 'pairs with a default are a stream all the same, and no value: left to the server, which refuses it',
    source: 'RethinkDB 2.4.4 appends to lists alone',
    seed: posts,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().default([]).append(1),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found SEQUENCE/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found SEQUENCE/),
  },
];
