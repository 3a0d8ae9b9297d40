// Parts of an order that are kept in the proxy, where RethinkDB watches none: `orderBy(...).limit(n)`, `skip`, `slice` and `nth`, over
// tables, selections, groups and rows that are computed. All rows are kept, in order; what shows is a window on them.
//
//   table.orderBy('k', r.desc('n')).filter(f).map(g).skip(2).limit(3)
//         └── keys, of equal rows the primary key ──┘  └──┘  └─ window ─┘       f is below the window, g above it

import { argumentValue, isFunction } from '../../aggregates/element.ts';
import type { Elements, OrderField, Top } from '../../live.ts';
import { appliedToRow, type Consumer, onTop, withVariables } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, varOf } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import { indexValue } from '../../sources/index-values.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Range } from '../../window.ts';
import type { Analysis } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { argumentCanFail } from '../failure.ts';
import { type Branch, branchOf, type RowsBase, type Stream } from '../piece.ts';
import { above } from './above.ts';
import { argumentsOf, checkApplied, checkDeterministic, optargOf } from './argument.ts';
import { baseOrder } from './collect.ts';
import { indexFields, indexName } from './index-field.ts';
import { isGrouped, missedBy } from './missed.ts';
import { keepsElements } from './order-of.ts';
import { rangeOf } from './range-of.ts';
import { typeOf } from './stream-type.ts';

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
    of: consumed(analysis, term, bag, order),
    computed: order.areFields ? [] : order.keys.map(({ descending }) => descending),
    fields: [...(order.areFields ? order.keys.flatMap(fieldOf) : []), ...order.tie],
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
  // What is made of rows before they are ordered is made of all of them.
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

/** In which order rows are. */
interface Ordered {
  /** Their own. */
  readonly own: CallTerm | undefined;
  /** What they are ordered by besides, innermost first. */
  readonly orders: readonly CallTerm[];
  /** What is made of them before that. */
  readonly made: readonly CallTerm[];
}

/** A key of an order. */
interface Key {
  readonly descending: boolean;
  /** The field that it is, where it is one. */
  readonly field?: string;
  /** Its value, as ReQL. */
  value(t: Builder, row: Term): Term;
  /** The argument of `orderBy` that says it for a list. */
  readonly argument: Term;
}

interface Keys {
  /** Outermost first. */
  readonly keys: readonly Key[];
  /** Whether all of them are fields of rows that are objects, so that a row is all that is needed. */
  readonly areFields: boolean;
  /** What decides between rows that are equal in all keys. */
  readonly tie: readonly OrderField[];
  /** A key can raise more than NON_EXISTENCE. */
  readonly fails: boolean;
}

function keysOf(analysis: Analysis, term: CallTerm, bag: Stream, ordered: Ordered): Keys {
  const { own, orders, made } = ordered;
  const objects = bag.branches.every((branch) => branch.objects);
  const byOrders = [...orders].reverse().flatMap((order) => keysBy(analysis, order));
  const all = [
    ...(made.length === 0 ? byOrders : byOrders.map((key) => keyOfMade(analysis, term, key, made))),
    ...(own === undefined ? [] : keysBy(analysis, own)),
  ];
  const keys = withoutRow(all);
  const areFields = (objects || keys.length === 0) && keys.every(({ field }) => field !== undefined);
  return {
    keys,
    areFields,
    // Rows that are in the order of all that they are have no ties.
    tie: own === undefined && keys.length === all.length ? tieOf(analysis, term, bag, orders) : [],
    fails: keys.some(({ field, argument }) => (field === undefined ? argumentCanFail(argument, objects) : !objects)),
  };
}

/** The key of what terms make of a row, as one of the row. */
function keyOfMade(analysis: Analysis, term: CallTerm, key: Key, made: readonly CallTerm[]): Key {
  const t = analysis.context.builder(term);
  const value = (inner: Builder, row: Term): Term =>
    key.value(
      inner,
      made.reduce<Term>((below, one) => madeOf(inner, withVariables(one, analysis.context.fresh), below), row),
    );
  const func = t.func((row) => value(t, row), 1);
  return { descending: key.descending, value, argument: key.descending ? t.desc(func) : func };
}

/** What a term that makes one element of each makes of one. */
function madeOf(t: Builder, made: CallTerm, row: Term): Term {
  const [, func] = made.args;
  if (made.type !== TermType.MAP) return onTop(made, row);
  return func?.kind === 'call' && isFunction(func) ? appliedToRow(t, func, row) : t.nth(onTop(made, t.array(row)), 0);
}

/** Of rows that are equal in all keys the least comes first, without a key for it. */
function withoutRow(keys: readonly Key[]): readonly Key[] {
  const last = keys.at(-1);
  return last !== undefined && !last.descending && isRow(last.argument) ? keys.slice(0, -1) : keys;
}

function isRow(argument: Term): boolean {
  const parts = funcParts(argument);
  return parts !== undefined && varOf(parts.body) === parts.params[0];
}

function keysBy(analysis: Analysis, order: CallTerm): readonly Key[] {
  checkApplied(order);
  const own = argumentsOf(analysis.context, order).map((argument): Key => {
    checkDeterministic(argument);
    const { by, descending } = directed(argument);
    // What names no field is refused by the server.
    if (by.kind === 'object' || (by.kind === 'datum' && typeof by.value !== 'string')) throw new LeaveToServer();
    const field = by.kind === 'datum' && typeof by.value === 'string' ? { field: by.value } : {};
    return { descending, ...field, value: (t, row) => argumentValue(t, by, row), argument };
  });
  const index = optargOf(order, 'index');
  return index === undefined ? own : [indexKey(analysis, order, index), ...own];
}

function directed(argument: Term): { readonly by: Term; readonly descending: boolean } {
  const isMarked = argument.kind === 'call' && (argument.type === TermType.DESC || argument.type === TermType.ASC);
  const by = isMarked ? (argument.args[0] ?? argument) : argument;
  return { by, descending: isMarked && argument.type === TermType.DESC };
}

function indexKey(analysis: Analysis, order: CallTerm, index: Term): Key {
  const { by, descending } = directed(index);
  const known = indexFields(analysis, order, indexName(order, by));
  if (known.multi)
    throw refusal(order, 'an index that is `multi` orders a row several times. Use a function instead of it');
  const [only, ...more] = known.fields;
  const field = known.compound || only === undefined || more.length > 0 ? {} : { field: only };
  const t = analysis.context.builder(order);
  const value = (inner: Builder, row: Term): Term => indexValue(inner, row, known);
  const func = t.func((row) => value(t, row), 1);
  return { descending, ...field, value, argument: descending ? t.desc(func) : func };
}

/** Rows of a table that are equal otherwise are in the order of the primary key: backwards where an index that is `desc` orders them. */
function tieOf(analysis: Analysis, term: CallTerm, bag: Stream, orders: readonly CallTerm[]): readonly OrderField[] {
  const [first] = orders;
  const index = first === undefined ? undefined : optargOf(first, 'index');
  const descending = index !== undefined && directed(index).descending;
  const keys = new Set(bag.branches.map((branch) => primaryKeyOf(analysis, term, branch)));
  const [key, ...more] = keys;
  return key === undefined || more.length > 0 ? [] : [{ field: key, descending }];
}

/** The primary key of the rows of a table, as far as it is known. */
function primaryKeyOf(analysis: Analysis, term: CallTerm, { root: base, objects }: Branch): string | undefined {
  if (!objects) return undefined;
  switch (base.kind) {
    case 'selection': {
      const table = tableBelow(base.term);
      return table === undefined ? undefined : analysis.context.primaryKey(table);
    }
    case 'group': {
      const table = tableBelow(term);
      return table === undefined ? undefined : analysis.context.primaryKey(table);
    }
    case 'rows':
    case 'join':
      return undefined;
  }
}

/** Rows are carried whole, and their keys are read in the proxy, where that is all that they are. */
function consumed(analysis: Analysis, term: CallTerm, bag: Stream, { keys, areFields, fails }: Keys): Elements {
  const consumer: Consumer = areFields
    ? { term, isIdentity: true, mayRaise: true, elements: (t, row) => t.array(row) }
    : {
        term,
        mayRaise: fails || bag.branches.every(({ objects }) => objects),
        elements: (t, row) => {
          const boxes = keys.map(({ value }) => t.default(t.array(value(t, row)), []));
          return t.array(t.array(t.array(...boxes), row));
        },
      };
  return analysis.context.consume(bag, consumer);
}

/** The order of all keys, as an `orderBy` over an array. */
function orderTerm(analysis: Analysis, term: CallTerm, { keys, tie }: Keys): CallTerm {
  const t = analysis.context.builder(term);
  const ties = tie.map(({ field, descending }) => (descending ? t.desc(field) : t.expr(field)));
  return t.orderBy(
    t.array(),
    ...keys.map(({ argument }) => argument),
    ...ties,
    t.func((row) => row, 1),
  );
}

function fieldOf({ field, descending }: Key): readonly OrderField[] {
  return field === undefined ? [] : [{ field, descending }];
}
