// What is refused when it is opened: in the server's words where it has some, else by naming the term in the way.

import { error } from '../support/matchers.ts';
import type { FeedCase } from './case.ts';
import { NUMBER } from './upstream.ts';

const rows = {
  t: [
    { id: 1, x: 1, k: 'a' },
    { id: 2, x: 2, k: 'b' },
  ],
  u: [{ id: 'a' }],
};
const chance = error('QUERY_LOGIC', 'Cannot call `changes` after a non-deterministic function.');
const names = (term: string): ReturnType<typeof error> => error('QUERY_LOGIC', new RegExp(`\`${term}\``));

export const refusedCases: readonly FeedCase[] = [
  {
    name: 'chance before the aggregate is refused in the words of the server',
    source: 'CASES D5, rethinkdb/rethinkdb#4063',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .map((_) => r.random())
        .sum(),
    refused: chance,
    without: NUMBER,
  },
  {
    name: 'chance within the aggregate is refused in the words of the server',
    source: 'CASES D5, rethinkdb/rethinkdb#4063',
    seed: rows,
    query: (r) => r.table('t').sum((row) => row('x').mul(r.random())),
    refused: chance,
    without: NUMBER,
  },
  {
    name: 'a table read for each row is refused',
    source: 'DESIGN 3: joins and subqueries inside the source',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .filter((row) => r.table('u').get(row('k')).ne(null))
        .count(),
    refused: error('QUERY_LOGIC', /`filter` reads a table/),
    without: NUMBER,
  },
  {
    name: 'a join is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').eqJoin('k', r.table('u')).count(),
    refused: names('eqJoin'),
    without: NUMBER,
  },
  {
    name: 'an inner join is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (a, b) => a('k').eq(b('id')))
        .zip()
        .count(),
    refused: error('QUERY_LOGIC', /`(zip|innerJoin)`/),
    without: NUMBER,
  },
  {
    name: 'a sample is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').sample(1).count(),
    refused: names('sample'),
    without: NUMBER,
  },
  {
    name: 'skip is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').skip(1).count(),
    refused: names('skip'),
    without: NUMBER,
  },
  {
    name: 'a limit without an index is refused by name',
    source: 'CASES A8, rethinkdb/rethinkdb#3719',
    seed: rows,
    query: (r) => r.table('t').orderBy('n').limit(3).sum('n'),
    refused: error('QUERY_LOGIC', /`(limit|orderBy)`/),
    without: NUMBER,
  },
  {
    name: 'a fold without a reverse is refused by name',
    source: 'DESIGN 3',
    seed: rows,
    query: (r) => r.table('t').fold(0, (acc, _) => acc.add(1)),
    refused: names('fold'),
    without: NUMBER,
  },
  {
    name: 'r.row that nests by itself fails with the text of the server',
    source: 'CASES D1, rethinkdb/rethinkdb#1593',
    seed: rows,
    query: (r) =>
      r
        .table('t')
        .filter(r.row('x').eq(r.expr([1]).map(r.row).nth(0)))
        .count(),
    refused: error('COMPILE', 'Cannot use r.row in nested queries.  Use functions instead.'),
    without: error('COMPILE', 'Cannot use r.row in nested queries.  Use functions instead.'),
  },
];
