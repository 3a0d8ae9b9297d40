// The query for what is followed (`follow.ts`): the values that were read stand in it as a client would write them, a `map` over a list
// that was read as an expression for each of its items.

import { type Builder, builder } from '../reql/build/build.ts';
import { pseudoType, typeName } from '../reql/data/data-type.ts';
import { type Datum, isObject } from '../reql/data/datum.ts';
import { logicError } from '../reql/error.ts';
import { factsOf, isOpen } from '../reql/term/facts.ts';
import { isSpread } from '../reql/term/spread.ts';
import { bindImplicit, substituteVars } from '../reql/term/substitute.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import { type FreshVars, funcParts, type VarId, varOf } from '../reql/term/vars.ts';
import { mapTerm, visit } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { type FollowedValues, selectsByNothing } from './selects-by-nothing.ts';

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

/** Whether a term is a `map` that reads tables for each item of a list: an expression for each, where they are known. */
export function looksUpEach({ type, args: [, func, ...more] }: CallTerm): boolean {
  const parts = type === TermType.MAP && more.length === 0 && func !== undefined ? funcParts(func) : undefined;
  return parts !== undefined && factsOf(parts.body).table !== undefined && isOpen(parts.body);
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

/**
 * A term, or what it comes to for what is followed: an array of an expression for each item of a list, or what raises
 * NON_EXISTENCE.
 * @throws ReqlError QUERY_LOGIC where a list is none, or a key no key
 */
function written(t: Builder, term: Term, values: FollowedValues, fresh: FreshVars): Term {
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
