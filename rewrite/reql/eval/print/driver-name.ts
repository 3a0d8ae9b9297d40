// The spelling of each term by the printer of functions: by what name, and whether chained, called or alone.

import type { CallTerm } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';

/** The name of a variable. */
export function variableName(id: number): string {
  return id < 0 ? `_var${-id}` : `var${id}`;
}

/** Terms that stand alone, `r.monday`. */
export const BARE: ReadonlySet<number> = new Set([
  TermType.MINVAL,
  TermType.MAXVAL,
  TermType.IMPLICIT_VAR,
  ...range(TermType.MONDAY, TermType.DECEMBER),
]);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Terms that are not chained to their first argument. */
const PREFIXED: ReadonlySet<number> = new Set<number>([
  TermType.ERROR,
  TermType.UUID,
  TermType.HTTP,
  TermType.DB,
  TermType.EQ,
  TermType.NE,
  TermType.LT,
  TermType.LE,
  TermType.GT,
  TermType.GE,
  TermType.NOT,
  TermType.ADD,
  TermType.SUB,
  TermType.MUL,
  TermType.DIV,
  TermType.MOD,
  TermType.BIT_AND,
  TermType.BIT_OR,
  TermType.BIT_XOR,
  TermType.BIT_NOT,
  TermType.BIT_SAL,
  TermType.BIT_SAR,
  TermType.OBJECT,
  TermType.RANGE,
  TermType.DB_CREATE,
  TermType.DB_DROP,
  TermType.DB_LIST,
  TermType.BRANCH,
  TermType.OR,
  TermType.AND,
  TermType.JSON,
  TermType.ISO8601,
  TermType.EPOCH_TIME,
  TermType.NOW,
  TermType.TIME,
  ...range(TermType.MONDAY, TermType.DECEMBER),
  TermType.LITERAL,
  TermType.RANDOM,
  TermType.GEOJSON,
  TermType.POINT,
  TermType.LINE,
  TermType.POLYGON,
  TermType.CIRCLE,
  TermType.VAR,
  TermType.MAKE_ARRAY,
  TermType.MAKE_OBJ,
  TermType.ARGS,
  TermType.JAVASCRIPT,
  TermType.ASC,
  TermType.DESC,
  TermType.MINVAL,
  TermType.MAXVAL,
]);

/** Whether a term is printed as a method of its first argument. */
export function isChained(term: CallTerm): boolean {
  if (term.type === TermType.TABLE || term.type === TermType.FUNCALL) return term.args.length === 2;
  return !PREFIXED.has(term.type);
}

/** `camelCase` of a wire name. */
export function driverName(name: string): string {
  return name.toLowerCase().replace(/_(.?)/g, (_, letter: string) => (letter === '' ? '_' : letter.toUpperCase()));
}
