// How well an answer agrees with the recorded one. Rows of a stream are compared as a bag where the query asks for no order:
// what a table gives without one is no promise.

import { TermType } from '../../rewrite/reql/term-type.ts';
import type { WireResponse } from './wire-client.ts';

/** To the letter; the same outcome with another text or backtrace; or neither. */
export type Agreement = 'letter' | 'outcome' | 'none';

/** JSON with the keys of objects in order, so that equal data are equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join(',')}}`;
  }
  return JSON.stringify(value) ?? 'undefined';
}

/** Whether two lists hold the same values, in whatever order. */
export function sameBag(a: readonly unknown[], b: readonly unknown[]): boolean {
  return canonical(a.map(canonical).sort()) === canonical(b.map(canonical).sort());
}

const FIRST_ERROR = 16;

/** Terms that keep the order of what they stand on. */
const KEEPING: ReadonlySet<number> = new Set([
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.MAP,
  TermType.FILTER,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
  TermType.BRACKET,
  TermType.HAS_FIELDS,
  TermType.WITH_FIELDS,
  TermType.CONCAT_MAP,
]);

/** Whether a query promises the order of its rows: an ORDER_BY under terms that keep it. */
export function promisesOrder(ast: unknown): boolean {
  if (!Array.isArray(ast)) return false;
  const [type, args]: readonly unknown[] = ast;
  if (type === TermType.ORDER_BY) return true;
  return typeof type === 'number' && KEEPING.has(type) && Array.isArray(args) && promisesOrder(args[0]);
}

/** `ordered`: whether the order of rows is promised. */
export function responseAgreement(expected: WireResponse, found: WireResponse, ordered: boolean): Agreement {
  if (expected.t !== found.t || expected.e !== found.e) return 'none';
  if (expected.t >= FIRST_ERROR) {
    return canonical([expected.r, expected.b]) === canonical([found.r, found.b]) ? 'letter' : 'outcome';
  }
  if (canonical(expected.n) !== canonical(found.n)) return 'none';
  const same =
    expected.t === 1 || ordered ? canonical(expected.r) === canonical(found.r) : sameBag(expected.r, found.r);
  return same ? 'letter' : 'none';
}
