// reduce(f, {base, emit}): a reduction that starts from a base of its own, or shows something made of it, and has no reverse. The
// elements are kept and gone through anew, as nothing else is known of f: acc and elements may be of different types.

import { compiledFunction, constantOf, reductionOfTerm, reductionTerm } from '../reductions/reduction.ts';
import type { Datum } from '../reql/data/datum.ts';
import { ReqlError } from '../reql/error.ts';
import type { EvalContext } from '../reql/eval/index.ts';
import type { CallTerm } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { reductionOfNothing } from './no-value.ts';
import { Bag } from './state/bag.ts';

/** `reduce(function, {base, emit})`. */
export const reduceFromBase: Aggregate = {
  term: TermType.REDUCE,
  name: 'reduce with a base',
  takes(term) {
    const { reverse, base, emit } = reductionOfTerm(term);
    return reverse === undefined && (base !== undefined || emit !== undefined);
  },
  growth: 'per row',
  argumentIs: 'combining',
  empty: 'what `emit` makes of `base`',
  examples: ['t("x").reduce((acc, x) => acc.mul(x), {base: 1}).changes()'],
  project: (_, row) => [row],
  evaluate: reductionTerm,
  accumulator: accumulatorOf,
};

function accumulatorOf(term: CallTerm, context: EvalContext): Accumulator {
  const { func, base, emit } = reductionOfTerm(term);
  const apply = compiledFunction(func, 2, context);
  const first = base === undefined ? undefined : constantOf(base, context);
  const compiledEmit = emit === undefined ? undefined : compiledFunction(emit, 1, context);
  return new Bag((elements) => {
    try {
      const acc = foldAll(apply, first, elements);
      if (acc === undefined) return reductionOfNothing(func.origin);
      return compiledEmit === undefined ? acc : compiledEmit(acc);
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  });
}

function foldAll(
  apply: (acc: Datum, element: Datum) => Datum,
  base: Datum | undefined,
  elements: readonly Datum[],
): Datum | undefined {
  let acc = base;
  for (const element of elements) acc = acc === undefined ? element : apply(acc, element);
  return acc;
}
