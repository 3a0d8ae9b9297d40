// Live queries over parts of orders that RethinkDB does not watch: each kind of order, over each kind of source, with each kind of
// part, read as rows, as a list, as one row, by aggregates and in groups. Every order ends with the primary key, or with all of the
// row: where rows are equal in an order the one-shot query may pick any.

import type { Shows } from '../checks/feed-state.ts';
import type { Reql } from '../reql.ts';
import type { LiveQuery } from './live-queries.ts';

interface Named<Of> {
  readonly name: string;
  readonly of: Of;
}

type Make = (r: Reql) => Reql;
type Above = (rows: Reql, r: Reql) => Reql;

/** Rows in an order. */
const orders: readonly Named<Make>[] = [
  { name: 'by a field', of: (r) => r.table('t').orderBy('n', 'id') },
  { name: 'by a field, descending', of: (r) => r.table('t').orderBy(r.desc('n'), 'id') },
  { name: 'by a field of any type', of: (r) => r.table('t').orderBy('v', r.desc('id')) },
  { name: 'by a function', of: (r) => r.table('t').orderBy((row) => row('n').mul(-1), 'id') },
  {
    name: 'by several',
    of: (r) =>
      r.table('t').orderBy(
        'k',
        r.desc((row) => row('n').mul(2)),
        'id',
      ),
  },
  { name: 'by one after another', of: (r) => r.table('t').orderBy(r.desc('id')).orderBy('k').orderBy('n') },
  { name: 'by an index and more', of: (r) => r.table('t').orderBy('k', r.desc('id'), { index: 'n' }) },
  { name: 'of keys', of: (r) => r.table('t').getAll('a', 'b', { index: 'k' }).orderBy('n', 'id') },
  { name: 'of a range', of: (r) => r.table('t').between(1, 3, { index: 'n' }).orderBy(r.desc('k'), 'id') },
  {
    name: 'of what passes a filter',
    of: (r) =>
      r
        .table('t')
        .filter((row) => row('n').gt(0))
        .orderBy('k', 'id'),
  },
  { name: 'that a filter thins', of: (r) => r.table('t').orderBy('n', 'id').filter({ k: 'a' }) },
  { name: 'of smaller rows', of: (r) => r.table('t').pluck('id', 'n', 'k').orderBy('n', 'id') },
  {
    name: 'of what is made of rows',
    of: (r) =>
      r
        .table('t')
        .map((row) => ({ id: row('id'), n: row('k').default(0) }))
        .orderBy(r.desc('n'), 'id'),
  },
  {
    name: 'of a union',
    of: (r) =>
      r
        .table('t')
        .union(r.table('u'))
        .orderBy('n', (row) => row),
  },
  {
    name: 'of distinct values',
    of: (r) =>
      r
        .table('t')
        .pluck('k', 'n')
        .distinct()
        .map((row) => row.merge({ id: 0 }))
        .orderBy('n', (row) => row),
  },
  {
    name: 'of groups',
    of: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .map((row) => ({ id: row('group'), n: row('reduction') }))
        .orderBy(r.desc('n'), 'id'),
  },
];

/** Parts of an order. */
const parts: readonly Named<Above>[] = [
  { name: 'the first two', of: (rows) => rows.limit(2) },
  { name: 'all but the first', of: (rows) => rows.skip(1) },
  { name: 'the second and the third', of: (rows) => rows.slice(1, 3) },
  { name: 'the first of all but the first', of: (rows) => rows.skip(1).limit(1) },
  { name: 'a closed part', of: (rows) => rows.slice(0, 1, { leftBound: 'open', rightBound: 'closed' }) },
  { name: 'all to a closed end', of: (rows) => rows.slice(1, -1, { rightBound: 'closed' }) },
];

/** What is read of a part. */
const readings: readonly (Named<Above> & { readonly shows?: Shows })[] = [
  { name: 'as rows', shows: 'rows', of: (rows) => rows },
  { name: 'as a list', of: (rows) => rows.coerceTo('array') },
  { name: 'summed', of: (rows) => rows.sum((row) => row('id').coerceTo('string').count()) },
  { name: 'counted by group', shows: 'groups', of: (rows) => rows.group('n').count() },
  { name: 'as fields', shows: 'rows', of: (rows) => rows('n') },
  { name: 'the greatest', of: (rows) => rows.max('id')('id').default(null) },
];

/** Orders with parts and readings, each in turn, so that all meet. */
const met: readonly LiveQuery[] = orders.flatMap((order, at) =>
  [0, 1, 2].map((turn): LiveQuery => {
    const part = parts[(at + turn * 2) % parts.length] ?? { name: '', of: (rows: Reql) => rows };
    const reading = readings[(at + turn) % readings.length] ?? { name: '', of: (rows: Reql) => rows };
    const name = `${part.name} of an order ${order.name}, ${reading.name}`;
    const query: Make = (r) => reading.of(part.of(order.of(r), r), r);
    return {
      name,
      query,
      ...('shows' in reading && reading.shows !== undefined ? { shows: reading.shows } : { moments: true }),
      ...(order.name === 'of a union' ? { several: true } : {}),
    };
  }),
);

const values: readonly LiveQuery[] = [
  { name: 'the first row of an order', query: (r) => r.table('t').orderBy('n', 'id').nth(0)('id') },
  {
    name: 'a field of the first row of an order',
    query: (r) => r.table('t').orderBy(r.desc('n'), 'id').nth(0)('n').default('none'),
  },
  { name: 'the last row of an order', query: (r) => r.table('t').orderBy('n', 'id').nth(-1)('id') },
  { name: 'the third row of an order', query: (r) => r.table('t').orderBy('k', 'id').nth(2)('id') },
  {
    name: 'the error of a place in an order',
    query: (r) =>
      r
        .table('t')
        .orderBy('k', 'id')
        .nth(3)('id')
        .default((error: Reql) => error),
  },
  { name: 'a place by a bracket', query: (r) => r.table('t').orderBy('k', 'id')(1)('id').default(null) },
  { name: 'the last but one of a list', query: (r) => fields(r).orderBy('n', 'id').nth(-2)('id') },
  { name: 'the last two of a list', query: (r) => fields(r).orderBy('n', 'id').slice(-2)('id').coerceTo('array') },
  {
    name: 'all but the ends of a list',
    query: (r) => fields(r).orderBy('n', 'id').slice(1, -1)('id').coerceTo('array'),
  },
  {
    name: 'a part of a list that counts from behind its start',
    query: (r) =>
      fields(r).orderBy('n', 'id').slice(-3, -1, { leftBound: 'open', rightBound: 'closed' })('id').coerceTo('array'),
  },
  {
    name: 'the last of the first three',
    query: (r) => fields(r).orderBy('n', 'id').limit(3).slice(-1)('id').coerceTo('array'),
  },
  {
    name: 'the first of the last three',
    query: (r) => fields(r).orderBy('n', 'id').slice(-3).limit(1)('id').coerceTo('array'),
  },
  {
    name: 'parts of one order',
    query: (r) =>
      r.expr([first(r, 2).sum('id'), first(r, 3).avg('id').default(null), first(r, 2).count(), r.table('t').count()]),
  },
  { name: 'a span of the first', query: (r) => first(r, 3)('n').max().sub(first(r, 3)('n').min()).default('none') },
  {
    name: 'the first of a part in another order',
    query: (r) => first(r, 3).orderBy(r.desc('id')).limit(1)('id').coerceTo('array'),
  },
  { name: 'a reduction of a part in its order', query: (r) => first(r, 3)('id').reduce((a, b) => a.mul(10).sub(b)) },
  {
    name: 'the first of an order, and what is made of it',
    query: (r) =>
      first(r, 1)
        .nth(0)
        .do((row) => ({ id: row('id'), n: row('n').default(-1) }))
        .default(null),
  },
  { name: 'all but the first by an index', query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1).sum('n') },
  {
    name: 'all but the first by an index, as a list',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .slice(1)('id')
        .coerceTo('array'),
  },
  {
    name: 'a part by an index that a filter may fail in',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: 'n' })
        .filter((row) => row('n').add(1).gt(1))
        .limit(2)('id')
        .coerceTo('array'),
  },
  { name: 'the distinct values of a part', query: (r) => first(r, 3)('k').distinct().coerceTo('array') },
  { name: 'a part beside the table', query: (r) => first(r, 2).sum('id').div(r.table('t').sum('id').add(1)) },
  { name: 'a part contains', query: (r) => first(r, 2).contains((row) => row('id').gt(2)) },
  { name: 'a part is empty', query: (r) => r.table('t').orderBy('n', 'id').skip(2).isEmpty() },
  {
    name: 'the average of a part',
    query: (r) => r.table('t').orderBy('n', 'id').skip(1).limit(3)('id').avg().default('none'),
  },
];

const rows: readonly LiveQuery[] = [
  { name: 'the last two of a list, as rows', query: (r) => fields(r).orderBy('n', 'id').slice(-2)('id') },
  { name: 'all but the ends of a list, as rows', query: (r) => fields(r).orderBy('n', 'id').slice(1, -1) },
  { name: 'the distinct values of a part, as rows', query: (r) => first(r, 3)('k').distinct() },
  { name: 'the first by an index, but the first', query: (r) => r.table('t').orderBy({ index: 'n' }).skip(1).limit(2) },
  {
    name: 'the first by an index, made smaller',
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(2).pluck('id', 'n'),
  },
  {
    name: 'the first by an index, then in another order',
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(3).orderBy('k', 'id').limit(2),
  },
  { name: 'the first rows, merged', query: (r) => first(r, 2).merge({ first: true }) },
  { name: 'the first rows, without a field', query: (r) => first(r, 3).without('v', 'x') },
  { name: 'what passes a filter of the first rows', query: (r) => first(r, 3).filter({ k: 'a' }) },
  { name: 'fields of the first rows', query: (r) => r.table('t').orderBy('id').withFields('id', 'k').limit(2) },
  { name: 'a field in an order, where it is', query: (r) => r.table('t').orderBy(r.desc('id'))('k').limit(2) },
  {
    name: 'items of the first rows',
    query: (r) =>
      first(r, 2)
        .hasFields('tags')
        .concatMap((row) => row('tags')),
  },
];

const groups: readonly LiveQuery[] = [
  { name: 'the first of each group', query: (r) => r.table('t').group('k').orderBy('n', 'id').limit(1) },
  {
    name: 'the first two keys of each group',
    query: (r) => r.table('t').group('k').orderBy(r.desc('n'), 'id').limit(2)('id'),
  },
  { name: 'the one first of each group', query: (r) => r.table('t').group('k').orderBy('n', 'id').nth(0)('id') },
  { name: 'the last of each group', query: (r) => r.table('t').group('k').orderBy('n', 'id').nth(-1)('id') },
  { name: 'all but the first of each group', query: (r) => r.table('t').group('k').orderBy('id').skip(1)('id') },
  { name: 'the last two of each group', query: (r) => r.table('t').group('k').orderBy('id').slice(-2)('id') },
  {
    name: 'the sum of the first of each group',
    query: (r) => r.table('t').group('k').orderBy('n', 'id').limit(2).sum('id'),
  },
  {
    name: 'the second of each group, or none',
    query: (r) => r.table('t').group('k').orderBy('n', 'id').nth(1)('id').default('none'),
  },
  {
    name: 'the first of each group that pass a filter',
    query: (r) => r.table('t').group('k').orderBy('id').filter({ n: 1 }).limit(1)('id'),
  },
  {
    name: 'the first of each group of an order',
    query: (r) => r.table('t').orderBy(r.desc('id')).group('k').limit(2)('id'),
  },
];

/** Rows that RethinkDB takes for a list, of which places count from the end. */
function fields(r: Reql): Reql {
  return r.table('t').pluck('id', 'n', 'k');
}

/** The first rows of one order. */
function first(r: Reql, count: number): Reql {
  return r.table('t').orderBy('n', 'id').limit(count);
}

/** All of them. */
export const liveOrders: readonly LiveQuery[] = [
  ...met,
  ...values.map((told): LiveQuery => ({ ...told, moments: true })),
  ...rows.map((told): LiveQuery => ({ ...told, shows: 'rows' })),
  ...groups.map((told): LiveQuery => ({ ...told, shows: 'groups' })),
];
