// quantile: the number below which a given part of the numbers lies.

import { decimal } from '../../reql/data/ratio.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import type { Aggregate } from '../aggregate.ts';
import { valueElement } from '../element.ts';
import { RankedNumbers } from '../state/ranked-numbers.ts';

/** `changes({aggregate: ['quantile', 0.95]})`. */
export const quantile: Aggregate = {
  name: 'quantile',
  meaning:
    'with a part as in `["quantile", 0.95]`: the number below which that part of the numbers lies (`PERCENTILE_CONT` in SQL)',
  argument: { what: 'a number from 0 to 1', example: 0.95, accepts: isPart },
  growth: 'per distinct value',
  neverNull: true,
  empty: 'null',
  examples: [
    't("x").changes({aggregate: ["quantile", 0.95]})',
    't.group("k")("x").changes({aggregate: ["quantile", 0.5], includeInitial: true})',
  ],
  project: valueElement,
  accumulator: (term) => new RankedNumbers(decimal(partOf(term)), term.origin),
};

function isPart(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function partOf({ args: [, part] }: CallTerm): number {
  if (part?.kind !== 'datum' || !isPart(part.value)) throw new TypeError('a quantile without its argument');
  return part.value;
}
