// `r.args` where it may stand, and what RethinkDB refuses of it: that is left to the server. So is a table of no database, and a
// function of another number of arguments than there are.

import { type ExpectedError, error } from '../support/checks/matchers.ts';
import type { Query } from '../support/reql.ts';
import { type FeedCase, initially, steps } from './case.ts';
import { ARRAY, NUMBER } from './upstream.ts';

const source = 'a breaker: neighbours of CASES B6 (c), by the answers of RethinkDB 2.4.4';
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
];
