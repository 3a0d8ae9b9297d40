// The functions that a client gives to a reduction: checked when the feed is opened, so that none fails later.

import { reductionOfTerm } from '../../reductions/reduction.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { checkArity, checkClientArgument } from './client-function.ts';

/**
 * Checks the parts of a reduction.
 * @throws ReqlError at the part, with the server's text for a function with the wrong number of parameters; for one that
 *   reads a table or is not deterministic
 */
export function checkReduction(term: CallTerm): void {
  const { func, reverse, base, emit } = reductionOfTerm(term);
  checkArity(func, 2);
  if (reverse !== undefined) checkArity(reverse, 2);
  if (emit !== undefined) checkArity(emit, 1);
  for (const [name, part] of Object.entries({ reverse, base, emit })) {
    if (part !== undefined) checkClientArgument(name, part);
  }
}
