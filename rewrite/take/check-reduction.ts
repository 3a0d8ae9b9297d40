// The functions that a client gives to a reduction: checked when the feed is opened, so that none fails later.

import { reductionOfTerm } from '../aggregates/reduction.ts';
import { logicError } from '../reql/error.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { funcParts } from '../term/vars.ts';
import { checkDeterministic } from './argument.ts';

/**
 * Checks the parts of a reduction.
 * @throws ReqlError with the server's text, at the argument, for a function with the wrong number of parameters; a refusal
 *   for one that is not deterministic.
 */
export function checkReduction(term: CallTerm): void {
  const { func, reverse, base, emit } = reductionOfTerm(term);
  checkArity(func, 2);
  if (reverse !== undefined) checkArity(reverse, 2);
  if (emit !== undefined) checkArity(emit, 1);
  for (const part of [reverse, base, emit]) if (part !== undefined) checkDeterministic(part);
}

function checkArity(func: Term, wanted: number): void {
  const found = funcParts(func)?.params.length;
  if (found === undefined) throw logicError('Expected type FUNCTION but found DATUM.', func.origin);
  if (found === wanted) return;
  throw logicError(`Expected function with ${count(wanted)} but found function with ${count(found)}.`, func.origin);
}

function count(found: number): string {
  return `${found} argument${found === 1 ? '' : 's'}`;
}
