// Written by `npm run generate`: the aggregates, one of each file of this folder that exports one.

import type { CallTerm } from '../term/term.ts';
import type { Aggregate } from './aggregate.ts';
import { avg } from './avg.ts';
import { coerceToObject } from './coerce-to-object.ts';
import { collect } from './collect.ts';
import { contains } from './contains.ts';
import { count } from './count.ts';
import { isEmpty } from './is-empty.ts';
import { max } from './max.ts';
import { min } from './min.ts';
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
  min,
  point,
  reduce,
  reduceFromBase,
  reduceReversed,
  sum,
];

/** The aggregate that a call of the client's query stands for. */
export function aggregateFor(term: CallTerm): Aggregate | undefined {
  return aggregates.find((aggregate) => aggregate.term === term.type && (aggregate.takes?.(term) ?? true));
}
