// The functions that a client gives beyond RethinkDB's own language (a reverse, a reducer): they are called again and again,
// by whoever folds, so each has to be a function of its arguments alone. Errors point to the argument.

import { logicError, ReqlError } from '../../reql/error.ts';
import { DEFAULT_EVALUATION } from '../../reql/eval/core/evaluation-limits.ts';
import { OPTION_STEPS, outsideContext } from '../../reql/eval/core/outside-context.ts';
import { evaluateClosed } from '../../reql/eval/core/pure-function.ts';
import { wrongType } from '../../reql/eval/core/value.ts';
import { checkQuery } from '../../reql/term/check.ts';
import { factsOf, freeVars } from '../../reql/term/facts.ts';
import { isSpread } from '../../reql/term/spread.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import { LeaveToServer } from '../context.ts';
import { checkDeterministic } from './argument.ts';

/**
 * Checks that an argument reads no table and nothing live, is deterministic, and compiles in the server's eyes.
 * @param name what the client calls it: `reverse`
 * @throws ReqlError at the argument, or where the server would refuse to compile it
 */
export function checkClientArgument(name: string, argument: Term): void {
  if (factsOf(argument).table !== undefined || freeVars(argument).size > 0) {
    const text = `The \`${name}\` reads a table or a live value: changes of what it reads would be missed.`;
    throw logicError(`${text} It may only use its arguments.`, argument.origin);
  }
  try {
    checkDeterministic(argument);
  } catch (error) {
    throw error instanceof ReqlError ? logicError(error.message, argument.origin) : error;
  }
  const call: CallTerm = { kind: 'call', type: TermType.FUNCALL, args: [argument], optargs: [] };
  const fault = checkQuery({ term: call, globalOptargs: [] });
  if (fault !== undefined) throw fault;
}

/**
 * Checks how many arguments a function takes.
 * @returns how many that is
 * @throws ReqlError with the server's text, at the function, for another number and for what is no function
 */
export function checkArity(func: Term, ...wanted: readonly [number, ...number[]]): number {
  const parts = funcParts(func);
  const found = parts?.params.length;
  // RethinkDB takes no functions out of `r.args`, and says so.
  if (isSpread(func)) throw new LeaveToServer();
  if (found === undefined) throw noFunction(func);
  if (wanted.includes(found)) return found;
  const text = `Expected function with ${count(wanted[0])} but found function with ${count(found)}.`;
  throw logicError(text, parts?.body.origin ?? func.origin);
}

/** The server's error for something else in the place of a function, shown as it is where it is a constant. */
function noFunction(term: Term): ReqlError {
  try {
    const context = outsideContext([], undefined, { ...DEFAULT_EVALUATION, maxSteps: OPTION_STEPS });
    return wrongType(evaluateClosed(term, context), 'FUNCTION', term.origin);
  } catch (error) {
    if (error instanceof ReqlError) return logicError('Expected type FUNCTION but found DATUM.', term.origin);
    throw error;
  }
}

function count(found: number): string {
  return `${found} argument${found === 1 ? '' : 's'}`;
}
