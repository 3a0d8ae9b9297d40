// The laws of a reduction, tried on sample elements with one another.

import type { Datum } from '../reql/data/datum.ts';
import { datumKey } from '../reql/data/datum-key.ts';
import { ReqlError } from '../reql/error.ts';
import type { EvalContext } from '../reql/eval/index.ts';
import type { CallTerm } from '../reql/term/term.ts';
import {
  type Counterexample,
  checkFirst,
  checkGrouping,
  checkOrder,
  checkUndone,
  type Law,
  smallest,
  warningOf,
} from './check-reverse.ts';
import { compiledFunction, constantOf, reductionOfTerm } from './reduction.ts';
import type { Combine } from './reduction-tree.ts';

/** A law, with the smallest values found for which it does not hold. */
export interface TriedLaw {
  readonly law: string;
  readonly counterexample: string | undefined;
}

/** So many different elements are tried with one another; all triples are. */
const MOST_ELEMENTS = 24;

/**
 * Tries the laws that a REDUCE term has to keep to be live: with a reverse that it undoes, and always that no order of the
 * elements gives another value.
 */
export function reductionLaws(term: CallTerm, elements: readonly Datum[], context: EvalContext): readonly TriedLaw[] {
  const { func, reverse, base } = reductionOfTerm(term);
  const apply = compiledFunction(func, 2, context);
  const first = base === undefined ? undefined : constantOf(base, context);
  const unapply = reverse === undefined ? undefined : compiledFunction(reverse, 2, context);
  const found = counterexamples(apply, unapply, first, different(elements));
  const laws: Law[] = ['the order of elements does not matter'];
  if (first === undefined && unapply === undefined) laws.push('the grouping of elements does not matter');
  if (unapply !== undefined) laws.unshift('the reverse undoes the function');
  return laws.map((law) => {
    const least = smallest(found.filter((one) => one?.law === law));
    return { law, counterexample: least === undefined ? undefined : warningOf(least).counterexample };
  });
}

function counterexamples(
  apply: Combine,
  unapply: Combine | undefined,
  base: Datum | undefined,
  elements: readonly Datum[],
): readonly (Counterexample | undefined)[] {
  const found: (Counterexample | undefined)[] = [];
  const pair = { apply, unapply: unapply ?? apply };
  for (const acc of [...(base === undefined ? elements : [base]), ...metOf(apply, base, elements)]) {
    for (const a of elements) {
      if (unapply !== undefined) found.push(checkUndone(pair, acc, a));
      for (const b of elements) {
        found.push(checkOrder(pair, acc, a, b));
        if (base === undefined) found.push(checkGrouping(apply, acc, a, b));
      }
    }
  }
  if (base === undefined) for (const a of elements) for (const b of elements) found.push(checkFirst(pair, a, b));
  return found;
}

/** The accs on the way through all elements, as far as the function does not fail. */
function metOf(apply: Combine, base: Datum | undefined, elements: readonly Datum[]): readonly Datum[] {
  const met: Datum[] = [];
  let acc = base;
  for (const element of elements) {
    try {
      acc = acc === undefined ? element : apply(acc, element);
    } catch (error) {
      if (error instanceof ReqlError) return met;
      throw error;
    }
    met.push(acc);
  }
  return met;
}

function different(elements: readonly Datum[]): readonly Datum[] {
  const byKey = new Map(elements.map((element) => [datumKey(element), element]));
  return [...byKey.values()].slice(0, MOST_ELEMENTS);
}
