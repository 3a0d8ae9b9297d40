// What a client writes into a query as a constant: places, fields and types that are computed, lists beside rows, and functions that
// read tables for the items of a list.

import { error } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER, OBJECT, STRING } from './upstream.ts';

const rows = {
  t: [
    { id: 1, k: 'a', n: 5 },
    { id: 2, k: 'b', n: 3 },
    { id: 3, k: 'b', n: 9 },
  ],
  u: [
    { id: 1, k: 'a', w: 1 },
    { id: 2, k: 'a', w: 2 },
    { id: 3, k: 'a', w: 2 },
  ],
};
const MIXED = 'rows beside what is known already';

/** A figure of three rows, before and after one row more: `{id: 4, k: 'c', n: 1}`. */
const figure = (name: string, query: Query, before: unknown, after: unknown, without = NUMBER): FeedCase => ({
  name,
  source: 'somebody whose query has parameters; the one-shot query answers',
  seed: rows,
  query,
  initial: initially(before),
  steps: [{ write: (r) => r.table('t').insert({ id: 4, k: 'c', n: 1 }), expect: steps(before, after) }],
  without,
});

export const writtenCases: readonly FeedCase[] = [
  figure('a limit that is computed', (r) => r.table('t').orderBy('n').limit(r.expr(1).add(1)).sum('n'), 8, 4),
  figure(
    'a place that is computed of a parameter',
    (r) => r.do(1, (page) => r.table('t').orderBy('n').skip(page.mul(1)).limit(page.add(1)).sum('n')),
    14,
    8,
  ),
  figure('a field whose name is computed', (r) => r.table('t').sum(r.expr('n').add('')), 17, 18),
  figure(
    'a figure that is merged into each object of a list',
    (r) =>
      r.expr([{ k: 'b' }, { k: 'c' }]).merge((of: Reql) => ({
        n: r
          .table('t')
          .filter({ k: of('k') })
          .count(),
      })),
    [
      { k: 'b', n: 2 },
      { k: 'c', n: 0 },
    ],
    [
      { k: 'b', n: 2 },
      { k: 'c', n: 1 },
    ],
    ARRAY,
  ),
  figure(
    'a figure of what is merged into',
    (r) =>
      r.expr({ k: 'c' }).merge((of: Reql) => ({
        n: r
          .table('t')
          .filter({ k: of('k') })
          .count(),
      })),
    { k: 'c', n: 0 },
    { k: 'c', n: 1 },
    OBJECT,
  ),
  figure(
    'rows united with a list',
    (r) =>
      r
        .table('t')
        .union([{ n: 2 }, { n: 2 }])
        .sum('n'),
    21,
    22,
  ),
  figure(
    'a list united with rows',
    (r) =>
      r
        .expr([{ n: 100 }])
        .union(r.table('t'), r.table('u'))
        .count(),
    7,
    8,
  ),
  figure('rows united with no rows', (r) => r.table('t').union([]).max('n')('n').add(r.table('t').count()), 12, 13),
  {
    name: 'rows united with a list, as rows',
    source: MIXED,
    seed: rows,
    query: (r) => r.table('t')('k').distinct().union(['z']),
    shows: 'rows',
    initial: 'law',
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: 'a', new_val: null }] }],
    without: ARRAY,
  },
  figure(
    'figures for a range of numbers',
    (r) =>
      r
        .range(1, 5)
        .map((id) => r.table('t').getAll(id).count())
        .sum(),
    3,
    4,
  ),
  {
    name: 'figures for a range of numbers, as a list',
    source: MIXED,
    seed: rows,
    query: (r) =>
      r
        .range(1, 3)
        .map((n) => r.table('t').getAll(n).count())
        .coerceTo('array'),
    initial: initially([1, 1]),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: [1, 1], new_val: [0, 1] }] }],
    without: ARRAY,
  },
  {
    name: 'the items of a list of which there are rows',
    source: MIXED,
    seed: rows,
    query: (r) => r.expr(['a', 'b', 'c']).filter((k) => r.table('t').filter({ k }).isEmpty().not()),
    initial: initially(['a', 'b']),
    steps: [
      { write: (r) => r.table('t').get(1).delete(), expect: [{ old_val: ['a', 'b'], new_val: ['b'] }] },
      { write: (r) => r.table('t').insert({ id: 9, k: 'c' }), expect: [{ old_val: ['b'], new_val: ['b', 'c'] }] },
    ],
    without: ARRAY,
  },
  {
    name: 'the items of a list whose rows have no such field are left out',
    source: 'RethinkDB 2.4.4: filter leaves out what raises NON_EXISTENCE',
    seed: rows,
    query: (r) =>
      r
        .expr([1, 7])
        .filter((id) => r.table('t').get(id)('n').gt(0))
        .count(),
    initial: initially(1),
    steps: [{ write: (r) => r.table('t').insert({ id: 7, n: 1 }), expect: steps(1, 2) }],
    without: NUMBER,
  },
  figure(
    'the rows for each item of a list, one behind the other',
    (r) =>
      r
        .expr(['a', 'c', 'a'])
        .concatMap((k) => r.table('t').filter({ k }))
        .count(),
    2,
    3,
  ),
  {
    name: 'the lists for each item of a list, one behind the other',
    source: MIXED,
    seed: rows,
    query: (r) =>
      r
        .expr(['b', 'a'])
        .concatMap((k) => r.table('t').filter({ k })('id').coerceTo('array'))
        .sum(),
    initial: initially(6),
    steps: [{ write: (r) => r.table('t').get(3).delete(), expect: steps(6, 3) }],
    without: NUMBER,
  },
  {
    name: 'a list of distinct values as a text',
    source: 'RethinkDB 2.4.4: an array becomes a text, a stream does not',
    seed: rows,
    query: (r) => r.table('t')('k').distinct().coerceTo('string'),
    initial: initially('["a","b"]'),
    steps: [{ write: (r) => r.table('t').get(1).delete(), expect: steps('["a","b"]', '["b"]') }],
    without: STRING,
  },
  {
    name: 'the last distinct values of rows that are looked up',
    source: 'RethinkDB 2.4.4: distinct sorts',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter({ k: row('k') })('w')
            .distinct()
            .slice(-1)
            .sum(),
        )
        .sum(),
    initial: initially(2),
    steps: [{ write: (r) => r.table('u').insert({ id: 9, k: 'b', w: 4 }), expect: steps(2, 10) }],
    without: NUMBER,
  },
  {
    name: 'a union with what is no sequence is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: union',
    seed: rows,
    query: (r) => r.table('t').union(r.expr(5)).count(),
    refused: NUMBER,
    without: NUMBER,
  },
  {
    name: 'an order by a function that reads a table is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: orderBy',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .orderBy((row) => r.table('u').get(row('id'))('w'))
        .limit(1)
        .sum('n'),
    refused: error('QUERY_LOGIC', 'Sorting by a non-deterministic function is not supported.'),
    without: error('QUERY_LOGIC', 'Sorting by a non-deterministic function is not supported.'),
  },
  {
    name: 'an order by chance, backwards, is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: orderBy',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .orderBy(r.desc((row) => row('n').mul(r.random())))
        .nth(0),
    refused: error('QUERY_LOGIC', 'Sorting by a non-deterministic function is not supported.'),
    without: error('QUERY_LOGIC', 'Sorting by a non-deterministic function is not supported.'),
  },
  {
    name: 'groups in an object are left to the server, which refuses them',
    source: 'RethinkDB 2.4.4: groups are no datum',
    seed: rows,
    query: (r) => r.expr({ a: r.table('t').group('k').count() }),
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found GROUPED_DATA/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found GROUPED_DATA/),
  },
  {
    name: 'groups divided by groups are left to the server, which refuses them',
    source: 'RethinkDB 2.4.4: groups are no datum',
    seed: rows,
    query: (r) => r.table('t').group('k').sum('n').div(r.table('t').group('k').count()),
    shows: 'groups',
    refused: error('QUERY_LOGIC', /^Expected type DATUM but found GROUPED_DATA/),
    without: error('QUERY_LOGIC', /^Expected type DATUM but found GROUPED_DATA/),
  },
  {
    name: 'a place that raises an error is left to the server, which raises it',
    source: 'RethinkDB 2.4.4: an argument is evaluated first',
    seed: rows,
    query: (r) => r.table('t').orderBy('n').limit(r.expr(1).div(0)),
    refused: error('QUERY_LOGIC', 'Cannot divide by zero.'),
    without: error('QUERY_LOGIC', 'Cannot divide by zero.'),
  },
  {
    name: 'a zip of rows that are no pairs is left to the server, which refuses it',
    source: 'RethinkDB 2.4.4: zip',
    seed: rows,
    query: (r) => r.table('t').filter({ k: 'b' }).zip().count(),
    refused: error('QUERY_LOGIC', 'ZIP can only be called on the result of a join.'),
    without: error('QUERY_LOGIC', 'ZIP can only be called on the result of a join.'),
  },
];
