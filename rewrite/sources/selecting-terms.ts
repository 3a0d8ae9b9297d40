// Terms that give some of the rows below them as they are.

import { TermType } from '../reql/term-type.ts';

/** Terms that select rows of a table, by an index where they name one. */
export const INDEX_SELECTIONS: readonly number[] = [
  TermType.GET_ALL,
  TermType.BETWEEN,
  TermType.BETWEEN_DEPRECATED,
  TermType.ORDER_BY,
  TermType.GET_INTERSECTING,
];

/** Terms that give some of the rows below them, each at most once. */
export const HANDING_ON: ReadonlySet<number> = new Set([
  TermType.FILTER,
  TermType.HAS_FIELDS,
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
]);
