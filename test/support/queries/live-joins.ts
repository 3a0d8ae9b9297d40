// Joins and look-ups for each row, for the laws. Rows of `t` and `u` have keys 1 to 4, so that `n` is a key of the other table.

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
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip(),
  },
  {
    name: 'eqJoin: fields of the pairs, zipped',
    several: true,
    shows: 'rows',
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().pluck('id', 'k', 'x'),
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
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().group('k').max('id')('id'),
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
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().eqJoin('k', r.table('t'), { index: 'k' }).count(),
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
        .map((pair) => pair('right')('k').add(pair('left')('k'))),
  },
  {
    name: 'eqJoin: two figures of one join',
    several: true,
    query: (r) => {
      const pairs = r.table('t').eqJoin('n', r.table('u')).zip();
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
    query: (r) => r.table('t').eqJoin('n', r.table('u')).zip().orderBy('id', 'k')('id').coerceTo('array'),
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

/** All of them. */
export const liveJoins: readonly LiveQuery[] = [...eqJoins];
