// reduce(f): any reduction. Where f is by its structure a sum, a least or a greatest it is kept as that; else as a balanced tree
// of partial reductions. f must be associative and commutative, as RethinkDB itself demands.

import { deriveReverse, sums } from '../reductions/derive-reverse.ts';
import { DerivedReduction } from '../reductions/derived-reduction.ts';
import { compiledFunction, reductionOfTerm } from '../reductions/reduction.ts';
import { TreeReduction } from '../reductions/tree-reduction.ts';
import type { EvalContext } from '../reql/eval/index.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { reductionOfNothing } from './no-value.ts';

/** `reduce(function)`. */
export const reduce: Aggregate = {
  term: TermType.REDUCE,
  name: 'reduce',
  takes(term) {
    const { reverse, base, emit } = reductionOfTerm(term);
    return reverse === undefined && base === undefined && emit === undefined;
  },
  growth: 'per row',
  argumentIs: 'combining',
  order: ([func]) => (func !== undefined && isExtreme(func) ? 'none' : 'listed'),
  empty: 'null',
  examples: [
    't("x").reduce((a, b) => a.add(b)).changes()',
    't("x").reduce((a, b) => a.mul(b)).changes({includeInitial: true})',
  ],
  project: (_, row) => [row],
  evaluate: (t, elements, term) => t.reduce(elements, reductionOfTerm(term).func),
  accumulator: accumulatorOf,
};

/** Whether a function takes the least or the greatest of what it is given, in every part. */
function isExtreme(func: Term): boolean {
  const derived = deriveReverse(func);
  return derived !== undefined && !sums(derived);
}

function accumulatorOf(term: CallTerm, context: EvalContext): Accumulator {
  const { func } = reductionOfTerm(term);
  const call = compiledFunction(func, 2, context);
  const nothing = reductionOfNothing(func.origin);
  const derived = deriveReverse(func);
  return derived === undefined ? new TreeReduction(call, nothing) : new DerivedReduction(derived, call, nothing);
}
