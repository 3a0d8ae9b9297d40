// Functions of ReQL called with values that may be errors: for what the proxy plan evaluates by itself.

import type { Datum } from '../../data/datum.ts';
import type { ReqlError } from '../../error.ts';
import type { CallTerm, Term } from '../../term/term.ts';
import { compileCall, type EvalContext, guarded } from '../index.ts';
import { drain } from '../streams/materialize.ts';
import { Stream } from '../streams/stream.ts';
import { compileTerm, outermost } from './compile.ts';
import { counted, explained } from './counted.ts';
import { toDatum } from './value.ts';

/** A function of ReQL; an argument that is an error is raised where the function reads it. */
export type PureFunction = (args: readonly (Datum | ReqlError)[]) => Datum;

/**
 * Makes a FUNC ready to be called. Raises COMPILE_ERROR for terms that need a server; the function raises the errors of
 * its terms, and those of the variables that it reads.
 */
export function pureFunction(func: CallTerm, context: EvalContext): PureFunction {
  return compileCall(func, context);
}

/** The same, and each call is a piece of work of its own, with all the steps that the context's meter allows. */
export function countedFunction(func: CallTerm, context: EvalContext): PureFunction {
  const call = pureFunction(func, context);
  return (args) => {
    context.meter.renew();
    return call(args);
  };
}

/** The value of a term without free variables. Raises its errors, and COMPILE_ERROR for terms that need a server. */
export function evaluateClosed(term: Term, context: EvalContext): Datum {
  try {
    return guarded(() => {
      const compiled = compileTerm(term, outermost(context));
      const value = compiled.eval(undefined);
      const datum = value instanceof Stream ? drain(value, context) : toDatum(value, compiled.maker());
      return counted(datum, context.meter);
    });
  } catch (error) {
    throw explained(error, term);
  }
}
