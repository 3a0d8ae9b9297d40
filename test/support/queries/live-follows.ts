// Live queries whose selection follows rows, and figures for keys that are written out.

import type { Reql } from '../reql.ts';
import type { LiveQuery } from './live-queries.ts';

/** A row of one table that queries of the other follow. */
function row(r: Reql): Reql {
  return r.table('u').get(1);
}

const figures: readonly LiveQuery[] = [
  {
    name: 'figures for keys',
    query: (r) => r.expr(['a', 'b', 'c', 'a']).map((k) => r.table('t').getAll(k, { index: 'k' }).count()),
  },
  {
    name: 'sums for keys, by a filter',
    query: (r) => r.expr(['a', 'b']).map((k) => ({ k, sum: r.table('t').filter({ k }).sum('n') })),
  },
  {
    name: 'figures that are merged into objects',
    query: (r) =>
      r.expr([{ k: 'a' }, { k: 'b' }]).merge((of) => ({
        sum: r
          .table('t')
          .filter({ k: of('k') })
          .sum('n'),
      })),
  },
  {
    name: 'a sum of figures for keys',
    query: (r) =>
      r
        .expr([1, 2])
        .map((n) =>
          r
            .table('t')
            .filter((other) => other('n').ge(n))
            .count(),
        )
        .sum(),
  },
  {
    name: 'lists for keys',
    query: (r) =>
      r.expr(['a', 'b']).map((k) => r.table('t').getAll(k, { index: 'k' }).orderBy('id')('id').coerceTo('array')),
  },
];

const values: readonly LiveQuery[] = [
  {
    name: 'a filter that follows a row',
    query: (r) =>
      row(r).do((mark) =>
        r
          .table('t')
          .filter((other) => other('n').ge(mark('n')))
          .count(),
      ),
  },
  { name: 'a key that follows a row', query: (r) => r.table('t').getAll(row(r)('k'), { index: 'k' }).sum('id') },
  {
    name: 'a key that follows a row, or a default',
    query: (r) => r.table('t').getAll(row(r)('k').default('a'), { index: 'k' }).count(),
  },
  {
    name: 'what follows a row, with a default',
    query: (r) => r.table('t').getAll(row(r)('k'), { index: 'k' }).count().default('none'),
  },
  {
    name: 'a range that follows a row',
    query: (r) => r.table('t').between(row(r)('n').default(0), 3, { index: 'n' }).sum('id'),
  },
  {
    name: 'the first of an order, as many as a row says',
    query: (r) => r.table('t').orderBy('n', 'id').limit(row(r)('n').default(1))('id').coerceTo('array'),
  },
  {
    name: 'a row by a key that follows a row',
    query: (r) => r.table('t').get(row(r)('n').default(1))('k').default(null),
  },
  {
    name: 'a filter of the table of the row that it follows',
    query: (r) =>
      r
        .table('t')
        .get(1)
        .do((mark) =>
          r
            .table('t')
            .filter((other) => other('n').ge(mark('n')))
            .count(),
        ),
    moments: true,
  },
  {
    name: 'a key of the table of the row that it follows',
    query: (r) => r.table('t').getAll(r.table('t').get(1)('k').default('b'), { index: 'k' }).sum('id'),
    moments: true,
  },
  {
    name: 'a row with the number of those that belong to it',
    query: (r) => row(r).merge((mark) => ({ all: r.table('t').getAll(mark('k'), { index: 'k' }).count() })),
  },
  {
    name: 'as many keys as the list of a row has',
    query: (r) =>
      r
        .table('t')
        .getAll(r.args(row(r)('tags').default([])))
        .sum('id'),
  },
  {
    name: 'what a field gives to a function, which catches nothing of it',
    query: (r) => row(r)('k').do((k: Reql) => r.table('t').getAll(k.default('a'), { index: 'k' }).count()),
  },
  {
    name: 'what the greatest row has',
    query: (r) =>
      r
        .table('t')
        .max('id')
        .merge((best: Reql) => ({ of: r.table('u').get(best('n').default(0))('k').default('-') }))('of'),
  },
  {
    name: 'how many rows the first of an order finds in its table',
    query: (r) =>
      r
        .table('t')
        .orderBy('n', 'id')
        .nth(0)
        .do((first: Reql) => r.table('t').getAll(first('k').default('a'), { index: 'k' }).count()),
  },
  {
    name: 'a figure for each item of the list of a row',
    query: (r) => row(r)('tags').map((tag: Reql) => r.table('t').filter({ k: tag }).count()),
  },
];

const rows: readonly LiveQuery[] = [
  {
    name: 'rows of an order, as many as a row says',
    query: (r) => r.table('t').orderBy('n', 'id').limit(row(r)('n').default(2)),
  },
  {
    name: 'distinct values of what follows a row of the table',
    query: (r) => r.table('t').getAll(r.table('t').get(2)('k').default('b'), { index: 'k' })('n').distinct(),
  },
];

const groups: readonly LiveQuery[] = [
  {
    name: 'groups of what follows a row',
    query: (r) =>
      r
        .table('t')
        .filter((other) => other('n').lt(row(r)('n').default(2)))
        .group('k')
        .count(),
  },
];

/** All of them. Two feeds tell of what is followed and of what is selected: different writes may be merged. */
export const liveFollows: readonly LiveQuery[] = [
  ...figures.map((told): LiveQuery => ({ ...told, moments: true })),
  ...[
    ...values,
    ...rows.map((told): LiveQuery => ({ ...told, shows: 'rows' })),
    ...groups.map((told): LiveQuery => ({ ...told, shows: 'groups' })),
  ].map((told): LiveQuery => ({ ...told, several: true })),
];
