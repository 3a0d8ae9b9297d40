// Joins and look-ups for each row, for the laws. Rows of `t` and `u` have keys 1 to 4, so that `n` is a key of the other table. What
// is zipped leaves `v` out: a time and an object cannot be merged.

import type { Reql } from '../reql.ts';
import type { LiveQuery } from './live-queries.ts';

/** Joins by a key of a table, or by an index. */
const eqJoins: readonly LiveQuery[] = [
  {
    name: 'eqJoin: how many pairs there are',
    several: true,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).count(),
  },
  {
    name: 'eqJoin: the pairs',
    several: true,
    shows: 'rows',
    query: (r) => r.table('t').eqJoin('n', r.table('u')),
  },
  {
    name: 'eqJoin: the pairs, zipped',
    several: true,
    shows: 'rows',
    query: (r) => r.table('t').without('v').eqJoin('n', r.table('u')).zip(),
  },
  {
    name: 'eqJoin: fields of the pairs, zipped',
    several: true,
    shows: 'rows',
    query: (r) => r.table('t').without('v').eqJoin('n', r.table('u')).zip().pluck('id', 'k', 'x'),
  },
  {
    name: 'eqJoin: by a function',
    several: true,
    query: (r) =>
      r
        .table('t')
        .eqJoin((row) => row('n').add(1), r.table('u'))
        .map((pair) => pair('left')('n').add(pair('right')('id')))
        .sum(),
  },
  {
    name: 'eqJoin: by arrays of which some hold null',
    several: true,
    query: (r) =>
      r
        .table('t')
        .eqJoin((row) => [row('x').default(0), row('n').default(null)], r.table('u'), { index: 'kn' })
        .count()
        .default('none'),
  },
  {
    name: 'eqJoin: groups by arrays of which some hold null',
    several: true,
    shows: 'groups',
    query: (r) =>
      r
        .table('t')
        .eqJoin((row) => [row('k'), row('x').default(null)], r.table('u'), { index: 'kn' })
        .group((pair) => pair('left')('n').default(null))
        .count(),
  },
  {
    name: 'eqJoin: by an index',
    several: true,
    query: (r) => r.table('t').eqJoin('k', r.table('u'), { index: 'k' }).count(),
  },
  {
    name: 'eqJoin: by an index, as rows',
    several: true,
    shows: 'rows',
    query: (r) =>
      r
        .table('t')
        .eqJoin('k', r.table('u'), { index: 'k' })
        .without({ right: { x: true } }),
  },
  {
    name: 'eqJoin: by a compound index',
    several: true,
    query: (r) =>
      r
        .table('t')
        .eqJoin((row) => [row('k'), row('n')], r.table('u'), { index: 'kn' })
        .map((pair) => pair('right')('id'))
        .coerceTo('array')
        .do((ids) => ids.count()),
  },
  {
    name: 'eqJoin: by a multi index',
    several: true,
    query: (r) => r.table('t').eqJoin('k', r.table('u'), { index: 'tags' }).count(),
  },
  {
    name: 'eqJoin: by a multi index, in groups',
    several: true,
    shows: 'groups',
    query: (r) =>
      r
        .table('t')
        .eqJoin('k', r.table('u'), { index: 'tags' })
        .group((pair) => pair('left')('k'))
        .count(),
  },
  {
    name: 'eqJoin: of a table with itself',
    query: (r) => r.table('t').eqJoin('n', r.table('t')).count(),
  },
  {
    name: 'eqJoin: of a table with itself, as rows',
    shows: 'rows',
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('t'))
        .map((pair) => [pair('left')('id'), pair('right')('id')]),
  },
  {
    name: 'eqJoin: in groups',
    several: true,
    shows: 'groups',
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('u'))
        .group((pair) => pair('right')('k').default('none'))
        .count(),
  },
  {
    name: 'eqJoin: in groups of a field, zipped',
    several: true,
    shows: 'groups',
    query: (r) => r.table('t').without('v').eqJoin('n', r.table('u')).zip().group('k').max('id')('id'),
  },
  {
    name: 'eqJoin: of what passes a filter',
    several: true,
    query: (r) =>
      r
        .table('t')
        .filter({ k: 'a' })
        .eqJoin('n', r.table('u'))
        .filter((pair) => pair('right')('k').ne('b'))
        .count(),
  },
  {
    name: 'eqJoin: of some keys',
    several: true,
    query: (r) => r.table('t').getAll(1, 2, 1).eqJoin('n', r.table('u')).count(),
  },
  {
    name: 'eqJoin: of an index',
    several: true,
    query: (r) => r.table('t').getAll('a', 'b', { index: 'k' }).eqJoin('n', r.table('u')).count(),
  },
  {
    name: 'eqJoin: of the first rows of an order',
    several: true,
    query: (r) => r.table('t').orderBy({ index: 'n' }).limit(2).eqJoin('n', r.table('u')).count(),
  },
  {
    name: 'eqJoin: of values',
    several: true,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n').default(null))
        .eqJoin((n) => n, r.table('u'))
        .count(),
  },
  {
    name: 'eqJoin: of values that may be missing',
    several: true,
    query: (r) =>
      r
        .table('t')
        .map((row) => row('n'))
        .eqJoin((n) => n, r.table('u'))
        .count(),
  },
  {
    name: 'eqJoin: of a join',
    several: true,
    query: (r) =>
      r.table('t').without('v').eqJoin('n', r.table('u')).zip().eqJoin('k', r.table('t'), { index: 'k' }).count(),
  },
  {
    name: 'eqJoin: of a join, by its right side',
    several: true,
    shows: 'rows',
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('u'))
        .eqJoin((pair) => pair('right')('n'), r.table('t'))
        .map((pair) => [pair('left')('left')('id'), pair('left')('right')('id'), pair('right')('id')]),
  },
  {
    name: 'eqJoin: a field that may be missing of each pair',
    several: true,
    shows: 'rows',
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('u'))
        .map((pair) => pair('right')('k').add(pair('left')('k')).default('-')),
  },
  {
    name: 'eqJoin: two figures of one join',
    several: true,
    query: (r) => {
      const pairs = r.table('t').without('v').eqJoin('n', r.table('u')).zip();
      return pairs.count().add(pairs.sum('n'));
    },
  },
  {
    name: 'eqJoin: distinct fields of the right side',
    several: true,
    shows: 'rows',
    query: (r) => r.table('t').eqJoin('n', r.table('u'))('right')('k').distinct(),
  },
  {
    name: 'eqJoin: a leaderboard',
    several: true,
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('u'))
        .group((pair) => pair('right')('id'))
        .count()
        .ungroup()
        .orderBy(r.desc('reduction'), 'group')
        .limit(2)('group')
        .coerceTo('array'),
  },
  {
    name: 'eqJoin: an order of pairs, as a list',
    several: true,
    query: (r) => r.table('t').without('v').eqJoin('n', r.table('u')).zip().orderBy('id', 'k')('id').coerceTo('array'),
  },
  {
    name: 'eqJoin: beside a figure of the table',
    several: true,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).count().mul(10).add(r.table('t').count()),
  },
  {
    name: 'eqJoin: united with rows',
    several: true,
    query: (r) => r.table('t').eqJoin('n', r.table('u')).union(r.table('u')).count(),
  },
];

/** Joins by a function of both sides. */
const compared: readonly LiveQuery[] = [
  {
    name: 'innerJoin: how many pairs there are',
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (row, other) => row('n').eq(other('id')))
        .count(),
  },
  {
    name: 'innerJoin: the other way round, with fields that may be missing on both sides',
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (row, other) => other('k').eq(row('k')))
        .count(),
  },
  {
    name: 'innerJoin: rows, zipped',
    query: (r) =>
      r
        .table('t')
        .without('v')
        .hasFields('k')
        .innerJoin(r.table('u').hasFields('k'), (row, other) => row('k').eq(other('k')))
        .zip()
        .pluck('id', 'k', 'n'),
    shows: 'rows',
  },
  {
    name: 'innerJoin: with further conditions',
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (row, other) =>
          row('k')
            .default(null)
            .eq(other('k').default(null))
            .and(row('n').lt(other('n'))),
        )
        .count(),
  },
  {
    name: 'innerJoin: with conditions that are always there',
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u'), (row, other) =>
          row('v')
            .default(0)
            .eq(other('v').default(0))
            .and(row('id').le(other('id'))),
        )
        .map((pair) => [pair('left')('id'), pair('right')('id')]),
    shows: 'rows',
  },
  {
    name: 'innerJoin: with a filter of the right side, in groups',
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('u').filter({ k: 'a' }), (row, other) => row('id').eq(other('n').default(-1)))
        .group((pair) => pair('left')('k').default('none'))
        .count(),
    shows: 'groups',
  },
  {
    name: 'innerJoin: of a table with itself',
    query: (r) =>
      r
        .table('t')
        .innerJoin(r.table('t'), (row, other) => row('id').eq(other('n').default(0)))
        .count(),
  },
  {
    name: 'outerJoin: rows with pairs and alone',
    query: (r) =>
      r
        .table('t')
        .outerJoin(r.table('u'), (row, other) => row('n').default(0).eq(other('id')))
        .map((pair) => [pair('left')('id'), pair('right')('id').default('alone')]),
    shows: 'rows',
  },
  {
    name: 'outerJoin: whole rows',
    query: (r) =>
      r.table('t').outerJoin(r.table('u').hasFields('k'), (row, other) => row('k').default('x').eq(other('k'))),
    shows: 'rows',
  },
  {
    name: 'outerJoin: zipped',
    query: (r) =>
      r
        .table('t')
        .without('v')
        .outerJoin(r.table('u'), (row, other) => row('id').eq(other('id')))
        .zip()
        .pluck('id', 'k'),
    shows: 'rows',
  },
  {
    name: 'outerJoin: how many are alone',
    query: (r) =>
      r
        .table('t')
        .outerJoin(r.table('u'), (row, other) => row('n').eq(other('n')))
        .filter((pair) => pair.hasFields('right').not())
        .count(),
  },
  {
    name: 'outerJoin: with further conditions',
    query: (r) =>
      r
        .table('t')
        .outerJoin(r.table('u'), (row, other) => row('id').eq(other('id')).and(other('n').default(0).gt(1)))
        .map((pair) => [pair('left')('id'), pair.hasFields('right')]),
    shows: 'rows',
  },
];

/** What is looked up for each row of `t` in `u`, or in `t` itself. */
const perRow: readonly LiveQuery[] = [
  { name: 'a row', query: (r) => r.table('t').map((row) => r.table('u').get(row('id'))), shows: 'rows' },
  {
    name: 'a row by a field that may be missing',
    query: (r) => r.table('t').map((row) => r.table('u').get(row('n')).default('none')),
    shows: 'rows',
  },
  {
    name: 'a row by a field that may be missing, without a default',
    query: (r) =>
      r
        .table('t')
        .map((row) => [row('id'), r.table('u').get(row('n'))])
        .coerceTo('array')
        .count(),
  },
  {
    name: 'a field of a row, with a default',
    query: (r) => r.table('t').merge((row: Reql) => ({ of: r.table('u').get(row('n'))('k').default(null) })),
    shows: 'rows',
  },
  {
    name: 'two fields of a row',
    query: (r) =>
      r
        .table('t')
        .map((row) => [r.table('u').get(row('id'))('k').default('-'), r.table('u').get(row('id'))('n').default('-')])
        .coerceTo('array')
        .count(),
  },
  {
    name: 'a count by an index',
    query: (r) =>
      r.table('t').merge((row: Reql) => ({
        of: r.table('u').getAll(row('k'), { index: 'k' }).count().default(-1),
      })),
    shows: 'rows',
  },
  {
    name: 'a row made anew, with its key under another name',
    query: (r) =>
      r.table('t').map((row) => ({
        of: { key: row('id') },
        sum: r.table('u').getAll(row('id'), { index: 'n' }).sum('id'),
      })),
    shows: 'rows',
  },
  {
    name: 'rows of an index that may have them twice',
    query: (r) =>
      r
        .table('t')
        .getAll('a', { index: 'tags' })
        .merge((row: Reql) => ({ of: r.table('t').get(row('n').default(0))('k').default(null) })),
    shows: 'rows',
  },
  {
    name: 'a count by an index and a sum by a filter',
    query: (r) =>
      r.table('t').map((row) => ({
        id: row('id'),
        count: r.table('u').getAll(row('k').default('a'), { index: 'k' }).count(),
        sum: r
          .table('u')
          .filter({ n: row('n').default(0) })
          .sum('id'),
        name: r.table('u').get(row('id'))('k').default(null),
      })),
    shows: 'rows',
  },
  {
    name: 'a filter by a function',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .filter((other) => other('n').eq(row('n')))
          .count(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a filter by a function, the other way round',
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter((other) => row('k').eq(other('k')))
            .count(),
        )
        .sum(),
  },
  {
    name: 'a filter by a function with a further condition',
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter((other) => other('k').eq(row('k')).and(other('n').gt(0)))
            .count(),
        )
        .sum(),
  },
  {
    name: 'a filter by two fields',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .filter((other) =>
            other('k')
              .eq(row('k'))
              .and(other('n').eq(row('n'))),
          )
          .count(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a filter by two fields of an object',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .filter({ k: row('k').default('a'), n: row('n').default(1) })
          .count(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a filter by a condition on both besides an equality',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .filter((other) =>
            other('k')
              .eq(row('k'))
              .and(other('id').gt(row('id'))),
          )
          .count(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a filter on both after a key',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .filter((other) => other('id').ge(row('id')))
          .orderBy('id')('id')
          .coerceTo('array'),
      ]),
    shows: 'rows',
  },
  {
    name: 'an average, which may be of nothing',
    query: (r) =>
      r
        .table('t')
        .map((row) => [row('id'), r.table('u').getAll(row('k').default('b'), { index: 'k' }).avg('n').default(null)]),
    shows: 'rows',
  },
  {
    name: 'an average, without a default',
    query: (r) =>
      r
        .table('t')
        .map((row) => r.table('u').getAll(row('k').default('b'), { index: 'k' }).avg('n'))
        .count(),
  },
  {
    name: 'the greatest, and whether there is any',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r.table('u').getAll(row('k').default('b'), { index: 'k' }).max('id')('id').default(0),
        r.table('u').getAll(row('k').default('b'), { index: 'k' }).isEmpty(),
        r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .contains((other) => other('id').eq(1)),
      ]),
    shows: 'rows',
  },
  {
    name: 'a list in order',
    query: (r) =>
      r.table('t').merge((row: Reql) => ({
        all: r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .orderBy('id')
          .pluck('id', 'n')
          .coerceTo('array'),
      })),
    shows: 'rows',
  },
  {
    name: 'the first rows of an order',
    query: (r) =>
      r.table('t').merge((row: Reql) => ({
        first: r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .orderBy(r.desc('id'))
          .limit(2)('id')
          .coerceTo('array'),
      })),
    shows: 'rows',
  },
  {
    name: 'the first row of an order',
    query: (r) =>
      r
        .table('t')
        .map((row) => [
          row('id'),
          r
            .table('u')
            .getAll(row('k').default('b'), { index: 'k' })
            .orderBy('n', r.desc('id'))
            .nth(0)('id')
            .default('none'),
        ]),
    shows: 'rows',
  },
  {
    name: 'figures of a part of an order',
    query: (r) =>
      r
        .table('t')
        .map((row) => [
          row('id'),
          r.table('u').getAll(row('k').default('b'), { index: 'k' }).orderBy('id').skip(1).limit(2).sum('id'),
        ]),
    shows: 'rows',
  },
  {
    name: 'distinct values',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .filter({ n: row('n').default(0) })('k')
          .distinct(),
      ]),
    shows: 'rows',
  },
  {
    name: 'how many distinct values there are',
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter({ n: row('n').default(0) })('k')
            .distinct()
            .count(),
        )
        .sum(),
  },
  {
    name: 'a reduction',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .filter({ n: row('n').default(0) })('id')
          .reduce((a, b) => a.add(b))
          .default(-1),
      ]),
    shows: 'rows',
  },
  {
    name: 'a sum of a function that may miss a field',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .map((other) => other('n').add(1))
          .sum()
          .default('missing'),
      ]),
    shows: 'rows',
  },
  {
    name: 'a sum over what the row says',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .map((other) => other('id').add(row('id')))
          .sum(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a filter of rows by what is there',
    query: (r) => r.table('t').filter((row) => r.table('u').get(row('n')).ne(null)),
    shows: 'rows',
  },
  {
    name: 'a filter of rows by a field that is looked up',
    query: (r) =>
      r
        .table('t')
        .filter((row) => r.table('u').get(row('n'))('k').eq('a'))
        .count(),
  },
  {
    name: 'a filter of rows by a count',
    query: (r) =>
      r
        .table('t')
        .filter((row) => r.table('u').getAll(row('k'), { index: 'k' }).count().gt(1))
        .sum('id'),
  },
  {
    name: 'groups by a field that is looked up',
    query: (r) =>
      r
        .table('t')
        .group((row) => r.table('u').get(row('n'))('k').default(null))
        .count(),
    shows: 'groups',
  },
  {
    name: 'groups of what was merged',
    query: (r) =>
      r
        .table('t')
        .merge((row: Reql) => ({ of: r.table('u').get(row('n').default(0))('k').default('none') }))
        .group('of')
        .max('id')('id'),
    shows: 'groups',
  },
  {
    name: 'elements of a list that is looked up',
    query: (r) =>
      r.table('t').concatMap((row) =>
        r
          .table('u')
          .getAll(row('k').default('b'), { index: 'k' })
          .map((other) => [row('id'), other('id')]),
      ),
    shows: 'rows',
  },
  {
    name: 'elements of lists, counted',
    query: (r) =>
      r
        .table('t')
        .concatMap((row) => r.table('u').getAll(row('k'), { index: 'k' }))
        .count(),
  },
  {
    name: 'a sum of what is looked up',
    query: (r) => r.table('t').sum((row) => r.table('u').get(row('n'))('n')),
  },
  {
    name: 'a count of what is looked up',
    query: (r) => r.table('t').count((row) => r.table('u').get(row('id')).eq(null)),
  },
  {
    name: 'the row with the greatest count',
    query: (r) =>
      r
        .table('t')
        .merge((row: Reql) => ({
          c: r
            .table('u')
            .filter({ n: row('id') })
            .count(),
        }))
        .orderBy(
          r.desc('c'),
          'id',
        )('id')
        .coerceTo('array'),
  },
  {
    name: 'a look-up by what was looked up',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('u')
          .get(r.table('u').get(row('n').default(0))('n').default(0))('k')
          .default('none'),
      ]),
    shows: 'rows',
  },
  {
    name: 'a count by a key that was looked up',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('t')
          .getAll(r.table('u').get(row('id'))('k').default('c'), { index: 'k' })
          .count(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a join by what is looked up',
    query: (r) =>
      r
        .table('t')
        .eqJoin((row) => r.table('u').get(row('n'))('n'), r.table('t'))
        .count(),
  },
  {
    name: 'a look-up for each pair',
    query: (r) =>
      r
        .table('t')
        .eqJoin('n', r.table('u'))
        .map((pair) => [
          pair('left')('id'),
          pair('right')('id'),
          r.table('t').getAll(pair('right')('k').default('a'), { index: 'k' }).count(),
        ]),
    shows: 'rows',
  },
  {
    name: 'rows that are among the values of a field',
    query: (r) => r.table('t').filter((row) => r.table('u')('n').contains(row('id'))),
    shows: 'rows',
  },
  {
    name: 'whether the field of a row is among the values of some rows',
    query: (r) =>
      r
        .table('t')
        .map((row) => [row('id'), r.table('u').filter({ k: 'a' })('n').distinct().contains(row('n')).default('?')]),
    shows: 'rows',
  },
  {
    name: 'pairs that are made by hand, zipped',
    query: (r) =>
      r
        .table('t')
        .map((row) => ({
          left: { id: row('id') },
          right: r.table('u').get(row('n').default(0)).default({}).pluck('k'),
        }))
        .zip(),
    shows: 'rows',
  },
  {
    name: 'with what is looked up for each row that it found',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        found(r, row)
          .map((one: Reql) => [one('id'), r.table('t').get(one('n').default(0))('k').default('-')])
          .orderBy((pair: Reql) => pair)
          .coerceTo('array'),
      ]),
    shows: 'rows',
  },
  {
    name: 'with what is looked up for the first of the rows that it found, in an order',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        found(r, row)
          .orderBy(r.desc('n'), 'id')
          .merge((one: Reql) => ({ of: r.table('t').get(one('n').default(0))('k').default('-') }))
          .filter((one: Reql) => r.table('t').get(one('id')).ne(null))
          .limit(2)
          .pluck('id', 'of')
          .coerceTo('array'),
      ]),
    shows: 'rows',
  },
  {
    name: 'with what is looked up twice for each row that it found',
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          found(r, row)
            .merge((one: Reql) => ({ a: r.table('t').get(one('n').default(0))('n').default(0) }))
            .merge((one: Reql) => ({ b: r.table('t').getAll(one('a')).count() }))
            .sum((one: Reql) => one('a').add(one('b'))),
        )
        .sum(),
  },
  {
    name: 'a join of the rows that it found',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        found(r, row)
          .eqJoin('n', r.table('t'))
          .map((pair: Reql) => [pair('left')('id'), pair('right')('id')])
          .orderBy((pair: Reql) => pair)
          .coerceTo('array'),
      ]),
    shows: 'rows',
  },
  {
    name: 'rows that pass a filter by what is looked up for them, in groups',
    query: (r) =>
      r
        .table('t')
        .group((row) =>
          found(r, row)
            .filter((one: Reql) => r.table('t').get(one('n'))('k').eq('a'))
            .count(),
        )
        .count(),
    shows: 'groups',
  },
  {
    name: 'rows of the rows that it found',
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter({ n: row('id') })
            .concatMap((one: Reql) => r.table('t').getAll(one('k'), { index: 'k' }))
            .count()
            .default(100),
        )
        .sum(),
  },
  {
    name: 'what is raised for one of the rows that it found',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        found(r, row)
          .map((one: Reql) => r.table('t').get(one('n'))('k'))
          .distinct()
          .default('lost'),
        found(r, row)
          .map((one: Reql) => one('n'))
          .orderBy((n: Reql) => n)
          .default('lost'),
      ]),
    shows: 'rows',
  },
  {
    name: 'a look-up after a look-up',
    query: (r) =>
      r
        .table('t')
        .merge((row: Reql) => ({ u: r.table('u').get(row('n').default(0))('n').default(0) }))
        .map((row) => r.table('t').getAll(row('u')).count())
        .sum(),
  },
  {
    name: 'rows of the same table',
    query: (r) =>
      r.table('t').map((row) => [
        row('id'),
        r
          .table('t')
          .filter({ n: row('id') })
          .count(),
      ]),
    shows: 'rows',
  },
  {
    name: 'a figure that is one for all rows',
    query: (r) => r.table('t').map((row) => row('id').add(r.table('u').count())),
    shows: 'rows',
  },
  {
    name: 'a row that is one for all rows',
    query: (r) =>
      r
        .table('t')
        .filter((row) => row('n').eq(r.table('u').get(1)('n')))
        .count(),
  },
  {
    name: 'rows that are equal to a figure of their table',
    query: (r) => r.table('t').filter((row) => row('id').eq(r.table('t').count())),
    shows: 'rows',
  },
  {
    name: 'for rows that are computed',
    query: (r) =>
      r
        .table('t')
        .group('k')
        .count()
        .ungroup()
        .map((row) => [
          row('group'),
          r
            .table('u')
            .filter({ k: row('group') })
            .count(),
        ]),
    shows: 'rows',
  },
  {
    name: 'for the first rows of an order',
    query: (r) =>
      r
        .table('t')
        .orderBy({ index: 'n' })
        .limit(2)
        .merge((row: Reql) => ({ of: r.table('u').get(row('n'))('k').default(null) })),
    shows: 'rows',
  },
  {
    name: 'for rows that are computed, in an order that ends with the row itself',
    query: (r) =>
      r
        .table('t')('k')
        .distinct()
        .map((k) => ({ k, many: r.table('u').filter({ k }).count() }))
        .orderBy(r.desc('many'), (row: Reql) => [row])
        .limit(2),
    shows: 'rows',
  },
  {
    name: 'for values',
    query: (r) =>
      r
        .table('t')('n')
        .map((n) => r.table('u').getAll(n).count())
        .sum(),
  },
  {
    name: 'by values of any type',
    query: (r) =>
      r
        .table('t')
        .map((row) =>
          r
            .table('u')
            .filter((other) => other('v').eq(row('v')))
            .count(),
        )
        .sum(),
  },
  {
    name: 'beside other figures',
    query: (r) =>
      r.expr({
        all: r.table('t').count(),
        with: r
          .table('t')
          .filter((row) => r.table('u').get(row('n')).ne(null))
          .count(),
      }),
  },
  {
    name: 'with a `do` between',
    query: (r) =>
      r.table('t').map((row) =>
        r
          .table('u')
          .get(row('id'))
          .do((other: Reql) => r.branch(other.eq(null), 'none', other('id'))),
      ),
    shows: 'rows',
  },
  {
    name: 'under a branch',
    query: (r) =>
      r
        .table('t')
        .map((row) => r.branch(row.hasFields('n'), r.table('u').get(row('n')), 'nobody'))
        .coerceTo('array')
        .count(),
  },
];

/** The rows of the other table that a row finds. */
function found(r: Reql, row: Reql): Reql {
  return r.table('u').getAll(row('k').default('a'), { index: 'k' });
}

/** All of them. */
export const liveJoins: readonly LiveQuery[] = [
  ...eqJoins,
  ...compared.map((told): LiveQuery => ({ ...told, several: true })),
  ...perRow.map(
    ({ name, ...told }): LiveQuery => ({ ...told, name: `looked up for each row: ${name}`, several: true }),
  ),
];
