// When the official driver can say `r.row`: it wraps certain arguments in a function of one variable if `r.row` occurs
// anywhere in them, also where a function is there already, so the printer writes `r.row` only where that gives one
// function.

import { freeVars, readsImplicit } from '../term/facts.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { bindsImplicit, type FuncParts } from '../term/vars.ts';
import { visitInScope } from '../term/walk.ts';
import { TermType } from '../term-type.ts';

/** The first argument that the driver wraps, for the terms in which it wraps any. */
const WRAPPED_FROM: ReadonlyMap<number, number> = new Map([
  [TermType.FUNCALL, 0],
  [TermType.ASC, 0],
  [TermType.DESC, 0],
  [TermType.CONTAINS, 1],
  [TermType.OFFSETS_OF, 1],
  [TermType.MERGE, 1],
  [TermType.REDUCE, 1],
  [TermType.MAP, 1],
  [TermType.FILTER, 1],
  [TermType.CONCAT_MAP, 1],
  [TermType.COUNT, 1],
  [TermType.UNION, 1],
  [TermType.SPLIT, 1],
  [TermType.EQ_JOIN, 1],
  [TermType.UPDATE, 1],
  [TermType.REPLACE, 1],
  [TermType.FOR_EACH, 1],
  [TermType.SUM, 1],
  [TermType.AVG, 1],
  [TermType.MIN, 1],
  [TermType.MAX, 1],
  [TermType.GROUP, 1],
  [TermType.ORDER_BY, 1],
  [TermType.FOLD, 2],
  [TermType.INDEX_CREATE, 2],
]);

/** The terms in which it wraps one argument only. */
const WRAPPED_ONCE: ReadonlySet<number> = new Set([TermType.FUNCALL, TermType.EQ_JOIN]);

/** Whether the driver wraps the argument at an index in a function if it finds `r.row` in it. */
export function wrapsRow(term: CallTerm, index: number): boolean {
  const from = WRAPPED_FROM.get(term.type);
  const argument = term.args[index];
  if (from === undefined || argument === undefined || index < from) return false;
  if (WRAPPED_ONCE.has(term.type)) return index === from;
  if (term.type === TermType.MAP) return index === term.args.length - 1;
  const ordering = argument.kind === 'call' && (argument.type === TermType.ASC || argument.type === TermType.DESC);
  return !(ordering && (term.type === TermType.ORDER_BY || term.type === TermType.UNION));
}

/** Whether a function is what the driver makes of its body alone: the body says `r.row`, and says it in one function. */
export function bindsBareRow(func: FuncParts): boolean {
  const [param] = func.params;
  if (param === undefined || !bindsImplicit(func) || !readsImplicit(func.body)) return false;
  return !freeVars(func.body).has(param) && !saysWrappedRow(func.body);
}

interface Wrapping {
  /** Whether a term above is an argument that the driver wraps. */
  readonly above: boolean;
  /** The arguments of the term above that it wraps. */
  readonly args: ReadonlySet<Term>;
}

function saysWrappedRow(body: Term): boolean {
  let says = false;
  const none: Wrapping = { above: false, args: new Set() };
  visitInScope(body, none, (term, { above, args }) => {
    const wrapped = above || args.has(term);
    if (wrapped && term.kind === 'call' && term.type === TermType.IMPLICIT_VAR) {
      says = true;
      return 'stop';
    }
    const wrappedArgs = term.kind === 'call' ? term.args.filter((_argument, index) => wrapsRow(term, index)) : [];
    return { inner: { above: wrapped, args: new Set(wrappedArgs) } };
  });
  return says;
}
