// The variables that a term reads.

import { freeVars } from '../../reql/term/facts.ts';
import type { Term } from '../../reql/term/term.ts';
import type { VarId } from '../../reql/term/vars.ts';

/** Whether a term reads one of some variables. */
export function reads(term: Term, ids: ReadonlySet<VarId>): boolean {
  for (const id of freeVars(term)) if (ids.has(id)) return true;
  return false;
}
