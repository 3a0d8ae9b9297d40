// Queries whose selection follows a row: `u.get(me).do(row => t.filter(x => x('n').gt(row('least'))).count())`. What is read of the row
// is watched by itself, and for each value of that there is another query, in which it is written out.
//
//   t.getAll(u.get(me)('top'), {index}).count()     follows   [[u.get(me)('top')]]
//                                                   gives     top => t.getAll(top, {index}).count()

import { type Builder, builder } from '../reql/build/build.ts';
import { pseudoType, typeName } from '../reql/data/data-type.ts';
import { type Datum, isObject } from '../reql/data/datum.ts';
import { logicError, ReqlError } from '../reql/error.ts';
import { ErrorType } from '../reql/protocol.ts';
import { callWith } from '../reql/term/call-with.ts';
import { canonicalKey } from '../reql/term/canonical-key.ts';
import { isSteady, STEADY } from '../reql/term/deterministic.ts';
import { factsOf, freeVars, isOpen } from '../reql/term/facts.ts';
import { isSpread } from '../reql/term/spread.ts';
import { bindImplicit, substituteVars } from '../reql/term/substitute.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import { type FreshVars, funcParts, funcTerm, type VarId, varOf, varTerm } from '../reql/term/vars.ts';
import { childrenOf, containsTerm, mapTerm, visit, withChildren } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { checkJoinKey } from '../sources/join-key.ts';
import { mayMiss } from './failure.ts';

/** A query that follows values of rows. */
export interface Following {
  /** An array of what is followed, each in an array of its own, which is empty where there is no value. */
  readonly of: Term;
  /** FUNC of what is followed: the query. */
  readonly at: CallTerm;
}

/** The rows that a query follows; `undefined` where it reads no row by its key in a place on which a selection depends. */
export function followingOf(watched: Term, fresh: FreshVars): Following | undefined {
  if (![TermType.GET, ...ofMany].some((type) => containsTerm(watched, type))) return undefined;
  const found = new Map<string, Found>();
  const body = withFollowed(inlined(watched, fresh), false, (term) => {
    const key = canonicalKey(term);
    const known = found.get(key) ?? { id: fresh(), term };
    found.set(key, known);
    return varTerm(known.id, term);
  });
  if (found.size === 0) return undefined;
  const t = builder(watched.origin, fresh);
  const all = [...found.values()];
  const of = t.array(...all.map(({ term }) => t.default(t.array(term), [])));
  return {
    of,
    at: funcTerm(
      all.map(({ id }) => id),
      body,
      watched,
    ),
  };
}

interface Found {
  readonly id: VarId;
  readonly term: Term;
}

/** The terms of a `do` whose arguments can be followed, without it, and what a `merge` onto such a row merges, without its functions. */
function inlined(root: Term, fresh: FreshVars): Term {
  return mapTerm(root, (term) => {
    if (term.kind === 'call' && term.type === TermType.MERGE) return mergedOnto(term, fresh);
    if (term.kind !== 'call' || term.type !== TermType.FUNCALL) return term;
    const [given, ...args] = term.args;
    const func = given === undefined ? undefined : bindImplicit(given, fresh);
    const parts = func === undefined ? undefined : funcParts(func);
    if (func === undefined || parts === undefined || parts.params.length !== args.length) return term;
    const followed = new Map(
      parts.params.flatMap((id, index): [VarId, Term][] => {
        const arg = args[index];
        return arg !== undefined && canFollow(arg) ? [[id, arg]] : [];
      }),
    );
    if (followed.size === 0) return term;
    const body = substituteVars(parts.body, followed);
    const left = parts.params.filter((id) => !followed.has(id));
    const others = args.filter((_arg, index) => left.includes(parts.params[index] ?? -1));
    // What an argument raises no `default` in the function catches.
    const raising = [...followed.values()].filter(mayBeNone);
    if (left.length + raising.length === 0) return body;
    const params = [...left, ...raising.map(() => fresh())];
    return callWith(term, { args: [funcTerm(params, body, func), ...others, ...raising] });
  });
}

/** Whether evaluating a term can raise NON_EXISTENCE: a row by its key is null where it is not there. */
function mayBeNone(term: Term): boolean {
  return !(term.kind === 'call' && term.type === TermType.GET) && mayMiss(term);
}

/** A `merge` whose functions read tables, with what they make of the row that they get in their place. */
function mergedOnto(term: CallTerm, fresh: FreshVars): CallTerm {
  const [row, ...merges] = term.args;
  if (row === undefined || !canFollow(row)) return term;
  const made = merges.map((merge, index) => {
    const parts = funcParts(bindImplicit(merge, fresh));
    const [param, ...more] = parts?.params ?? [];
    if (parts === undefined || param === undefined || more.length > 0) return merge;
    const onto = index === 0 ? row : callWith(term, { args: [row, ...merges.slice(0, index)] });
    return canFollow(onto) ? substituteVars(parts.body, new Map([[param, onto]])) : merge;
  });
  return callWith(term, { args: [row, ...made] });
}

type Follow = (term: Term) => Term;

/** The same term with something else for what it follows; `isRead`: a selection depends on it. */
function withFollowed(term: Term, isRead: boolean, follow: Follow): Term {
  // How many arguments `r.args` gives has to be written out: what it is given is followed.
  if (term.kind === 'call' && term.type === TermType.ARGS)
    return callWith(term, { args: term.args.map((list) => withFollowed(list, isRead, follow)) });
  if (isRead && canFollow(term)) return follow(term);
  if (term.kind === 'datum' || factsOf(term).table === undefined) return term;
  if (term.kind === 'object') {
    return withChildren(
      term,
      childrenOf(term).map((child) => withFollowed(child, isRead, follow)),
    );
  }
  const selects = selecting.has(term.type);
  const isWrittenOut = looksUpEach(term);
  const inner = (child: Term, index: number): Term =>
    withFollowed(child, isRead || (index === 0 ? isWrittenOut : selects), follow);
  return callWith(term, {
    args: term.args.map(inner),
    optargs: term.optargs.map(([name, value]): Entry => [name, inner(value, 1)]),
  });
}

/** Whether a term is a `map` that reads tables for each item of a list: an expression for each, where they are known. */
function looksUpEach({ type, args: [, func, ...more] }: CallTerm): boolean {
  const parts = type === TermType.MAP && more.length === 0 && func !== undefined ? funcParts(func) : undefined;
  return parts !== undefined && factsOf(parts.body).table !== undefined && isOpen(parts.body);
}

/** Terms over rows: on what stands beside the rows it depends which there are, or what is made of them. */
const selecting: ReadonlySet<number> = new Set([
  TermType.GET,
  TermType.GET_ALL,
  TermType.BETWEEN,
  TermType.GET_INTERSECTING,
  TermType.FILTER,
  TermType.MAP,
  TermType.CONCAT_MAP,
  TermType.MERGE,
  TermType.PLUCK,
  TermType.WITHOUT,
  TermType.HAS_FIELDS,
  TermType.WITH_FIELDS,
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
  TermType.GROUP,
  TermType.COUNT,
  TermType.SUM,
  TermType.AVG,
  TermType.MIN,
  TermType.MAX,
  TermType.CONTAINS,
  TermType.REDUCE,
]);

/** Whether a term is a value that is made of rows by their keys, and of nothing else that changes. */
function canFollow(term: Term): boolean {
  if (term.kind === 'datum') return false;
  const { table, write, readsRow } = factsOf(term);
  if (table === undefined || write !== undefined || readsRow) return false;
  return freeVars(term).size === 0 && readsRowsAlone(term);
}

/** One row of many, as a row by its key is one. */
const ofMany: ReadonlySet<number> = new Set([TermType.MAX, TermType.MIN, TermType.NTH]);

/** Whether tables are read for rows by their keys, and by their places in an order, and nothing is a matter of chance. */
function readsRowsAlone(term: Term): boolean {
  if (term.kind === 'datum') return true;
  const { table, unsteady } = factsOf(term);
  if (table === undefined) return unsteady === undefined;
  if (term.kind !== 'call') return childrenOf(term).every(readsRowsAlone);
  // Whether it is live is seen when it is taken apart by itself.
  if (ofMany.has(term.type)) return true;
  const [first, ...others] = term.args;
  const isOfTable = term.type === TermType.GET && first?.kind === 'call' && first.type === TermType.TABLE;
  if (!isOfTable && (term.type === TermType.TABLE || term.type === TermType.FUNC || !isSteady(term, STEADY)))
    return false;
  const beside = [...others, ...term.optargs.map(([, value]) => value)];
  return (isOfTable || first === undefined || readsRowsAlone(first)) && beside.every(readsRowsAlone);
}

/** The followed values as they were told: each value in a box, which is empty where there is none. */
export type Boxes = readonly Datum[];

/**
 * The query for what is followed. What is selected by a value that is not there raises NON_EXISTENCE wherever it is read.
 * @throws ReqlError where rows are selected by what cannot be a key
 */
export function queryAt(at: CallTerm, boxes: Boxes, fresh: FreshVars): Term {
  const parts = funcParts(at);
  if (parts === undefined) throw new TypeError('what follows is no function');
  const t = builder(at.origin, fresh);
  const values = new Map<VarId, Datum | undefined>();
  for (const [index, id] of parts.params.entries()) values.set(id, unboxed(boxes[index] ?? null));
  const body = mapTerm(parts.body, (term) => written(t, term, values, fresh));
  return substituteVars(
    body,
    new Map([...values].map(([id, value]) => [id, value === undefined ? nothing(t) : literal(t, value)])),
  );
}

/** Boxes of the same shape with something in each, to see what becomes of the query. */
export function anyBoxes(at: CallTerm): Boxes {
  const parts = funcParts(at);
  if (parts === undefined) return [];
  const lists = new Set<VarId>();
  visit(parts.body, (term) => {
    const id = listIn(term);
    if (id !== undefined) lists.add(id);
    return undefined;
  });
  return parts.params.map((id) => [lists.has(id) ? [0] : 0]);
}

/** The variable of which a term takes the items. */
function listIn(term: Term): VarId | undefined {
  if (term.kind !== 'call' || (!isSpread(term) && !looksUpEach(term))) return undefined;
  const [list] = term.args;
  return list === undefined ? undefined : varOf(list);
}

function unboxed(box: Datum): Datum | undefined {
  return Array.isArray(box) ? box[0] : undefined;
}

/** Raises NON_EXISTENCE. */
function nothing(t: Builder): Term {
  return t.bracket({}, 'value');
}

/** Data as terms, as a client would write them. */
function literal(t: Builder, value: Datum): Term {
  if (Array.isArray(value)) return t.array(...value.map((item: Datum) => literal(t, item)));
  if (!isObject(value) || pseudoType(value) !== undefined) return t.datum(value);
  return { kind: 'object', fields: Object.entries(value).map(([name, field]): Entry => [name, literal(t, field)]) };
}

type Values = ReadonlyMap<VarId, Datum | undefined>;

/**
 * A term, or what it comes to for what is followed: an array of an expression for each item of a list, or what raises
 * NON_EXISTENCE.
 * @throws ReqlError QUERY_LOGIC where a list is none, or a key no key
 */
function written(t: Builder, term: Term, values: Values, fresh: FreshVars): Term {
  const id = isSpread(term) ? undefined : listIn(term);
  if (id === undefined || !values.has(id)) return selectsByNothing(term, values) ? nothing(t) : term;
  const list = values.get(id) ?? null;
  if (list === null) return nothing(t);
  if (!Array.isArray(list)) throw logicError(`Cannot convert ${typeName(list)} to SEQUENCE`, term.origin);
  const func = term.kind === 'call' ? term.args[1] : undefined;
  const parts = func === undefined ? undefined : funcParts(bindImplicit(func, fresh));
  const [param] = parts?.params ?? [];
  if (parts === undefined || param === undefined) return term;
  fresh.meter?.spend(ITEM_STEPS * (factsOf(parts.body).terms + 1) * list.length);
  return t.array(
    ...list.map((item: Datum) => {
      const body = mapTerm(parts.body, (inner) => written(t, inner, new Map([[param, item]]), fresh));
      return substituteVars(body, new Map([[param, literal(t, item)]]));
    }),
  );
}

/** Steps for each term of the function of a `map`, for each item of its list. */
const ITEM_STEPS = 10;

/** Whether a selection goes by a value that is not there, or that is no key for want of something: null, also within an array. */
function selectsByNothing(term: Term, values: Values): boolean {
  if (term.kind !== 'call') return false;
  const args = term.args.slice(1);
  // The values of an object are evaluated once, the body of a function for each row.
  if (term.type === TermType.FILTER) return args.some((arg) => funcParts(arg) === undefined && reads(arg, values));
  if (!byValue.has(term.type)) return false;
  const keys = keysOf(term);
  return args.some(
    (arg) =>
      reads(arg, values) ||
      isListOfNothing(arg, values) ||
      (keys !== undefined && keysAt(arg, values).some((key) => isNoKey(key, keys))),
  );
}

/** Whether `r.args` gets null in the place of a list. */
function isListOfNothing(arg: Term, values: Values): boolean {
  const id = isSpread(arg) ? listIn(arg) : undefined;
  return id !== undefined && values.get(id) === null;
}

/** What the arguments of a term are keys of. */
function keysOf({ type, optargs }: CallTerm): 'primary' | 'index' | undefined {
  if (type === TermType.GET) return 'primary';
  if (type !== TermType.GET_ALL) return undefined;
  return optargs.some(([name]) => name === 'index') ? 'index' : 'primary';
}

/** @throws ReqlError QUERY_LOGIC for what can be no key of anything */
function isNoKey(key: Datum, keys: 'primary' | 'index'): boolean {
  try {
    checkJoinKey(key, keys);
    return false;
  } catch (error) {
    if (error instanceof ReqlError && error.errorType === ErrorType.NON_EXISTENCE) return true;
    throw error;
  }
}

/** The keys that an argument is, as far as they are known: that of a value, the items of the list of `r.args`. */
function keysAt(arg: Term, values: Values): readonly Datum[] {
  const [list] = isSpread(arg) ? arg.args : [];
  if (list !== undefined) {
    const items = keyAt(list, values);
    return Array.isArray(items) ? items : [];
  }
  const key = keyAt(arg, values);
  return key === undefined ? [] : [key];
}

/** The key that an argument is: what is followed, or an array of it and of literals; `undefined` for anything else. */
function keyAt(arg: Term, values: Values): Datum | undefined {
  if (arg.kind === 'datum') return arg.value;
  const id = varOf(arg);
  if (id !== undefined) return values.get(id);
  if (arg.kind !== 'call' || arg.type !== TermType.MAKE_ARRAY) return undefined;
  const items = arg.args.map((item) => keyAt(item, values));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** Selections, and parts of orders. */
const byValue: ReadonlySet<number> = new Set([
  TermType.GET,
  TermType.GET_ALL,
  TermType.BETWEEN,
  TermType.GET_INTERSECTING,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
]);

/** Whether a value reads one that is not there. */
function reads(term: Term, values: ReadonlyMap<VarId, Datum | undefined>): boolean {
  return [...freeVars(term)].some((id) => values.has(id) && values.get(id) === undefined);
}
