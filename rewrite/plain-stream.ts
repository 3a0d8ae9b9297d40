// The `changes` that are RethinkDB's own business: selections with per-row terms, which it watches itself, and other plain
// streams, which it refuses in its own words.

import { TermType } from './reql/term-type.ts';
import type { CallTerm, Term } from './term/term.ts';

/** Terms that hand on rows of the stream that is their first argument. */
const overStreams: ReadonlySet<number> = new Set([
  TermType.GET_ALL,
  TermType.BETWEEN,
  TermType.BETWEEN_DEPRECATED,
  TermType.GET_INTERSECTING,
  TermType.GET_NEAREST,
  TermType.GET,
  TermType.FILTER,
  TermType.MAP,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.MERGE,
  TermType.BRACKET,
  TermType.GET_FIELD,
  TermType.WITH_FIELDS,
  TermType.HAS_FIELDS,
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
  TermType.SAMPLE,
  TermType.INNER_JOIN,
  TermType.OUTER_JOIN,
  TermType.EQ_JOIN,
  TermType.ZIP,
]);

/** Whether a term hands on rows of the streams that are its arguments, as far as its type says. */
export function isOverStreams(type: number): boolean {
  return overStreams.has(type) || type === TermType.UNION;
}

/** Terms whose result can change type, so that what stands above them may be an expression: `get(1)('n')`. */
const toOneRow: ReadonlySet<number> = new Set([TermType.GET, TermType.NTH]);

function givesOneRow({ type, args }: CallTerm): boolean {
  const [, argument] = args;
  // `seq(0)` is `seq.nth(0)`.
  const nth = type === TermType.BRACKET && argument?.kind === 'datum' && typeof argument.value === 'number';
  return nth || toOneRow.has(type);
}

/** Whether a term under `changes` is left to the server: a table, or terms that hand on rows of one. */
export function isPlainStream(root: Term): boolean {
  const unseen: Term[] = [root];
  for (let term = unseen.pop(); term !== undefined; term = unseen.pop()) {
    if (term.kind !== 'call') return false;
    if (term.type === TermType.TABLE) continue;
    const [below] = term.args;
    if (below === undefined) return false;
    if (isNativeExtreme(term)) {
      if (term !== root) return false;
    } else if (term.type === TermType.UNION) {
      unseen.push(...term.args);
    } else if (overStreams.has(term.type) && (term === root || !givesOneRow(term))) {
      unseen.push(below);
    } else {
      return false;
    }
  }
  return true;
}

/** `min` and `max` of a table by an index, or by its primary key when neither field nor function is given. */
export function isNativeExtreme(term: Term): boolean {
  if (term.kind !== 'call' || (term.type !== TermType.MIN && term.type !== TermType.MAX)) return false;
  const [below] = term.args;
  return term.args.length === 1 && below?.kind === 'call' && below.type === TermType.TABLE;
}
