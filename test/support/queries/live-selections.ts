// Live queries over several selections of one table, or over one that gives rows several times: what is shown of them has to have
// been at some moment.

import type { Reql } from '../reql.ts';
import type { LiveQuery } from './live-queries.ts';

/** The rows of a key of an index. */
function keyed(r: Reql, k: string): Reql {
  return r.table('t').getAll(k, { index: 'k' });
}

/** The first rows by an index. */
function firsts(r: Reql, index: string, limit: number): Reql {
  return r.table('t').orderBy({ index }).limit(limit);
}

/** The last rows by an index. */
function lasts(r: Reql, index: string, limit: number): Reql {
  return r
    .table('t')
    .orderBy({ index: r.desc(index) })
    .limit(limit);
}

/** Each selection is read with the others as one source. */
const asOne: readonly LiveQuery[] = [
  {
    name: 'a share of two keys',
    query: (r) => {
      const [a, b] = [keyed(r, 'a').count(), keyed(r, 'b').count()];
      return r.branch(a.add(b).eq(0), 'none', a.div(a.add(b)));
    },
  },
  { name: 'a union of two keys', query: (r) => keyed(r, 'a').union(keyed(r, 'b')).count() },
  { name: 'a sum over a union of two keys', query: (r) => keyed(r, 'a').union(keyed(r, 'b')).sum('id') },
  {
    name: 'ranges that touch',
    query: (r) =>
      r.expr([r.table('t').between(0, 2, { index: 'n' }).count(), r.table('t').between(2, 9, { index: 'n' }).count()]),
  },
  {
    name: 'ranges with a gap between them',
    query: (r) =>
      r.expr([
        r.table('t').between(0, 1, { index: 'n' }).count(),
        r.table('t').between(1, 9, { index: 'n', leftBound: 'open', rightBound: 'closed' }).sum('n'),
      ]),
  },
  {
    name: 'a range and a key of an index',
    query: (r) =>
      r
        .table('t')
        .between(0, 2, { index: 'n' })
        .count()
        .mul(10)
        .add(r.table('t').getAll(3, 1, { index: 'n' }).count()),
  },
  {
    name: 'an open range and the table',
    query: (r) => r.expr([r.table('t').between(r.minval, 2, { index: 'n' }).count(), r.table('t').count()]),
  },
  {
    name: 'ranges of values of any type',
    query: (r) =>
      r.expr([
        r.table('t').between(r.minval, 'a', { index: 'v' }).count(),
        r.table('t').between(false, r.maxval, { index: 'v' }).count(),
        r.table('t').orderBy({ index: 'v' }).count(),
        r.table('t').count(),
      ]),
  },
  {
    name: 'ranges of the primary key',
    query: (r) =>
      r.expr([
        r.table('t').between(1, 3).count(),
        r.table('t').between(2, r.maxval, { leftBound: 'open' }).sum('n'),
        r.table('t').get(2)('n').default(null),
      ]),
  },
  { name: 'two rows by key of one table', query: (r) => r.table('t').get(1).ne(null).or(r.table('t').get(2).ne(null)) },
  {
    name: 'selections by two indexes',
    query: (r) =>
      keyed(r, 'a')
        .count()
        .sub(r.table('t').getAll(1, { index: 'n' }).count()),
  },
  {
    name: 'a key and the whole table',
    query: (r) => r.expr({ of: r.table('t').count(), a: keyed(r, 'a').count(), one: r.table('t').get(1).eq(null) }),
  },
  {
    name: 'the first rows of an order and the table',
    query: (r) => lasts(r, 'n', 2).count().add(r.table('t').count()),
  },
  {
    name: 'the sum of the first and of all',
    query: (r) => r.expr([firsts(r, 'n', 2).sum('id'), r.table('t').sum('id')]),
  },
  {
    name: 'the first rows that pass a filter, and the table',
    query: (r) =>
      r.expr([
        r.table('t').orderBy({ index: 'n' }).filter({ k: 'a' }).limit(2)('id').sum(),
        r.table('t').filter({ k: 'a' }).count(),
      ]),
  },
  {
    name: 'the first rows as a list, and their number',
    query: (r) => r.expr([lasts(r, 'id', 2)('id').coerceTo('array'), r.table('t').count()]),
  },
  {
    name: 'both ends of an index',
    query: (r) => r.expr([firsts(r, 'n', 1)('n').sum(), lasts(r, 'n', 1)('n').sum()]),
  },
  {
    name: 'both ends of a compound index',
    query: (r) => r.expr([firsts(r, 'kn', 2)('id').sum(), lasts(r, 'kn', 2)('id').sum()]),
  },
  {
    name: 'both ends of an index of values of any type',
    query: (r) => r.expr([firsts(r, 'v', 2)('id').sum(), lasts(r, 'v', 2)('id').sum(), r.table('t').count()]),
  },
  {
    name: 'the first of a multi index and the table',
    query: (r) => r.expr([firsts(r, 'tags', 3)('id').sum(), r.table('t').count()]),
  },
  {
    name: 'a span by an index',
    query: (r) =>
      r.branch(
        r.table('t').hasFields('n').isEmpty(),
        null,
        r
          .table('t')
          .max({ index: 'n' })('n')
          .sub(r.table('t').min({ index: 'n' })('n')),
      ),
  },
  {
    name: 'the least and the greatest key',
    query: (r) => r.branch(r.table('t').isEmpty(), null, [r.table('t').min()('id'), r.table('t').max()('id')]),
  },
  {
    name: 'quotients of the first rows, of which others cannot be taken',
    query: (r) =>
      r.expr([
        lasts(r, 'n', 1)
          .map((row) => r.branch(row('n').eq(0), 0, r.expr(6).div(row('n'))))
          .sum(),
        r.table('t').count(),
      ]),
  },
  {
    name: 'keys and ranges of a compound index',
    query: (r) =>
      r.expr([
        r.table('t').getAll(['a', 1], { index: 'kn' }).count(),
        r.table('t').between(['a', r.minval], ['b', 2], { index: 'kn' }).count(),
        r.table('t').count(),
      ]),
  },
  {
    name: 'a multi index and the table',
    query: (r) =>
      r.expr([
        r.table('t').getAll('a', { index: 'tags' }).count(),
        r.table('t').between('a', 'c', { index: 'tags' }).sum('id'),
        r.table('t').count(),
      ]),
  },
  { name: 'a key that is named twice', query: (r) => r.table('t').getAll('a', 'b', 'a', { index: 'k' }).count() },
  { name: 'a primary key that is named twice', query: (r) => r.table('t').getAll(1, 2, 1).sum('n') },
  {
    name: 'filters of one table',
    query: (r) =>
      r.expr([r.table('t').filter({ k: 'a' }).count(), r.table('t').filter({ k: 'b' }, { default: true }).count()]),
  },
];

/** Feeds of these wait until upstream is quiet. */
const quiet: readonly LiveQuery[] = [
  { name: 'a range of a multi index', query: (r) => r.table('t').between('a', 'c', { index: 'tags' }).count() },
  { name: 'keys of a multi index', query: (r) => r.table('t').getAll('a', 'b', { index: 'tags' }).sum('id') },
  {
    name: 'keys of an index of a function, and the table',
    query: (r) => r.expr([r.table('t').getAll(2, 4, { index: 'twice' }).count(), r.table('t').count()]),
  },
  {
    name: 'two keys of an index of a function',
    query: (r) =>
      r.expr([
        r.table('t').getAll(2, { index: 'twice' }).count(),
        r.table('t').getAll('a!', { index: 'marks' }).count(),
      ]),
  },
];

/** All of them. */
export const liveSelections: readonly LiveQuery[] = [
  ...asOne.map((told): LiveQuery => ({ ...told, moments: true })),
  ...quiet.map((told): LiveQuery => ({ ...told, moments: true, several: true })),
];
