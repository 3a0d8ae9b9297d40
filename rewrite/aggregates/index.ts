// Written by `npm run generate`: the aggregates, one of each file here and in `named` that exports one.

import type { CallTerm } from '../reql/term/term.ts';
import { type Aggregate, byTerm, isNamed, type NamedAggregate } from './aggregate.ts';
import { avg } from './avg.ts';
import { coerceToObject } from './coerce-to-object.ts';
import { collect } from './collect.ts';
import { contains } from './contains.ts';
import { count } from './count.ts';
import { isEmpty } from './is-empty.ts';
import { max } from './max.ts';
import { min } from './min.ts';
import { median } from './named/median.ts';
import { quantile } from './named/quantile.ts';
import { sampleStddev } from './named/sample-stddev.ts';
import { sampleVariance } from './named/sample-variance.ts';
import { stddev } from './named/stddev.ts';
import { variance } from './named/variance.ts';
import { point } from './point.ts';
import { reduce } from './reduce.ts';
import { reduceFromBase } from './reduce-from-base.ts';
import { reduceReversed } from './reduce-reversed.ts';
import { sum } from './sum.ts';

/** All aggregates, sorted by their constant's name. */
export const aggregates: readonly Aggregate[] = [
  avg,
  coerceToObject,
  collect,
  contains,
  count,
  isEmpty,
  max,
  median,
  min,
  point,
  quantile,
  reduce,
  reduceFromBase,
  reduceReversed,
  sampleStddev,
  sampleVariance,
  stddev,
  sum,
  variance,
];

/** The aggregate that a call of the client's query stands for. */
export function aggregateFor(term: CallTerm): Aggregate | undefined {
  for (const aggregate of ofTerms.get(term.type) ?? []) if (aggregate.takes?.(term) ?? true) return aggregate;
  return undefined;
}

const ofTerms = byTerm(aggregates);

/** Those that go by name, in the order of their names. */
export const namedAggregates: readonly NamedAggregate[] = aggregates
  .filter(isNamed)
  .sort((a, b) => (a.name < b.name ? -1 : 1));
