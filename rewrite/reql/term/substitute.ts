// Terms in the place of variables, and variables in the place of `r.row`.

import { freshVars } from '../build/fresh-vars.ts';
import { TermType } from '../term-type.ts';
import { factsOf, freeVars, mayRead } from './facts.ts';
import type { Term } from './term.ts';
import {
  bindsImplicit,
  type FreshVars,
  type FuncParts,
  funcParts,
  funcTerm,
  type VarId,
  varOf,
  varTerm,
} from './vars.ts';
import { mapInScope } from './walk.ts';

/** Puts a term in the place of a variable wherever it is read freely. */
export function substituteVar(root: Term, id: VarId, replacement: Term): Term {
  return substituteVars(root, new Map([[id, replacement]]));
}

/**
 * Puts terms in the place of variables wherever those are read freely. Inner functions are renumbered where their own
 * variables would otherwise take over those that a term reads.
 */
export function substituteVars(root: Term, replacements: ReadonlyMap<VarId, Term>): Term {
  const terms = [...replacements.values()];
  const free = new Set(terms.flatMap((term) => [...freeVars(term)]));
  let fresh: FreshVars | undefined;
  const makeFresh = (): VarId => {
    fresh ??= freshVars(root, ...terms);
    return fresh();
  };
  return substitute(root, replacements, free, makeFresh);
}

type Substitution = ReadonlyMap<VarId, Term>;

function substitute(root: Term, start: Substitution, free: ReadonlySet<VarId>, fresh: FreshVars): Term {
  return mapInScope<Substitution>(root, start, {
    skip: (term, scope) => !mayRead(term, scope),
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

/**
 * A function in which `r.row` has become a variable of its own, so that another function can be wrapped around it. The
 * same object where it does not use `r.row`. Functions nested in it that have an `r.row` of their own are left alone:
 * the server refuses `r.row` there.
 */
export function bindImplicit(func: Term, fresh: FreshVars): Term {
  const parts = funcParts(func);
  if (parts === undefined || !bindsImplicit(parts) || !factsOf(parts.body).readsRow) return func;
  const [old] = parts.params;
  if (old === undefined) return func;
  const param = fresh();
  const bound = mapInScope(parts.body, undefined, {
    skip: (term) => !factsOf(term).readsRow,
    enter: () => undefined,
    leave: (term) => (isImplicit(term) ? varTerm(param, term) : term),
  });
  const body = substitute(bound, new Map([[old, varTerm(param, func)]]), new Set([param]), fresh);
  return funcTerm([param], body, func);
}

function isImplicit(term: Term): boolean {
  return term.kind === 'call' && term.type === TermType.IMPLICIT_VAR;
}
