// `r.args` where it may stand, and what RethinkDB refuses of it: that is left to the server. So is a table of no database, and a
// function of another number of arguments than there are.

import { bag, type ExpectedError, error } from '../support/checks/matchers.ts';
import type { Query } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER } from './upstream.ts';

const source = 'a breaker: neighbours of CASES B6 (c), by the answers of RethinkDB 2.4.4';
const BODY = 'a breaker: RethinkDB 2.4.4 takes what stands for a value as its array';
const rows = {
  t: [
    { id: 1, k: 'a', n: 5 },
    { id: 2, k: 'b', n: 7 },
  ],
};
const BETWEEN = 'Expected between 1 and 2 arguments but found 3.';

/** What the server says to a query, word for word, with or without the proxy. */
const theirs: readonly (readonly [name: string, query: Query, text: string | RegExp])[] = [
  ['a sum of two fields', (r) => r.table('t').sum(r.args(['n', 'k'])), BETWEEN],
  ['the greatest by two fields', (r) => r.table('t').max(r.args(['n', 'k'])), BETWEEN],
  ['a count of two values', (r) => r.table('t').count(r.args([1, 2])), BETWEEN],
  [
    'two limits',
    (r) =>
      r
        .table('t')
        .orderBy('n')
        .limit(r.args([1, 2])),
    'Expected 2 arguments but found 3.',
  ],
  [
    'an order',
    (r) =>
      r
        .table('t')
        .orderBy(r.args(['n']))
        .limit(1),
    'r.args is not supported in an order_by or union command yet.',
  ],
  [
    'a function to group by',
    (r) =>
      r
        .table('t')
        .group(r.args([(row) => row('n')]))
        .count(),
    /^Expected type DATUM but found FUNCTION/,
  ],
  [
    'a function to reduce by',
    (r) =>
      r
        .table('t')('n')
        .reduce(r.args([(a, b) => a.add(b)])),
    /^Expected type DATUM but found FUNCTION/,
  ],
  [
    'a table to unite with',
    (r) =>
      r
        .table('t')
        .union(r.args([r.table('u')]))
        .count(),
    /^Expected type DATUM but found TABLE/,
  ],
  ['a table of a table', (r) => r.table('t').table('u').count(), /^Expected type DATABASE but found TABLE/],
  [
    'a fold by a function of three',
    (r) =>
      r
        .table('t')('n')
        .fold(0, (a, _b, _c) => a),
    'The accumulator function passed to `fold` should expect 2 arguments',
  ],
  ['a fold by a number', (r) => r.table('t')('n').fold(0, 5), /^Expected type FUNCTION but found DATUM/],
];

const refusedByServer = ([name, query, text]: (typeof theirs)[number]): FeedCase => {
  const says: ExpectedError = error('QUERY_LOGIC', text);
  return {
    name: `left to the server, which refuses it: ${name}`,
    source,
    seed: rows,
    query,
    refused: says,
    without: says,
  };
};

/** Feeds with `r.args`, and what the server refuses of such. */
export const spreadCases: readonly FeedCase[] = [
  ...theirs.map(refusedByServer),
  {
    name: 'r.args of a field, of none, and of a list',
    source,
    seed: rows,
    query: (r) =>
      r.expr([
        r.table('t').sum(r.args(['n'])),
        r.table('t').count(r.args([])),
        r
          .table('t')
          .union(r.args([[{ n: 1 }]]))
          .count(),
        r
          .table('t')('n')
          .contains(r.args([5, 7])),
      ]),
    initial: initially([12, 2, 3, true]),
    steps: [{ write: (r) => r.table('t').get(1).update({ n: 1 }), expect: steps([12, 2, 3, true], [8, 2, 3, false]) }],
    without: ARRAY,
  },
  {
    name: 'r.args of a place in an order',
    source,
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .orderBy('n')
        .skip(r.args([1]))
        .limit(r.args([1]))
        .sum('n'),
    initial: initially(7),
    steps: [{ write: (r) => r.table('t').get(1).update({ n: 9 }), expect: steps(7, 9) }],
    without: NUMBER,
  },
  {
    name: 'r.args as the body of a function that tests: its array, which is true whatever is in it',
    source: BODY,
    seed: rows,
    query: (r) =>
      r.expr([
        r.table('t').count((row) => r.args([row('n').eq(5)])),
        r.table('t').count((row) => r.args([row('n').eq(5), row('none')])),
        r
          .table('t')
          .filter((row) => r.args([row('n').eq(5)]))
          .count(),
        r.table('t').contains((row) => r.args([row('n').eq(9)])),
      ]),
    initial: initially([2, 0, 2, true]),
    steps: [
      { write: (r) => r.table('t').insert({ id: 3 }), expect: [] },
      {
        write: (r) => r.table('t').get(3).update({ n: 1 }),
        expect: steps([2, 0, 2, true], [3, 0, 3, true]),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'r.args as the body of a function that makes a value: its array',
    source: BODY,
    seed: rows,
    query: (r) =>
      r.expr([
        r.table('t').max((row) => r.args([row('k'), row('n')]))('id'),
        r
          .table('t')
          .map((row) => r.args([row('n'), row('id')]))
          .max(),
        r
          .table('t')
          .map((row) => ({ pair: r.args([row('n')]) }))
          .min('pair'),
        r
          .table('t')
          .concatMap((row) => [r.args([row('n'), row('id')])])
          .sum(),
        r
          .table('t')
          .count()
          .do((count) => r.args([count, 'rows'])),
      ]),
    initial: initially([2, [7, 2], { pair: [5] }, 15, [2, 'rows']]),
    steps: [
      {
        write: (r) => r.table('t').get(2).update({ n: 1 }),
        expect: steps([2, [7, 2], { pair: [5] }, 15, [2, 'rows']], [2, [5, 1], { pair: [1] }, 9, [2, 'rows']]),
      },
    ],
    without: ARRAY,
  },
  {
    name: 'r.args as the body of a function to group by: the group is its array',
    source: BODY,
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .group((row) => r.args([row('k'), row('n')]))
        .count(),
    shows: 'groups',
    initial: bag({ group: ['a', 5], new_val: 1 }, { group: ['b', 7], new_val: 1 }),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 3, k: 'a', n: 5 }),
        expect: [{ group: ['a', 5], old_val: 1, new_val: 2 }],
      },
    ],
    without: NUMBER,
  },
  {
    name: 'r.args as the body of a function whose array is no array',
    source: BODY,
    seed: rows,
    query: (r) => r.table('t').count((row) => r.args(row('k'))),
    refused: error('QUERY_LOGIC', 'Expected type ARRAY but found STRING.'),
    without: error('QUERY_LOGIC', 'Expected type ARRAY but found STRING.'),
  },
  {
    name: 'r.args of one argument of a do: what is in its array',
    source: BODY,
    seed: rows,
    query: (r) =>
      r.expr([
        r.do(r.args([r.table('t').count()]), (count) => count),
        r.do(r.args([5]), (five) => r.expr({ five, rows: r.table('t').count(five) })),
        r.do(r.args(['b']), (k) => r.table('t').getAll(k, { index: 'k' }).sum('n')),
        r.do(r.args([[1, 2], 3]), (list, three) => r.expr([list, three, r.table('t').count()])),
      ]),
    initial: initially([2, { five: 5, rows: 0 }, 7, [[1, 2], 3, 2]]),
    steps: [
      {
        write: (r) => r.table('t').insert({ id: 3, k: 'b', n: 1 }),
        expect: steps([2, { five: 5, rows: 0 }, 7, [[1, 2], 3, 2]], [3, { five: 5, rows: 0 }, 8, [[1, 2], 3, 3]]),
      },
    ],
    without: ARRAY,
  },
];
