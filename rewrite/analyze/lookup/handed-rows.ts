// Terms that hand on the rows that they stand on, and terms that take rows by their places.

import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { readsPosition } from '../rules/above.ts';

/** Terms that hand on the rows of what they stand on, as a stream or a list. */
export const handsOn: ReadonlySet<number> = new Set([
  TermType.FILTER,
  TermType.MAP,
  TermType.CONCAT_MAP,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
  TermType.HAS_FIELDS,
  TermType.WITH_FIELDS,
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.DISTINCT,
]);

/** Terms that take rows by their places. */
const positional: ReadonlySet<number> = new Set([
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
  TermType.OFFSETS_OF,
]);

/** Whether a term takes rows by their places. */
export function isPositional(term: CallTerm): boolean {
  return positional.has(term.type) || readsPosition(term);
}
