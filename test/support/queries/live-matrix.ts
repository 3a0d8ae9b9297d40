// Live queries by table: every aggregate, ungrouped and in every kind of group, over sources of every kind. An aggregate meets
// every grouping; the sources take turns, so that every aggregate and every grouping meets nearly all of them.

import { avg, sum } from '../checks/exact-statistics.ts';
import { calledAs, type NamedStatistic, namedStatistics } from '../checks/named-statistics.ts';
import type { Argument, Query, Reql } from '../reql.ts';
import type { Exact, LiveQuery } from './live-queries.ts';

interface Source {
  readonly name: string;
  readonly rows: Query;
  /** It may give a row more than once. */
  readonly repeats?: true;
  /** As of a live query. */
  readonly several?: true;
}

interface Grouping {
  readonly name: string;
  readonly shows: 'value' | 'groups' | 'rows';
  /** Groups by an index stand on a table alone. */
  readonly onTable?: true;
  /** It may put a row into a group more than once. */
  readonly repeats?: true;
  readonly of: (rows: Reql) => Reql;
}

interface Template {
  readonly name: string;
  readonly of: (rows: Reql, r: Reql) => Reql;
  /** Ungrouped it is watched row by row. */
  readonly isRows?: true;
  /** It raises an error where a row comes twice. */
  readonly once?: true;
  readonly exact?: Pick<Exact, 'of' | 'byName'>;
  readonly changes?: LiveQuery['changes'];
}

const table: Source = { name: 'a table', rows: (r) => r.table('t') };

const sources: readonly Source[] = [
  table,
  { name: 'a filter', rows: (r) => r.table('t').filter((row) => row('n').gt(0)) },
  { name: 'a map', rows: (r) => r.table('t').map((row) => row.merge({ n: row('n').default(3).add(1) })) },
  { name: 'getAll', repeats: true, rows: (r) => r.table('t').getAll('a', 'b', 'a', { index: 'k' }) },
  { name: 'between', rows: (r) => r.table('t').between(1, 3, { rightBound: 'closed' }) },
  {
    name: 'a union',
    repeats: true,
    several: true,
    rows: (r) => r.table('t').union(r.table('u'), r.table('t').filter({ k: 'a' })),
  },
  {
    name: 'orderBy.limit',
    rows: (r) =>
      r
        .table('t')
        .orderBy({ index: r.desc('n') })
        .limit(3),
  },
  {
    name: 'concatMap',
    repeats: true,
    rows: (r) =>
      r.table('t').concatMap((row) =>
        row('tags')
          .default([])
          .map((tag) => row.merge({ k: tag })),
      ),
  },
];

const parity = (row: Reql): Argument => row('n').default(0).mod(2);

const groupings: readonly Grouping[] = [
  { name: 'ungrouped', shows: 'value', of: (rows) => rows },
  { name: 'by a field', shows: 'groups', of: (rows) => rows.group('k') },
  { name: 'by a field and a function', shows: 'groups', of: (rows) => rows.group('v', parity) },
  {
    name: 'by each of several values',
    shows: 'groups',
    repeats: true,
    of: (rows) => rows.group('tags', 'k', { multi: true }),
  },
  { name: 'by an index', shows: 'groups', onTable: true, of: (rows) => rows.group({ index: 'n' }) },
  { name: 'by a function, as rows', shows: 'rows', of: (rows) => rows.group(parity) },
];

const templates: readonly Template[] = [
  { name: 'count', of: (rows) => rows.count() },
  { name: 'count of a value', of: (rows) => rows('k').count('a') },
  { name: 'count by a predicate', of: (rows) => rows.count((row: Reql) => row('n').default(0).gt(1)) },
  { name: 'sum', of: (rows) => rows.sum('x'), exact: { of: sum } },
  { name: 'avg', of: (rows) => rows.avg('x'), exact: { of: avg } },
  { name: 'min', of: (rows) => rows.min('x')('x') },
  { name: 'max by a function', of: (rows) => rows.max((row: Reql) => [row('v'), row('id')])('v') },
  { name: 'max of elements', of: (rows) => rows('v').max() },
  { name: 'contains', of: (rows) => rows('v').contains(0, (v: Reql) => v.typeOf().eq('STRING')) },
  { name: 'isEmpty', of: (rows) => rows.isEmpty() },
  { name: 'a list', of: (rows) => rows.orderBy('id')('id').coerceTo('array') },
  {
    name: 'an object',
    once: true,
    of: (rows) => rows.map((row: Reql) => [row('id').coerceTo('string'), row('id').mul(2)]).coerceTo('object'),
  },
  { name: 'reduce to a sum', of: (rows) => rows('n').reduce((a: Reql, b: Reql) => a.add(b)) },
  { name: 'reduce in a tree', of: (rows) => rows('n').reduce((a: Reql, b: Reql) => a.mul(b)) },
  {
    name: 'reduce with a reverse',
    of: (rows) => rows('id').reduce((a: Reql, b: Reql) => a.mul(b)),
    changes: () => ({ reverse: (a: Reql, b: Reql) => a.div(b) }),
  },
  { name: 'distinct', of: (rows) => rows('v').distinct(), isRows: true },
  { name: 'distinct count', of: (rows) => rows('x').distinct().count() },
  ...namedStatistics.filter(isOnce).map(byName),
];

/** One quantile stands for all. */
function isOnce({ call }: NamedStatistic): boolean {
  return typeof call === 'string' || call[1] === 0.95;
}

/** An aggregate by name is over the stream itself; without the numbers that it cannot square, if it does that. */
function byName(told: NamedStatistic): Template {
  const of: Template['of'] = told.squares ? (rows) => rows('x').filter(isModest) : (rows) => rows('x');
  return { name: calledAs(told), of, exact: { of: told.of, byName: true }, changes: () => ({ aggregate: told.call }) };
}

function isModest(x: Reql): Reql {
  return x.eq(null).or(x.gt(-1e100).and(x.lt(1e100)));
}

/** Live queries: every aggregate in every grouping. */
export const liveMatrix: readonly LiveQuery[] = groupings.flatMap((grouping, turn) =>
  templates
    .filter(({ once }) => once !== true || grouping.repeats !== true)
    // Over rows of groups an aggregate by name is one over those, and not of each group.
    .filter(({ exact }) => exact?.byName !== true || grouping.shows !== 'rows')
    .map((template, at) => cell(template, grouping, sourceFor(template, grouping, at + turn))),
);

function sourceFor({ once }: Template, { onTable }: Grouping, turn: number): Source {
  if (onTable === true) return table;
  const takes = once === true ? sources.filter(({ repeats }) => repeats !== true) : sources;
  return takes[turn % takes.length] ?? table;
}

function cell(template: Template, grouping: Grouping, source: Source): LiveQuery {
  const { name, exact, changes } = template;
  const numbers: Template['of'] = exact?.byName === true ? template.of : (rows) => rows('x');
  const over = (of: Template['of']): Query => {
    const grouped: Query = (r) => of(grouping.of(source.rows(r)), r);
    return grouping.shows === 'rows' ? (r) => grouped(r).ungroup() : grouped;
  };
  return {
    name: `${name} ${grouping.name}, over ${source.name}`,
    query: over(template.of),
    shows: grouping.shows === 'value' && template.isRows === true ? 'rows' : grouping.shows,
    ...(source.several === undefined ? {} : { several: source.several }),
    ...(changes === undefined ? {} : { changes }),
    ...(exact === undefined
      ? {}
      : { exact: { ...exact, numbers: over((rows, r) => numbers(rows, r).coerceTo('array')) } }),
  };
}
