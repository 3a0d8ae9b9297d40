// Variables of functions. Ids are what the driver chose: any integers that a double holds, negative ones too, unique in
// the query or (rethinkdb-ts) reused by an inner function, which then hides the outer variable.

import { compileError, type ReqlError } from '../error.ts';
import type { Meter } from '../meter.ts';
import { TermType } from '../term-type.ts';
import type { CallTerm, Term } from './term.ts';

/** The id of a variable. */
export type VarId = number;

/** Gives a new id at each call. */
export interface FreshVars {
  (): VarId;
  /** Counts the terms that are built with these variables; absent where nobody does. */
  readonly meter?: Meter | undefined;
}

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
  return typeof params === 'string' ? undefined : { params, body };
}

/** A function taken apart, or the COMPILE_ERROR with which the server refuses it. */
export function readFunc(func: CallTerm): FuncParts | ReqlError {
  const [list, body] = func.args;
  if (func.optargs.length > 0) return compileError('FUNC takes no optional arguments.', func.origin);
  if (list === undefined || body === undefined || func.args.length !== 2) {
    return compileError(`FUNC takes exactly two arguments (got ${func.args.length})`, func.origin);
  }
  const params = paramsOf(list);
  if (typeof params === 'string') return compileError(`CLIENT ERROR: FUNC variables must be ${params}`, func.origin);
  return { params, body };
}

/** The ids in a function's list of parameters, less their fractions, or what the server says they must be. */
function paramsOf(list: Term): readonly VarId[] | string {
  if (list.kind === 'datum') {
    if (!Array.isArray(list.value)) return 'a literal *array* of numbers.';
    // The items may be anything: the server has made terms of the numbers by now.
    return list.value.length === 0 ? [] : 'a literal array of *numbers*.';
  }
  if (list.kind !== 'call' || list.type !== TermType.MAKE_ARRAY) return 'a *literal array of numbers*.';
  const ids: VarId[] = [];
  for (const id of list.args) {
    if (id.kind !== 'datum') return 'a *literal* array of numbers.';
    if (typeof id.value !== 'number') return 'a literal array of *numbers*.';
    ids.push(Math.trunc(id.value));
  }
  return ids;
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
  const origin = like?.origin;
  return origin === undefined
    ? { kind: 'call', type, args, optargs: [] }
    : { kind: 'call', type, args, optargs: [], origin };
}

function datum(value: number, like: Term | undefined): Term {
  const origin = like?.origin;
  return origin === undefined ? { kind: 'datum', value } : { kind: 'datum', value, origin };
}

/** Whether `r.row` inside a function means its parameter (the server's rule: exactly one, and no negative id). */
export function bindsImplicit(func: FuncParts): boolean {
  const [param] = func.params;
  return func.params.length === 1 && param !== undefined && param >= 0;
}
