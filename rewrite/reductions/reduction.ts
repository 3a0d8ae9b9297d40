// A call of `reduce` taken apart: the function, and what the client may have given beside it to undo it. Drivers send
// `reduce(f, g)` and `reduce(f, {reverse: g})` with a second positional argument, or optargs.

import { type Builder, builder, type Expression } from '../reql/build/build.ts';
import type { Datum } from '../reql/data/datum.ts';
import { logicError } from '../reql/error.ts';
import { type CallFunction, compileFunction, type EvalContext } from '../reql/eval/index.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import { funcParts } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';

/** The parts of the recipe for a live reduction: base, apply, unapply, emit. */
export interface Reduction {
  /** f(acc, element). */
  readonly func: Term;
  /** g(acc, element), which undoes f. */
  readonly reverse: Term | undefined;
  /** The acc of no elements; without it, the first element is the first acc. */
  readonly base: Term | undefined;
  /** What is shown of the acc. */
  readonly emit: Term | undefined;
}

/** The parts of a call of `reduce`, from its arguments after the sequence and its optargs. */
function reductionOf(args: readonly Term[], optargs: readonly Entry[] = []): Reduction | undefined {
  const [func, second] = args;
  if (func === undefined) return undefined;
  const fields = [...optargs, ...(second?.kind === 'object' ? second.fields : [])];
  const named = (name: string): Term | undefined => fields.find(([key]) => key === name)?.[1];
  const positional = second?.kind === 'call' && second.type === TermType.FUNC ? second : undefined;
  return { func, reverse: positional ?? named('reverse'), base: named('base'), emit: named('emit') };
}

/** The parts of a whole REDUCE term. */
export function reductionOfTerm(term: CallTerm): Reduction {
  const reduction = reductionOf(term.args.slice(1), term.optargs);
  if (reduction === undefined) throw new TypeError('a reduce without a function');
  return reduction;
}

/**
 * A function of the client to call in process, in the context of its query. Raises COMPILE_ERROR where it cannot run away from the server, QUERY_LOGIC where
 * it takes another number of arguments.
 */
export function compiledFunction(func: Term, arity: number, context: EvalContext): CallFunction {
  const params = funcParts(func)?.params.length ?? arity;
  if (params !== arity && params !== 0) {
    throw logicError(
      `Expected function with ${counted(arity)} but found function with ${counted(params)}.`,
      func.origin,
    );
  }
  const call = compileFunction(func, context);
  return (...given) => {
    // Each call is a piece of work of its own: a tree of a million values makes as many.
    context.meter.renew();
    return call(...given);
  };
}

/** The value of a term that reads nothing. */
export function constantOf(term: Term, context: EvalContext): Datum {
  return compiledFunction(
    builder(term.origin, () => 0).func(() => term, 0),
    0,
    context,
  )();
}

/** The value of a reduction over an array of elements, as ReQL. */
export function reductionTerm(t: Builder, elements: Term, term: CallTerm): Expression {
  const { func, base, emit } = reductionOfTerm(term);
  const acc = base === undefined ? t.reduce(elements, func) : t.fold(elements, base, func);
  return emit === undefined ? acc : t.do(emit, acc);
}

function counted(n: number): string {
  return `${n} argument${n === 1 ? '' : 's'}`;
}
