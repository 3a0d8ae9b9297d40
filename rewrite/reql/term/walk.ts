// Walks over terms: one that rebuilds, sharing what does not change, and one that looks. None of them recurses, so depth
// is no concern; callers owe pure functions.

import { callWith } from './call-with.ts';
import type { Entry, Term } from './term.ts';

/** The terms directly below a term, in the order the server visits them: arguments, then optargs or fields. */
export function childrenOf(term: Term): readonly Term[] {
  if (term.kind === 'datum') return [];
  if (term.kind === 'object') return term.fields.map(([, field]) => field);
  if (term.optargs.length === 0) return term.args;
  return [...term.args, ...term.optargs.map(([, optarg]) => optarg)];
}

/**
 * The term with other children, given in the order of `childrenOf`. The same object when they are the same; otherwise a
 * new one that keeps its origin and loses its text.
 */
export function withChildren(term: Term, children: readonly Term[]): Term {
  if (term.kind === 'datum') return term;
  const before = childrenOf(term);
  if (before.every((child, index) => child === children[index])) return term;
  if (term.kind === 'object') {
    const { origin } = term;
    const fields = renewed(term.fields, children);
    return origin === undefined ? { kind: 'object', fields } : { kind: 'object', fields, origin };
  }
  const args = children.slice(0, term.args.length);
  const optargs = renewed(term.optargs, children.slice(term.args.length));
  return callWith(term, { args, optargs });
}

function renewed(entries: readonly Entry[], terms: readonly Term[]): Entry[] {
  return entries.map(([name, old], index) => [name, terms[index] ?? old] as const);
}

/** Rebuilds a term from the leaves up: `change` sees each term with its children already changed. */
export function mapTerm(term: Term, change: (term: Term) => Term): Term {
  return mapInScope(term, undefined, {
    enter: () => undefined,
    leave: (rebuilt) => change(rebuilt),
  });
}

/** How `mapInScope` goes down and up: `Scope` is whatever the terms above say about those below. */
export interface ScopedChange<Scope> {
  /** Whether a term stays as it is, with all that is below it. */
  readonly skip?: (term: Term, scope: Scope) => boolean;
  /** The scope of a term's children. */
  readonly enter: (term: Term, scope: Scope) => Scope;
  /** The term that takes the place of one whose children have been changed; `inner` is what `enter` gave for it. */
  readonly leave: (term: Term, scope: Scope, inner: Scope) => Term;
}

/** Rebuilds a term from the leaves up, with a scope handed from the root down. */
export function mapInScope<Scope>(root: Term, scope: Scope, change: ScopedChange<Scope>): Term {
  return fold<Scope, Scope, Term>(root, scope, {
    known: (term, at) => (change.skip?.(term, at) === true ? term : undefined),
    enter: change.enter,
    children: childrenOf,
    scopeOf: (inner) => inner,
    leave: (term, outer, inner, children) => change.leave(withChildren(term, children), outer, inner),
  });
}

/** How `fold` goes down and up. `Inner` is what a term knows of itself once entered. */
export interface Fold<Scope, Inner, Result> {
  /** The result of a term that need not be entered; `undefined` for one that has to be. */
  readonly known?: (term: Term, scope: Scope) => Result | undefined;
  readonly enter: (term: Term, scope: Scope) => Inner;
  readonly children: (term: Term, inner: Inner) => readonly Term[];
  /** The scope of a child, by its index. */
  readonly scopeOf: (inner: Inner, index: number) => Scope;
  readonly leave: (term: Term, scope: Scope, inner: Inner, results: readonly Result[]) => Result;
}

interface Open<Scope, Inner, Result> {
  readonly term: Term;
  readonly scope: Scope;
  readonly inner: Inner;
  readonly children: readonly Term[];
  readonly results: Result[];
}

const NO_RESULTS: readonly never[] = [];

/** Computes something of a term from what it is of its children, with a scope handed from the root down. */
export function fold<Scope, Inner, Result>(root: Term, scope: Scope, how: Fold<Scope, Inner, Result>): Result {
  const open: Open<Scope, Inner, Result>[] = [];
  let next = root;
  let outer = scope;
  for (;;) {
    let result = how.known?.(next, outer);
    if (result === undefined) {
      const inner = how.enter(next, outer);
      const children = how.children(next, inner);
      const [first] = children;
      if (first !== undefined) {
        open.push({ term: next, scope: outer, inner, children, results: [] });
        next = first;
        outer = how.scopeOf(inner, 0);
        continue;
      }
      result = how.leave(next, outer, inner, NO_RESULTS);
    }
    // What is complete, and whatever that completes.
    for (;;) {
      const parent = open.at(-1);
      if (parent === undefined) return result;
      parent.results.push(result);
      const index = parent.results.length;
      const child = parent.children[index];
      if (child !== undefined) {
        next = child;
        outer = how.scopeOf(parent.inner, index);
        break;
      }
      open.pop();
      result = how.leave(parent.term, parent.scope, parent.inner, parent.results);
    }
  }
}

/** Calls `look` on a term and all below it, parents first and first to last; `false` keeps it out of the term's children. */
export function visit(root: Term, look: (term: Term) => boolean | undefined): void {
  visitInScope(root, undefined, (term) => (look(term) === false ? 'skip' : INNER_NOTHING));
}

const INNER_NOTHING = { inner: undefined } as const;

/** The children of a term that are being visited. */
interface Row<Scope> {
  readonly terms: readonly Term[];
  readonly scope: Scope;
  next: number;
}

/** Like `visit`, with a scope handed down: `look` gives the scope of the term's children, or skips them. */
export function visitInScope<Scope>(
  root: Term,
  scope: Scope,
  look: (term: Term, scope: Scope) => { readonly inner: Scope } | 'skip' | 'stop',
): void {
  const rows: Row<Scope>[] = [{ terms: [root], scope, next: 0 }];
  for (let row = rows.at(-1); row !== undefined; row = rows.at(-1)) {
    const term = row.terms[row.next];
    if (term === undefined) {
      rows.pop();
      continue;
    }
    row.next += 1;
    const step = look(term, row.scope);
    if (step === 'stop') return;
    if (step === 'skip' || term.kind === 'datum') continue;
    const terms = childrenOf(term);
    if (terms.length > 0) rows.push({ terms, scope: step.inner, next: 0 });
  }
}

/** The first term, parents first, that passes a test. */
export function find(root: Term, test: (term: Term) => boolean): Term | undefined {
  let found: Term | undefined;
  visitInScope(root, undefined, (term) => {
    if (!test(term)) return INNER_NOTHING;
    found = term;
    return 'stop';
  });
  return found;
}

/** Whether a term, or one below it, is a call of the given number. Data that looks like a query is data. */
export function containsTerm(root: Term, type: number): boolean {
  const left: Term[] = [root];
  for (let term = left.pop(); term !== undefined; term = left.pop()) {
    if (term.kind === 'datum') continue;
    if (term.kind === 'call' && term.type === type) return true;
    for (const child of childrenOf(term)) left.push(child);
  }
  return false;
}
