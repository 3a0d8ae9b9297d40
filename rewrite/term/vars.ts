// Variables of functions. Ids are what the driver chose: any integers that a double holds, negative ones too, unique in
// the query or (rethinkdb-ts) reused by an inner function, which then hides the outer variable.

import { TermType } from '../reql/term-type.ts';
import type { CallTerm, Term } from './term.ts';
import { mapInScope, visit, visitInScope } from './walk.ts';

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

/** The highest id that a term reads or binds; -1 where there is none above. */
export function highestVar(root: Term): VarId {
  let highest = -1;
  for (const id of varsIn(root)) highest = Math.max(highest, id);
  return highest;
}

function varsIn(root: Term): ReadonlySet<VarId> {
  const ids = new Set<VarId>();
  visit(root, (term) => {
    const id = varOf(term);
    if (id !== undefined) ids.add(id);
    for (const param of funcParts(term)?.params ?? []) ids.add(param);
    return true;
  });
  return ids;
}

/** An allocator of ids that no given term reads or binds: above the highest, as long as there are integers above it. */
export function freshVars(...roots: readonly Term[]): FreshVars {
  const used = new Set(roots.flatMap((root) => [...varsIn(root)]));
  const highest = Math.max(0, ...used);
  let last = Number.isSafeInteger(highest + 1_000_000) ? highest : 0;
  return () => {
    do last += 1;
    while (used.has(last));
    return last;
  };
}

/** The ids that a term reads and does not bind. */
export function freeVars(root: Term): ReadonlySet<VarId> {
  const free = new Set<VarId>();
  const nothing: ReadonlySet<VarId> = new Set();
  visitInScope(root, nothing, (term, bound) => {
    const id = varOf(term);
    if (id !== undefined && !bound.has(id)) free.add(id);
    const params = funcParts(term)?.params ?? [];
    return { inner: params.length === 0 ? bound : new Set([...bound, ...params]) };
  });
  return free;
}

/** Puts a term in the place of a variable wherever it is read freely. Inner functions are renumbered where their own
 * variables would otherwise take over those that the term reads. */
export function substituteVar(root: Term, id: VarId, replacement: Term): Term {
  const fresh = freshVars(root, replacement);
  return substitute(root, new Map([[id, replacement]]), freeVars(replacement), fresh);
}

type Substitution = ReadonlyMap<VarId, Term>;

function substitute(root: Term, start: Substitution, free: ReadonlySet<VarId>, fresh: FreshVars): Term {
  return mapInScope<Substitution>(root, start, {
    enter: (term, scope) => {
      const params = funcParts(term)?.params ?? [];
      if (!params.some((param) => scope.has(param) || free.has(param))) return scope;
      const inner = new Map(scope);
      for (const param of params) {
        inner.delete(param);
        if (free.has(param) && inner.size > 0) inner.set(param, varTerm(fresh(), term));
      }
      return inner;
    },
    leave: (term, scope, inner) => {
      const id = varOf(term);
      if (id !== undefined) return scope.get(id) ?? term;
      const parts = funcParts(term);
      if (parts === undefined || inner === scope) return term;
      return renumbered(term, parts, inner);
    },
  });
}

/** A function whose parameters follow the renumbering that its body has been through. */
function renumbered(term: Term, parts: FuncParts, inner: Substitution): Term {
  const params = parts.params.map((param) => {
    const renamed = inner.get(param);
    return (renamed === undefined ? undefined : varOf(renamed)) ?? param;
  });
  if (params.every((param, index) => param === parts.params[index])) return term;
  return funcTerm(params, parts.body, term);
}

/** Whether `r.row` inside a function means its parameter (the server's rule: exactly one, and no negative id). */
export function bindsImplicit(func: FuncParts): boolean {
  const [param] = func.params;
  return func.params.length === 1 && param !== undefined && param >= 0;
}

/**
 * A function in which `r.row` has become a variable of its own, so that another function can be wrapped around it. The
 * same object where it does not use `r.row`. Functions nested in it that have an `r.row` of their own are left alone:
 * the server refuses `r.row` there.
 */
export function bindImplicit(func: Term, fresh: FreshVars): Term {
  const parts = funcParts(func);
  if (parts === undefined || !bindsImplicit(parts) || !readsImplicit(parts.body)) return func;
  const [old] = parts.params;
  if (old === undefined) return func;
  const param = fresh();
  const bound = mapInScope(parts.body, true, {
    enter: (term, ours) => ours && !hidesImplicit(term),
    leave: (term, ours) => (ours && isImplicit(term) ? varTerm(param, term) : term),
  });
  const body = substitute(bound, new Map([[old, varTerm(param, func)]]), new Set([param]), fresh);
  return funcTerm([param], body, func);
}

function isImplicit(term: Term): boolean {
  return term.kind === 'call' && term.type === TermType.IMPLICIT_VAR;
}

function hidesImplicit(term: Term): boolean {
  const parts = funcParts(term);
  return parts !== undefined && bindsImplicit(parts);
}

/** Whether a term reads the `r.row` of the function around it. */
export function readsImplicit(root: Term): boolean {
  let reads = false;
  visit(root, (term) => {
    if (isImplicit(term)) reads = true;
    return !hidesImplicit(term);
  });
  return reads;
}
