// Live queries for the laws: each is compared with its own one-shot form after random histories of writes.

import type { Statistic } from '../checks/exact-statistics.ts';
import type { Shows } from '../checks/feed-state.ts';
import type { Argument, Query, Reql } from '../reql.ts';
import { liveFollows } from './live-follows.ts';
import { liveJoins } from './live-joins.ts';
import { liveMatrix } from './live-matrix.ts';
import { liveOrders } from './live-orders.ts';
import { liveSelections } from './live-selections.ts';

/** A query that can be watched. */
export interface LiveQuery {
  readonly name: string;
  readonly query: Query;
  /** `value` if absent. */
  readonly shows?: Shows;
  /** It reads several sources: feeds of it wait until upstream is quiet, and may merge different writes. */
  readonly several?: true;
  /** Each value that is shown has to be one that the query had before a write or after it. */
  readonly moments?: true;
  /** Options of `changes`. */
  readonly changes?: (r: Reql) => { readonly [option: string]: Argument };
  /** Where the value is exact, whatever the server makes of the same numbers, which depends on the order of rows. */
  readonly exact?: Exact;
}

/** A value that is computed from the numbers themselves. */
export interface Exact {
  readonly of: Statistic;
  /** The query that gives the numbers, a list or one for each group. */
  readonly numbers: Query;
  /** An aggregate by name: there is no one-shot form, and the groups are those with a number. */
  readonly byName?: true;
}

/** `r.args` where it stands for its array, and where it stands for what is in that. */
const spreads: readonly LiveQuery[] = [
  {
    name: 'a count of rows for which r.args gives an array',
    query: (r) => r.table('t').count((row) => r.args([row('n').eq(1)])),
  },
  {
    name: 'groups of the arrays that r.args gives',
    shows: 'groups',
    query: (r) =>
      r
        .table('t')
        .group((row) => r.args([row('k'), row('n').default(null)]))
        .count(),
  },
  {
    name: 'the greatest of the arrays that r.args gives',
    query: (r) =>
      r
        .table('t')
        .map((row) => r.args(row('tags').default([])))
        .max(),
  },
  {
    name: 'elements of an array with r.args in it',
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => [r.args(row('tags').default([]))])
        .distinct()
        .count(),
  },
  {
    name: 'r.args of one argument of a do',
    query: (r) => r.do(r.args([r.table('t').count()]), r.args(['a']), (count, a) => ({ a, count })),
  },
];

/** What a term means on a table, a range of it, a list or one row; and orders that are kept. */
const meanings: readonly LiveQuery[] = [
  {
    name: 'the greatest key of a table',
    several: true,
    query: (r) => r.branch(r.table('t').isEmpty(), null, r.table('t').max()('id')),
  },
  {
    name: 'the row with the least key of a table',
    several: true,
    query: (r) => r.branch(r.table('t').isEmpty(), null, r.table('t').min().merge({ least: true })),
  },
  {
    name: 'a part of an order with bounds',
    query: (r) => r.table('t').orderBy({ index: 'n' }).slice(1, 2, { rightBound: 'closed' })('id').coerceTo('array'),
  },
  {
    name: 'a place in a part of an order',
    query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1).limit(2).nth(-1)('id'),
  },
  {
    name: 'the first rows that pass a filter',
    query: (r) => r.table('t').orderBy({ index: 'n' }).filter({ k: 'a' }).limit(2)('id').coerceTo('array'),
  },
  {
    name: 'contains in the order of an index',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('id') })
        .contains(
          (row) => row('id').gt(0),
          (row) => row('id').gt(2),
        ),
  },
  {
    name: 'a reduction of a sorted list',
    query: (r) =>
      r
        .table('t')
        .orderBy('id')('id')
        .reduce((a, b) => a.mul(10).sub(b)),
  },
  {
    name: 'the first of the greatest groups',
    query: (r) => r.table('t').group('k').count().ungroup().max('reduction')('group'),
  },
  { name: 'the first of equal rows', query: (r) => r.table('t').orderBy('id').max('n')('id') },
  {
    name: 'the first of equal rows in each group of an order',
    query: (r) => r.table('t').orderBy(r.desc('id')).group('k').max('n')('id'),
    shows: 'groups',
  },
  {
    name: 'the first of equal rows in each group of the first of an index',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('id') })
        .limit(3)
        .group('k')
        .min('n')('id'),
    shows: 'groups',
  },
  {
    name: 'the first of equal rows in each group, which is in an order',
    query: (r) => r.table('t').group('k').orderBy(r.desc('id')).min('n')('id'),
    shows: 'groups',
  },
  {
    name: 'groups in an order, in which nothing may be left',
    query: (r) => r.table('t').group('k').orderBy('id').filter({ n: 1 }).count(),
    shows: 'groups',
  },
  {
    name: 'averages of groups in an order, in which nothing may be left',
    query: (r) => r.table('t').group('k').orderBy('id').filter({ n: 1 }).avg('n'),
    shows: 'groups',
  },
  {
    name: 'distinct values of groups in an order',
    query: (r) => r.table('t').group('k').orderBy('id')('n').distinct(),
    shows: 'groups',
  },
  {
    name: 'the first of equal groups',
    query: (r) => r.table('t').group('k').count().ungroup().group('reduction').min('reduction')('group'),
    shows: 'groups',
  },
  { name: 'distinct rows by their key', query: (r) => r.table('t').distinct()('id').coerceTo('array') },
  { name: 'the number of distinct keys', query: (r) => r.table('t').distinct({ index: 'id' }).count() },
  {
    name: 'lists of groups in the order of an index',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('id') })
        .group('k')('id')
        .coerceTo('array'),
    shows: 'groups',
  },
  {
    name: 'distinct values of a range of a multi index',
    several: true,
    query: (r) => r.table('t').between('a', 'b', { index: 'tags', rightBound: 'closed' }).distinct({ index: 'tags' }),
    shows: 'rows',
  },
];

const values: readonly LiveQuery[] = [
  { name: 'a branch', several: true, query: (r) => r.branch(r.table('t').count().gt(2), 'many', r.table('u').count()) },
  {
    name: 'an object of groups',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .map((group) => [group('group').coerceTo('string'), group('reduction')])
        .coerceTo('object'),
  },
  {
    name: 'the first group',
    query: (r) => r.table('t').group('k').count().ungroup().orderBy(r.desc('reduction'), 'group').nth(0)('group'),
  },
  {
    name: 'two rows by key',
    several: true,
    query: (r) => r.table('t').get(1)('n').default(0).add(r.table('u').get(1)('n').default(0)),
  },
  { name: 'a row by key is there', query: (r) => r.table('t').get(1).ne(null) },
  { name: 'the length of a list', query: (r) => r.table('t').get(1)('tags').count().default('none') },
  {
    name: 'a product',
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.mul(b)),
  },
  {
    name: 'a product from a base',
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => a.mul(b))
        .default(1),
    changes: () => ({ base: 1 }),
  },
  {
    name: 'how many great groups',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .avg('n')
        .ungroup()
        .filter((group) => group('reduction').gt(1))
        .count(),
  },
  {
    name: 'the greatest by an index',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(1)
        .max('n')('n'),
  },
  {
    name: 'a merge',
    query: (r) =>
      r
        .table('t')
        .max((row) => [row('n'), row('id')])
        .merge({ c: r.table('t').count() })
        .without('v'),
  },
  {
    name: 'count of items',
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => row('tags'))
        .count(),
  },
  {
    name: 'sum of a range of a compound index',
    query: (r) => r.table('t').between(['a', r.minval], ['b', 2], { index: 'kn' }).sum('id'),
  },
  {
    name: 'count of keys of a compound index',
    query: (r) => r.table('t').getAll(['a', 1], ['b', 2], { index: 'kn' }).count(),
  },
  {
    name: 'sum of a range of an index of a function',
    query: (r) => r.table('t').between(0, 5, { index: 'twice' }).sum('n'),
  },
  {
    name: 'the first of an order by an index of a function',
    query: (r) => r.table('t').orderBy({ index: 'twice' }).limit(2).count(),
  },
  {
    name: 'count of keys of a multi index',
    several: true,
    query: (r) => r.table('t').getAll('a', 'b', { index: 'tags' }).count(),
  },
  {
    name: 'groups of a range of a multi index of a function',
    several: true,
    shows: 'groups',
    query: (r) => r.table('t').between('a', 'c', { index: 'marks' }).group('k').count(),
  },
  { name: 'count of the first two', query: (r) => r.table('t').orderBy({ index: 'n' }).limit(2).count() },
  { name: 'sum by a function', query: (r) => r.table('t').sum((row) => row('n').mul(2).add(row('id'))) },
  {
    name: 'a default whose own field may be missing',
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n').default(row('v')))
        .count()
        .default('none'),
  },
  {
    name: 'a default that raises what it caught',
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n').default(r.error()))
        .sum()
        .default('none'),
  },
  { name: 'avg with a default', query: (r) => r.table('t').avg('n').default(-1) },
  {
    name: 'sum of items',
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => row('tags'))
        .map((_) => 2)
        .sum(),
  },
  { name: 'min of elements with a default', query: (r) => r.table('t')('v').min().default('none') },
  {
    name: 'both ends of one order',
    query: (r) =>
      r.expr({
        least: r.table('t')('n').min().default(null),
        greatest: r.table('t')('n').max().default(null),
        byField: r.table('t').min('n')('n').default(null),
        byFieldToo: r.table('t').max('n')('n').default(null),
      }),
  },
  { name: 'distinct sum', query: (r) => r.table('t')('n').distinct().sum() },
  {
    name: 'contains all of',
    query: (r) =>
      r
        .table('t')('n')
        .contains(1, (n) => n.gt(2)),
  },
  { name: 'an ordered list', query: (r) => r.table('t').orderBy('n', 'id').coerceTo('array') },
  { name: 'an ordered list of fields', query: (r) => r.table('t').orderBy(r.desc('id'))('v').coerceTo('array') },
  {
    name: 'the first two as a list',
    query: (r) =>
      r.expr({
        top: r
          .table('t')
          .orderBy({ index: r.desc('id') })
          .limit(2)('id')
          .coerceTo('array'),
      }),
  },
  {
    name: 'an object of keys',
    query: (r) =>
      r
        .table('t')
        .map((row) => [row('id').coerceTo('string'), row('id').mul(2)])
        .coerceTo('object'),
  },
  {
    name: 'reduce to a maximum',
    query: (r) =>
      r
        .table('t')('n')
        .reduce((a, b) => r.branch(a.gt(b), a, b))
        .default(null),
  },
  {
    name: 'reduce objects',
    query: (r) =>
      r
        .table('t')
        .hasFields('n')
        .map((row) => ({ n: row('n'), rows: 1 }))
        .reduce((a, b) => ({ n: a('n').add(b('n')), rows: a('rows').add(b('rows')) })),
  },
  {
    name: 'reduce to a union of sets',
    query: (r) =>
      r
        .table('t')('tags')
        .reduce((a, b) => a.setUnion(b))
        .count()
        .default(0),
  },
  { name: 'sum of two counts', several: true, query: (r) => r.table('t').count().add(r.table('u').count()) },
  { name: 'an object of aggregates', query: (r) => r.expr({ c: r.table('t').count(), s: r.table('t').sum('n') }) },
  {
    name: 'a guarded division',
    query: (r) =>
      r
        .table('t')
        .count()
        .do((c) => r.branch(c.eq(0), null, r.table('t').sum('n').div(c))),
  },
  { name: 'a span', query: (r) => r.table('t')('n').max().sub(r.table('t')('n').min()) },
  { name: 'a field by key', query: (r) => r.table('t').get(1)('n') },
  {
    name: 'a row by key with a count',
    several: true,
    query: (r) =>
      r
        .table('t')
        .get(1)
        .merge({ c: r.table('u').count() }),
  },
  { name: 'a comparison', several: true, query: (r) => r.table('t').sum('n').gt(r.table('u').count()) },
  { name: 'a text', query: (r) => r.expr('rows: ').add(r.table('t').count().coerceTo('string')) },
  { name: 'the greatest group', query: (r) => r.table('t').group('k').count().ungroup().max('reduction')('reduction') },
  { name: 'the number of groups that all have a value', query: (r) => latest(r)('v').ungroup().count() },
  { name: 'the average of groups', query: (r) => r.table('t').group('k').count().ungroup().avg('reduction') },
  { name: 'the number of groups', query: (r) => r.table('t').group('k').count().ungroup().count() },
  {
    name: 'a board as a list',
    query: (r) => r.table('t').group('k').count().ungroup().orderBy(r.desc('reduction')).limit(2).coerceTo('array'),
  },
];

const groups: readonly LiveQuery[] = [
  {
    name: 'objects by each of several values',
    query: (r) =>
      r
        .table('t')
        .group((row) => row('tags').default([]).setUnion([]), { multi: true })
        .map((row) => [row('id').coerceTo('string'), row('id').mul(2)])
        .coerceTo('object'),
  },
  { name: 'lists by group', query: (r) => r.table('t').group('k').orderBy('n', 'id')('id').coerceTo('array') },
  { name: 'whole rows by group', query: (r) => r.table('t').group('k').orderBy('id') },
  {
    name: 'count of the greatest by group',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(3)
        .group('k')
        .count(),
  },
  { name: 'tags and keys', query: (r) => r.table('t').group('k', 'tags', { multi: true }).count() },
  { name: 'count by two fields', query: (r) => r.table('t').group('k', 'n').count() },
  { name: 'count by tags', query: (r) => r.table('t').group('tags', { multi: true }).count() },
  {
    name: 'count by the parts of a compound index',
    query: (r) => r.table('t').group({ index: 'kn', multi: true }).count(),
  },
  { name: 'count by a multi index', query: (r) => r.table('t').group({ index: 'tags', multi: true }).count() },
  { name: 'count by the key', query: (r) => r.table('t').group({ index: 'id' }).count() },
  { name: 'count by a field and an index', query: (r) => r.table('t').group('k', { index: 'n' }).count() },
  { name: 'count by any value', query: (r) => r.table('t').group('v').count() },
  {
    name: 'filter and map by group',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .filter((row) => row('n').gt(0))
        .map((row) => row('n'))
        .sum(),
  },
  { name: 'arithmetic by group', query: (r) => r.table('t').group('k').count().mul(10).add(1) },
  { name: 'groups of groups', query: (r) => r.table('t').group('k').count().ungroup().group('reduction').count() },
  { name: 'groups of distinct pairs', query: (r) => r.table('t').pluck('k', 'n').distinct().group('k').count() },
  { name: 'groups of a union', several: true, query: (r) => r.table('t').union(r.table('u')).group('k').count() },
  { name: 'groups that may be null', query: (r) => latest(r)('v') },
  { name: 'a default over groups that may be null', query: (r) => latest(r)('v').default('none') },
  {
    name: 'a default over groups, and more on top',
    several: true,
    query: (r) => latest(r)('n').default(r.table('u').count()).add(1).default(r.error()),
  },
  { name: 'a default over groups of rows that are missed', query: (r) => missed(r).group('k').count().default(-1) },
];

/** Of each group the row with the greatest key. */
function latest(r: Reql): Reql {
  return r.table('t').group('k').max('id');
}

/** Rows of which each has to have an `n`. */
function missed(r: Reql): Reql {
  return r.table('t').map((row) => ({ k: row('k').default(null), n: row('n') }));
}

const rows: readonly LiveQuery[] = [
  { name: 'rows that may be null', query: (r) => r.table('t').concatMap((row) => [row('v').default(null), row('id')]) },
  {
    name: 'distinct values that may be null',
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => [row('v').default(null)])
        .distinct(),
  },
  { name: 'values of groups that may be null', query: (r) => latest(r)('v').ungroup()('reduction') },
  { name: 'distinct rows', query: (r) => r.table('t').pluck('k', 'n').distinct() },
  {
    name: 'distinct of the greatest',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(2)('k')
        .distinct(),
  },
  {
    name: 'the least of distinct',
    query: (r) =>
      r
        .table('t')('n')
        .distinct()
        .orderBy(r.desc((n: Reql) => n))
        .limit(2),
  },
  { name: 'all but the least of distinct', query: (r) => r.table('t')('n').distinct().skip(1) },
  {
    name: 'a page of distinct',
    query: (r) =>
      r
        .table('t')('n')
        .distinct()
        .orderBy(r.desc((n: Reql) => n))
        .skip(1)
        .limit(2),
  },
  {
    name: 'distinct values between two places',
    query: (r) => r.table('t')('n').distinct().slice(1, 2, { rightBound: 'closed' }),
  },
  {
    name: 'a page of groups by their counts',
    query: (r) => r.table('t').group('k').count().ungroup().orderBy(r.desc('reduction')).skip(1).limit(1),
  },
  { name: 'all groups but the first', query: (r) => r.table('t').group('k').count().ungroup().skip(1) },
  {
    name: 'a row for each of a part of groups',
    query: (r) => r.table('t').group('k').count().ungroup().limit(2).skip(1)('group'),
  },
  {
    // Nobody promises which of several greatest rows shows.
    name: 'reductions of groups',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .max((row: Reql) => [row('n'), row('id')])
        .ungroup()('reduction')('id'),
  },
  { name: 'distinct by an index', query: (r) => r.table('t').distinct({ index: 'k' }) },
  {
    name: 'rows of groups by a multi index',
    query: (r) => r.table('t').group({ index: 'tags', multi: true }).sum('n').ungroup(),
  },
  { name: 'rows of groups', query: (r) => r.table('t').group('k').count().ungroup() },
  { name: 'a board', query: (r) => r.table('t').group('k').sum('n').ungroup().orderBy(r.desc('reduction')).limit(2) },
  {
    name: 'great groups',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .filter((group) => group('reduction').gt(1)),
  },
  {
    name: 'names of groups',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .map((group) => [group('reduction'), group('group')]),
  },
  {
    name: 'items',
    query: (r) =>
      r
        .table('t')
        .hasFields('tags')
        .concatMap((row) => row('tags')),
  },
  {
    name: 'items that are mapped',
    query: (r) =>
      r
        .table('t')
        .hasFields('tags', 'n')
        .concatMap((row) => row('tags').map((tag) => [tag, row('n')]))
        .filter((pair) => pair.nth(0).ne('b')),
  },
  {
    name: 'distinct items',
    query: (r) =>
      r
        .table('t')
        .hasFields('tags', 'n')
        .concatMap((row) => row('tags'))
        .distinct(),
  },
];

/** All of them. */
export const liveQueries: readonly LiveQuery[] = [
  ...values,
  ...liveSelections,
  ...spreads,
  ...meanings,
  ...groups.map((told): LiveQuery => ({ ...told, shows: 'groups' })),
  ...rows.map((told): LiveQuery => ({ ...told, shows: 'rows' })),
  ...named('orders', liveOrders),
  ...named('follows', liveFollows),
  ...liveMatrix,
  ...named('joins', liveJoins),
];

/** Queries of one kind, by which they can be asked for. */
function named(kind: string, queries: readonly LiveQuery[]): readonly LiveQuery[] {
  return queries.map((told) => ({ ...told, name: `${kind}: ${told.name}` }));
}
