// Parts of the order of an index as people write them: `orderBy({index}).skip(m).limit(n)`, `.slice(m, n)`, `.nth(n)`. They depend
// on its first rows alone, which RethinkDB watches: a `limit` is put on the order, and the rest reads the list of these.

import { callWith } from '../../reql/term/call-with.ts';
import { originOf } from '../../reql/term/origin-of.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { firstsOf } from '../../window.ts';
import { writtenOut } from '../rules/written-out.ts';
import { keepsElements } from './order-of.ts';
import { MOST_PLACES, takesPlaces, windowOf } from './range-of.ts';
import { isSliceOrder } from './slice.ts';

/** A part of an order that depends on its first rows alone, with a `limit` on the order; any other term as it is. */
export function limitedFirst(term: CallTerm): CallTerm {
  const parts = partsOf(term);
  const innermost = parts.at(-1);
  const order = innermost?.args[0];
  if (innermost === undefined || order?.kind !== 'call' || !isFilteredOrder(order)) return term;
  if (innermost.type === TermType.LIMIT) return term;
  if (parts.length === 1 && isLast(term)) return firstOfReversed(term, order);
  const end = endOf(parts);
  return end === undefined ? term : onOrder(parts, limited(term, order, end));
}

/** More terms over positions than this stand on one order for nobody. */
const MOST_PARTS = 64;

/** The terms over positions from one on inwards; none where there are too many to be looked at for each term above them. */
function partsOf(term: CallTerm): readonly CallTerm[] {
  const parts: CallTerm[] = [];
  for (let at: Term | undefined = term; at?.kind === 'call' && takesPlaces(at); at = at.args[0]) {
    if (parts.length === MOST_PARTS) return [];
    parts.push(writtenOut(at));
  }
  return parts;
}

/** `orderBy` by an index, with filters or without. */
function isFilteredOrder(term: CallTerm): boolean {
  let below: Term | undefined = term;
  while (below?.kind === 'call' && keepsElements(below)) [below] = below.args;
  return below?.kind === 'call' && isSliceOrder(below);
}

/** How many of the first rows the parts depend on; `undefined` where that is all of them, more than `limit` takes, or not written out. */
function endOf(parts: readonly CallTerm[]): number | undefined {
  const window = windowOf(parts.toReversed());
  const end = window === undefined ? undefined : firstsOf(window);
  return end !== undefined && end <= MOST_PLACES ? end : undefined;
}

/** The last row of an order is the first of the reverse one. */
function isLast({ type, args }: CallTerm): boolean {
  return (type === TermType.NTH || type === TermType.BRACKET) && args[1] !== undefined && isDatum(args[1], -1);
}

function firstOfReversed(term: CallTerm, order: CallTerm): CallTerm {
  return callWith(term, { args: [limited(term, reversed(order), 1), { kind: 'datum', value: 0 }] });
}

function reversed(order: CallTerm): CallTerm {
  if (!isSliceOrder(order)) {
    const [below, ...rest] = order.args;
    return below?.kind === 'call' ? callWith(order, { args: [reversed(below), ...rest] }) : order;
  }
  const optargs = order.optargs.map(([name, index]) => [name, name === 'index' ? opposite(index) : index] as const);
  return callWith(order, { optargs });
}

function opposite(index: Term): Term {
  if (index.kind === 'call' && index.type === TermType.DESC) return index.args[0] ?? index;
  const plain = index.kind === 'call' && index.type === TermType.ASC ? (index.args[0] ?? index) : index;
  return { kind: 'call', type: TermType.DESC, args: [plain], optargs: [], ...originOf(index) };
}

function limited(term: CallTerm, order: CallTerm, count: number): CallTerm {
  const args: readonly Term[] = [order, { kind: 'datum', value: count, ...originOf(term) }];
  return callWith(term, { type: TermType.LIMIT, args, optargs: [] });
}

function onOrder(parts: readonly CallTerm[], order: CallTerm): CallTerm {
  return parts.reduceRight((below, part) => callWith(part, { args: [below, ...part.args.slice(1)] }), order);
}

function isDatum(term: Term, value: number): boolean {
  return term.kind === 'datum' && term.value === value;
}
