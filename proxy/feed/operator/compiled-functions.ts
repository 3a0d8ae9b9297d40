// The functions of a live query, made ready to be called: each is compiled once, whoever calls it.

import { countedFunction, type PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { CallTerm } from '../../../rewrite/reql/term/term.ts';

/** Makes a function ready to be called. */
export type Compile = (func: CallTerm) => PureFunction;

/** Compiles functions with one context, each once. */
export function compiledFunctions(context: EvalContext): Compile {
  const functions = new Map<CallTerm, PureFunction>();
  return (func) => {
    const known = functions.get(func);
    if (known !== undefined) return known;
    const made = countedFunction(func, context);
    functions.set(func, made);
    return made;
  };
}
