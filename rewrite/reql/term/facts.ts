// The facts of a term that follow from the terms in it, found once for each: questions about a term inside a term inside a term would
// otherwise be answered by as many walks. A memo: it says nothing that the term does not say.

import { TermType } from '../term-type.ts';
import { isSteady, STEADY } from './deterministic.ts';
import { signatureOf } from './signatures.ts';
import type { CallTerm, ObjectTerm, Term } from './term.ts';
import { bindsImplicit, funcParts, type VarId, varOf } from './vars.ts';
import { childrenOf } from './walk.ts';

/** The facts of a term. Where several terms would do, it is the first: parents first, and first to last. */
export interface Facts {
  /** The variables that it reads and does not bind; `many` where they are too many to be kept for each term. */
  readonly free: ReadonlySet<VarId> | 'many';
  /** Whether it reads the `r.row` of the function around it. */
  readonly readsRow: boolean;
  /** Whether `r.row` stands anywhere in it. */
  readonly holdsRow: boolean;
  /** The highest variable that it reads or binds; -1 where there is none above. */
  readonly highest: VarId;
  readonly table: CallTerm | undefined;
  readonly write: CallTerm | undefined;
  /** A term that need not give the same twice, even in one query and on one machine. */
  readonly unsteady: CallTerm | undefined;
  /** Whether `r.args` stands anywhere in it. */
  readonly holdsSpread: boolean;
  /** How many calls and objects it is made of, itself included; what stands in it twice counts twice. */
  readonly terms: number;
  /** How many data it is made of. */
  readonly data: number;
  /** Its canonical key, once that has been asked for; never where it reads something from outside, or is a datum. */
  key: string | undefined;
}

/** A term with more free variables than this has `many`. */
const MANY = 32;

const NO_VARS: ReadonlySet<VarId> = new Set();

const NOTHING: Facts = {
  free: NO_VARS,
  readsRow: false,
  holdsRow: false,
  highest: -1,
  table: undefined,
  write: undefined,
  unsteady: undefined,
  holdsSpread: false,
  terms: 0,
  data: 1,
  key: undefined,
};

const known = new WeakMap<Term, Facts>();

/** Finds the facts of a term. Depth is no concern; what has been found once costs nothing again. */
export function factsOf(root: Term): Facts {
  if (root.kind === 'datum') return NOTHING;
  return known.get(root) ?? found(root, LEVELS);
}

/** How many levels recursion goes down before it leaves the rest to a walk. */
const LEVELS = 100;

function found(term: CallTerm | ObjectTerm, levels: number): Facts {
  if (levels === 0) {
    new FactsWalk([term]).go(Number.POSITIVE_INFINITY);
    return known.get(term) ?? NOTHING;
  }
  const facts = together(term, levels);
  known.set(term, facts);
  return facts;
}

/** Finds what is known of some terms in as many slices as one likes, so that others are served meanwhile. */
export class FactsWalk {
  /** Twice on the stack: to push what is below, and to put that together. */
  readonly #left: Term[];

  constructor(roots: readonly Term[]) {
    this.#left = [...roots];
  }

  /** Looks at so many terms more; says whether all is found. */
  go(terms: number): boolean {
    const left = this.#left;
    let looks = terms;
    for (let term = left.at(-1); term !== undefined; term = left.at(-1)) {
      if (looks <= 0) return false;
      looks--;
      const before = left.length;
      for (const child of childrenOf(term)) if (child.kind !== 'datum' && !known.has(child)) left.push(child);
      if (left.length > before) continue;
      left.pop();
      if (term.kind !== 'datum' && !known.has(term)) known.set(term, together(term, LEVELS));
    }
    return true;
  }
}

/** The facts of a term from those below it, which are found on the way where they are not known, so many levels down. */
function together(term: CallTerm | ObjectTerm, levels: number): Facts {
  const own = term.kind === 'call' ? term : undefined;
  const parts = own === undefined ? undefined : funcParts(own);
  const id = varOf(term);
  let free: ReadonlySet<VarId> | 'many' = id === undefined ? NO_VARS : new Set([id]);
  let highest = id ?? -1;
  if (parts !== undefined) for (const param of parts.params) highest = Math.max(highest, param);
  const isRow = own?.type === TermType.IMPLICIT_VAR;
  let readsRow = isRow;
  let holdsRow = isRow;
  const signature = own === undefined ? undefined : signatureOf(own.type);
  let table = own?.type === TermType.TABLE ? own : undefined;
  let write = signature?.writes === true ? own : undefined;
  let unsteady = own !== undefined && !isSteady(own, STEADY) ? own : undefined;
  let holdsSpread = own?.type === TermType.ARGS;
  let terms = 1;
  let data = 0;
  const children = childrenOf(term);
  for (let index = 0; index < children.length; index++) {
    const child = children[index];
    if (child === undefined || child.kind === 'datum') {
      data += 1;
      continue;
    }
    const below = known.get(child) ?? found(child, levels - 1);
    terms += below.terms;
    data += below.data;
    free = united(free, below.free);
    if (below.highest > highest) highest = below.highest;
    readsRow ||= below.readsRow;
    holdsRow ||= below.holdsRow;
    table ??= below.table;
    write ??= below.write;
    unsteady ??= below.unsteady;
    holdsSpread ||= below.holdsSpread;
  }
  if (parts !== undefined) {
    free = without(free, parts.params);
    readsRow &&= !bindsImplicit(parts);
  }
  return { free, readsRow, holdsRow, highest, table, write, unsteady, holdsSpread, terms, data, key: undefined };
}

function united(some: Facts['free'], more: Facts['free']): Facts['free'] {
  if (some === 'many' || more === 'many') return 'many';
  if (more.size === 0) return some;
  if (some.size === 0) return more;
  const all = new Set(some);
  for (const id of more) all.add(id);
  if (all.size > MANY) return 'many';
  return all.size === some.size ? some : all;
}

function without(free: Facts['free'], params: readonly VarId[]): Facts['free'] {
  if (free === 'many' || !params.some((param) => free.has(param))) return free;
  const rest = new Set(free);
  for (const param of params) rest.delete(param);
  return rest;
}

/** The ids that a term reads and does not bind. */
export function freeVars(root: Term): ReadonlySet<VarId> {
  const { free } = factsOf(root);
  return free === 'many' ? allFree(root) : free;
}

/** Whether a term reads a variable, or `r.row`, of a function around it. */
export function isOpen(term: Term): boolean {
  return factsOf(term).readsRow || freeVars(term).size > 0;
}

/** Whether a term reads one of some variables, as far as its facts tell: never wrong where it says no. */
export function mayRead(root: Term, ids: ReadonlyMap<VarId, unknown>): boolean {
  const { free } = factsOf(root);
  if (free === 'many') return true;
  if (ids.size < free.size) {
    for (const id of ids.keys()) if (free.has(id)) return true;
    return false;
  }
  for (const id of free) if (ids.has(id)) return true;
  return false;
}

/** A term to look at, or variables that are bound no more once what is before is done. */
type Step = { readonly term: Term } | { readonly unbind: readonly VarId[] };

function allFree(root: Term): ReadonlySet<VarId> {
  const free = new Set<VarId>();
  const bound = new Map<VarId, number>();
  const change = (ids: readonly VarId[], by: number): void => {
    for (const id of ids) bound.set(id, (bound.get(id) ?? 0) + by);
  };
  const left: Step[] = [{ term: root }];
  for (let step = left.pop(); step !== undefined; step = left.pop()) {
    if ('unbind' in step) {
      change(step.unbind, -1);
      continue;
    }
    const { term } = step;
    const id = varOf(term);
    if (id !== undefined && (bound.get(id) ?? 0) === 0) free.add(id);
    const params = funcParts(term)?.params ?? [];
    if (params.length > 0) {
      change(params, 1);
      left.push({ unbind: params });
    }
    for (const child of childrenOf(term)) if (child.kind !== 'datum') left.push({ term: child });
  }
  return free;
}

/** Whether a term reads the `r.row` of the function around it. */
export function readsImplicit(root: Term): boolean {
  return factsOf(root).readsRow;
}
