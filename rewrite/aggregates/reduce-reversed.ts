// reduce(f, {reverse: g}): a reduction that the client can undo, with `base` and `emit` where it gives them: the recipe of
// rethinkdb/rethinkdb#1118 with all four parts the client's own. In process the elements are kept, since a reverse that turns
// out wrong must not cost the value, unless f is by its structure a sum or the like, which needs no reverse of the client's;
// inside RethinkDB the state is constant, and the client's word is all there is.

import { CheckedReduction } from '../reductions/checked-reduction.ts';
import { deriveReverse } from '../reductions/derive-reverse.ts';
import { DerivedReduction } from '../reductions/derived-reduction.ts';
import {
  compiledFunction,
  constantOf,
  type Reduction,
  reductionOfTerm,
  reductionTerm,
} from '../reductions/reduction.ts';
import { ReversedReduction } from '../reductions/reversed-reduction.ts';
import type { Builder, Expression } from '../reql/build/build.ts';
import type { EvalContext } from '../reql/eval/index.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate, ServerFold } from './aggregate.ts';
import { reductionOfNothing } from './no-value.ts';

/** `reduce(function, reverse)`, `reduce(function, {reverse, base, emit})`. */
export const reduceReversed: Aggregate = {
  term: TermType.REDUCE,
  name: 'reduce with a reverse',
  takes: (term) => reductionOfTerm(term).reverse !== undefined,
  growth: 'per distinct value',
  argumentIs: 'combining',
  empty: 'null, or what `emit` makes of `base`',
  examples: [
    't("x").reduce((a, b) => a.add(b), (a, b) => a.sub(b)).changes()',
    't.reduce((acc, row) => acc.add(row("x")), {reverse: (acc, row) => acc.sub(row("x")), base: 0}).changes()',
  ],
  project: (_, row) => [row],
  server: serverFold,
  evaluate: reductionTerm,
  accumulator: accumulatorOf,
};

// acc is [count, value]: with the last element everything goes, so that what the reverse could not undo exactly goes as well.
function serverFold(term: CallTerm): ServerFold {
  const { func, reverse, base, emit } = partsOf(term);
  const empty = (t: Builder): Expression => [0, base ?? t.expr(null)];
  return {
    base: [0, base ?? null],
    apply: (t, acc, element) =>
      base === undefined
        ? t.branch(isEmpty(t, acc), [1, element], [t.add(count(t, acc), 1), t.do(func, value(t, acc), element)])
        : [t.add(count(t, acc), 1), t.do(func, value(t, acc), element)],
    unapply: (t, acc, element) =>
      t.branch(t.eq(count(t, acc), 1), empty(t), [t.sub(count(t, acc), 1), t.do(reverse, value(t, acc), element)]),
    emit(t, acc) {
      const emitted = emit === undefined ? value(t, acc) : t.do(emit, value(t, acc));
      return base === undefined ? t.branch(isEmpty(t, acc), t.reduce([], func), emitted) : emitted;
    },
  };
}

function partsOf(term: CallTerm): Reduction & { readonly reverse: Term } {
  const reduction = reductionOfTerm(term);
  if (reduction.reverse === undefined) throw new TypeError('a reduce without a reverse');
  return { ...reduction, reverse: reduction.reverse };
}

function count(t: Builder, acc: Term): Term {
  return t.nth(acc, 0);
}

function value(t: Builder, acc: Term): Term {
  return t.nth(acc, 1);
}

function isEmpty(t: Builder, acc: Term): Term {
  return t.eq(count(t, acc), 0);
}

function accumulatorOf(term: CallTerm, context: EvalContext): Accumulator {
  const { func, reverse, base, emit } = reductionOfTerm(term);
  const unapply = reverse === undefined ? undefined : compiledFunction(reverse, 2, context);
  if (unapply === undefined) throw new TypeError('a reduce without a reverse');
  const apply = compiledFunction(func, 2, context);
  const derived = base === undefined && emit === undefined ? deriveReverse(func) : undefined;
  if (derived !== undefined) {
    const exact = new DerivedReduction(derived, apply, reductionOfNothing(func.origin));
    return new CheckedReduction(exact, { apply, unapply });
  }
  return new ReversedReduction({
    apply,
    unapply,
    base: base === undefined ? undefined : constantOf(base, context),
    emit: emit === undefined ? (acc) => acc : compiledFunction(emit, 1, context),
    nothing: reductionOfNothing(func.origin),
  });
}
