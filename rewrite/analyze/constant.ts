// Terms whose value is the same wherever they stand in a query.

import { factsOf } from '../reql/term/facts.ts';
import type { Term } from '../reql/term/term.ts';

/** Whether a term reads no table, no variable and no row, and is no matter of chance; the instant of the query is no matter either. */
export function isConstant(term: Term): boolean {
  const { free, holdsRow, table, unsteady } = factsOf(term);
  return table === undefined && unsteady === undefined && !holdsRow && free !== 'many' && free.size === 0;
}
