// What a query follows whose selection depends on a row: `u.get(me).do(row => t.filter(x => x('n').gt(row('least'))).count())`. What is
// read of the row is watched by itself, and for each value of that there is another query, in which it is written out
// (`followed-query.ts`).
//
//   t.getAll(u.get(me)('top'), {index}).count()     follows   [[u.get(me)('top')]]
//                                                   gives     top => t.getAll(top, {index}).count()

import { builder } from '../reql/build/build.ts';
import { callWith } from '../reql/term/call-with.ts';
import { canonicalKey } from '../reql/term/canonical-key.ts';
import { isSteady, STEADY } from '../reql/term/deterministic.ts';
import { factsOf, freeVars } from '../reql/term/facts.ts';
import { bindImplicit, substituteVars } from '../reql/term/substitute.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import { type FreshVars, funcParts, funcTerm, type VarId, varTerm } from '../reql/term/vars.ts';
import { childrenOf, containsTerm, mapTerm, withChildren } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { mayMiss } from './failure.ts';
import { looksUpEach } from './followed-query.ts';

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
