// A list that is written out as a stream of rows, which never change: what is united with a table.

import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcTerm } from '../../reql/term/vars.ts';
import { constantValue, isConstant } from '../constant.ts';
import { LeaveToServer } from '../context.ts';
import { branchOf, type RowsBase, type Stream } from '../piece.ts';

/** The items of a constant as rows; `undefined` where it is none. Of what is no list the server says so. */
export function listStream(term: CallTerm, list: Term): Stream | undefined {
  if (!isConstant(list)) return undefined;
  const value = constantValue(list);
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw new LeaveToServer();
  const rows: RowsBase['rows'] = { kind: 'flat', of: { kind: 'expression', of: [], func: funcTerm([], list, term) } };
  return {
    kind: 'stream',
    branches: [branchOf({ kind: 'rows', rows, array: true, order: undefined }, false)],
    tail: [],
  };
}
