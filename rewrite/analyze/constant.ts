// Terms whose value is the same wherever they stand in a query.

import { isDeterministic } from '../reql/term/deterministic.ts';
import { freeVars } from '../reql/term/facts.ts';
import type { Term } from '../reql/term/term.ts';
import { find } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';

/** Whether a term reads no table, no variable and no row, and is no matter of chance; the instant of the query is no matter either. */
export function isConstant(term: Term): boolean {
  return (
    isDeterministic(term, { constantNow: true, singleServer: true }) &&
    freeVars(term).size === 0 &&
    find(term, (inner) => inner.kind === 'call' && readsOutside.has(inner.type)) === undefined
  );
}

const readsOutside: ReadonlySet<number> = new Set([TermType.TABLE, TermType.IMPLICIT_VAR]);
