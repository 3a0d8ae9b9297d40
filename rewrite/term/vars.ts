// Variables of functions. Ids are what the driver chose: any integers that a double holds, negative ones too, unique in
// the query or (rethinkdb-ts) reused by an inner function, which then hides the outer variable.

import { TermType } from '../reql/term-type.ts';
import type { CallTerm, Term } from './term.ts';

/** The id of a variable. */
export type VarId = number;

/** Gives a new id at each call. */
export type FreshVars = () => VarId;

/** A function taken apart. */
export interface FuncParts {
  readonly params: readonly VarId[];
  readonly body: Term;
}

/** The variable that a term reads, if it is a well-formed VAR. */
export function varOf(term: Term): VarId | undefined {
  if (term.kind !== 'call' || term.type !== TermType.VAR) return undefined;
  const [id] = term.args;
  return id?.kind === 'datum' && typeof id.value === 'number' ? id.value : undefined;
}

/** The parameters and the body of a function, if the term is a well-formed FUNC. */
export function funcParts(term: Term): FuncParts | undefined {
  if (term.kind !== 'call' || term.type !== TermType.FUNC) return undefined;
  const [list, body] = term.args;
  if (list === undefined || body === undefined) return undefined;
  const params = paramsOf(list);
  return params === undefined ? undefined : { params, body };
}

/** The server drops the fraction of an id, and takes no array datum but the empty one. */
function paramsOf(list: Term): readonly VarId[] | undefined {
  if (list.kind === 'datum') return Array.isArray(list.value) && list.value.length === 0 ? [] : undefined;
  if (list.kind !== 'call' || list.type !== TermType.MAKE_ARRAY) return undefined;
  const params: VarId[] = [];
  for (const id of list.args) {
    if (id.kind !== 'datum' || typeof id.value !== 'number') return undefined;
    params.push(Math.trunc(id.value));
  }
  return params;
}

/** A term that reads a variable. */
export function varTerm(id: VarId, like?: Term): CallTerm {
  return call(TermType.VAR, [datum(id, like)], like);
}

/** A function of the given parameters. */
export function funcTerm(params: readonly VarId[], body: Term, like?: Term): CallTerm {
  const list = call(
    TermType.MAKE_ARRAY,
    params.map((id) => datum(id, like)),
    like,
  );
  return call(TermType.FUNC, [list, body], like);
}

function call(type: number, args: readonly Term[], like: Term | undefined): CallTerm {
  return { kind: 'call', type, args, optargs: [], ...placeOf(like) };
}

function datum(value: number, like: Term | undefined): Term {
  return { kind: 'datum', value, ...placeOf(like) };
}

function placeOf(like: Term | undefined): Pick<Term, 'origin'> {
  return like?.origin === undefined ? {} : { origin: like.origin };
}

/** Whether `r.row` inside a function means its parameter (the server's rule: exactly one, and no negative id). */
export function bindsImplicit(func: FuncParts): boolean {
  const [param] = func.params;
  return func.params.length === 1 && param !== undefined && param >= 0;
}
