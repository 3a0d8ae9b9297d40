// Parts of an order that are kept in the proxy, where RethinkDB watches none: `orderBy(...).limit(n)`, `skip`, `slice` and `nth`, over
// tables, selections, groups and rows that are computed. All rows are kept, in order; what shows is a window on them.
//
//   table.orderBy('k', r.desc('n')).filter(f).map(g).skip(2).limit(3)
//         └── keys, of equal rows the primary key ──┘  └──┘  └─ window ─┘       f is below the window, g above it

import type { Top } from '../../live.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Range } from '../../window.ts';
import type { Analysis } from '../analysis.ts';
import { type Branch, branchOf, type RowsBase, type Stream } from '../piece.ts';
import { above } from '../rules/above.ts';
import { baseOrder } from '../rules/collect.ts';
import { isGrouped, missedBy } from '../rules/missed.ts';
import { typeOf } from '../rules/stream-type.ts';
import { consumedInOrder, keyFields, keysOf, orderTerm } from './order-keys.ts';
import { keepsElements } from './order-of.ts';
import { rangeOf } from './range-of.ts';

/**
 * The part of an order that a term takes, as rows; `undefined` where the stream is in no order, or in one of which a list is kept
 * as a whole.
 */
export function partOfOrder(analysis: Analysis, term: CallTerm, stream: Stream): Stream | undefined {
  const range = rangeOf(term);
  return range === undefined ? undefined : (narrower(stream, range) ?? partOf(analysis, term, stream, range));
}

/** A part of a part: one window. */
function narrower(stream: Stream, range: Range): Stream | undefined {
  const [branch, ...more] = stream.branches;
  if (branch?.root.kind !== 'rows' || more.length > 0 || stream.tail.length > 0) return undefined;
  const { rows } = branch.root;
  if (rows.kind !== 'top' || !branch.chain.every(keepsNumber)) return undefined;
  const narrowed: Top = { ...rows, window: [...rows.window, range] };
  return { ...stream, branches: [{ ...branch, root: { ...branch.root, rows: narrowed } }] };
}

function partOf(analysis: Analysis, term: CallTerm, stream: Stream, range: Range): Stream | undefined {
  const { orders, filters, moved, inTheWay } = ordering(analysis, stream);
  const own = ownOrder(analysis, term, stream);
  const all = own === undefined ? orders : [own, ...orders];
  if (all.length === 0 || stream.lost !== undefined || !isKept(stream, filters)) return undefined;
  if (inTheWay !== undefined) {
    if (isAtHand(stream)) return undefined;
    throw refusal(inTheWay.term, inTheWay.reason);
  }
  const { branches, made } = keptOf(stream, filters);
  if (made.length > 0 && filters.length > 0) return undefined;
  const bag: Stream = { kind: 'stream', branches, tail: [] };
  const order = keysOf(analysis, term, bag, { own, orders, made });
  const top: Top = {
    kind: 'top',
    of: consumedInOrder(analysis, term, bag, order),
    computed: order.areFields ? [] : order.keys.map(({ descending }) => descending),
    fields: [...(order.areFields ? keyFields(order) : []), ...order.tie],
    window: [range],
  };
  const type = typeOf({ ...stream, tail: [...stream.tail, term] });
  const base: RowsBase = {
    kind: 'rows',
    rows: top,
    array: type.inMemory,
    selection: type.selection,
    order: { by: { term: orderTerm(analysis, term, order) }, descending: false },
  };
  const objects = branches.every((branch) => branch.objects);
  // Terms before an order are evaluated for all rows.
  const missed = isGrouped(bag)
    ? []
    : missedBy(analysis, term, { ...stream, branches: made.length > 0 ? stream.branches : branches, tail: [] });
  return { kind: 'stream', branches: [[...made, ...moved].reduce(above, branchOf(base, objects, missed))], tail: [] };
}

/** Terms of a stream's tail, by what becomes of them. */
interface Ordering {
  /** Innermost first. */
  readonly orders: readonly CallTerm[];
  /** They leave rows out: below the window. */
  readonly filters: readonly CallTerm[];
  /** They make one element of each: above the window, so that rows beyond it are never made anything of. */
  readonly moved: readonly CallTerm[];
  /** Why the part is no window on rows in an order. */
  readonly inTheWay?: { readonly term: CallTerm; readonly reason: string };
}

function ordering(analysis: Analysis, { tail }: Stream): Ordering {
  const orders: CallTerm[] = [];
  const filters: CallTerm[] = [];
  const moved: CallTerm[] = [];
  for (const term of tail) {
    const [made] = moved;
    const single = filterOf(analysis, term);
    if (made !== undefined && !keepsNumber(term))
      return { orders, filters, moved, inTheWay: { term: made, reason: BEHIND } };
    if (term.type === TermType.ORDER_BY) orders.push(term);
    else if (keepsElements(term)) filters.push(term);
    else if (keepsNumber(term)) moved.push(term);
    else if (single !== undefined) {
      filters.push(single);
      moved.push(term);
    } else return { orders, filters, moved, inTheWay: { term, reason: BEFORE } };
  }
  return { orders, filters, moved };
}

const BEHIND = 'it stands between an order and what depends on it. Put it behind the part of the order that is taken';
const BEFORE =
  'it stands between an order and the part of it that is taken. Put it before `orderBy`, or behind the part';

/** Whether a term makes exactly one element of each. */
function keepsNumber({ type, args }: CallTerm): boolean {
  return type === TermType.MAP ? args.length === 2 : one.has(type);
}

const one: ReadonlySet<number> = new Set([TermType.PLUCK, TermType.WITHOUT, TermType.MERGE]);

/**
 * The filter for what a term leaves out that makes one element of each that has a field; `undefined` for other terms. A field that
 * is null is there, but for `withFields`.
 */
function filterOf(analysis: Analysis, term: CallTerm): CallTerm | undefined {
  return filtersOf.get(term.type)?.(analysis.context.builder(term), term);
}

/** It raises NON_EXISTENCE where the field is not there, for which a filter leaves the row out. */
const whereFieldIs = (t: Builder, { args: [, field] }: CallTerm): CallTerm | undefined =>
  field === undefined
    ? undefined
    : t.filter(
        t.array(),
        t.func((row) => t.ne(t.typeOf(t.bracket(row, field)), ''), 1),
      );

const filtersOf: ReadonlyMap<number, (t: Builder, term: CallTerm) => CallTerm | undefined> = new Map([
  [TermType.WITH_FIELDS, (t: Builder, { args }: CallTerm) => t.hasFields(t.array(), ...args.slice(1))],
  [TermType.BRACKET, whereFieldIs],
  [TermType.GET_FIELD, whereFieldIs],
]);

/** Whether all rows of a stream are to be kept in order: a list that is at hand in its order, with terms over it, is a list. */
function isKept({ branches }: Stream, filters: readonly CallTerm[]): boolean {
  return branches.every((branch) => isBranchKept(branch, branches.length === 1, filters));
}

function isBranchKept({ root: base, chain }: Branch, isAlone: boolean, filters: readonly CallTerm[]): boolean {
  switch (base.kind) {
    case 'selection':
      return !base.limited;
    case 'join':
      return true;
    case 'rows':
      return isAlone && chain.slice(countOfFilters(chain)).every(keepsNumber);
    case 'group':
      // A group stays though nothing may be left in it.
      return filters.length === 0;
  }
}

/** What is kept of a stream, and what is made of it. */
interface Kept {
  readonly branches: readonly Branch[];
  /** Innermost first. */
  readonly made: readonly CallTerm[];
}

/** Rows that are computed are kept as they are, so that those that are equal in an order stay in their own. */
function keptOf({ branches }: Stream, filters: readonly CallTerm[]): Kept {
  const [branch] = branches;
  if (branch?.root.kind !== 'rows') return { branches: branches.map((one) => filters.reduce(above, one)), made: [] };
  const count = countOfFilters(branch.chain);
  const made = branch.chain.slice(count);
  const objects = made.length === 0 ? branch.objects : branch.root.rows.kind === 'ungroup';
  const below = branchOf(branch.root, objects, branch.missed);
  return { branches: [[...branch.chain.slice(0, count), ...filters].reduce(above, below)], made };
}

function countOfFilters(chain: readonly CallTerm[]): number {
  const count = chain.findIndex((term) => !keepsElements(term));
  return count === -1 ? chain.length : count;
}

/** Whether the whole list is at hand, so that any term can read it. */
function isAtHand({ branches }: Stream): boolean {
  return branches.every(({ root: base }) => base.kind === 'rows' || base.kind === 'group');
}

/** The order in which rows that are computed are, as an `orderBy`. */
function ownOrder(analysis: Analysis, term: CallTerm, { branches: [branch, ...more] }: Stream): CallTerm | undefined {
  if (branch?.root.kind !== 'rows' || more.length > 0) return undefined;
  return baseOrder(analysis, analysis.context.builder(term), branch.root);
}
