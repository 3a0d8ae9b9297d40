// Equality of terms up to what has no meaning: numbers of variables, text, origin, the order of fields, whether a literal was
// written as a datum or as terms, and whether a parameter is read by its number or as `r.row`. Terms are compared pair by pair,
// without the keys by which the product does it.

import type { CallTerm, Entry, Term } from '../../../rewrite/reql/term/term.ts';
import { unfoldDatum } from '../../../rewrite/reql/term/unfold-datum.ts';
import { bindsImplicit, type FuncParts, funcParts, type VarId, varOf } from '../../../rewrite/reql/term/vars.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';

/**
 * Variables bound above, each by the function that binds it, and by the name `row` the parameter that `r.row` means; functions are
 * counted on both sides alike.
 */
type Bound = ReadonlyMap<VarId | 'row', string>;

interface Pair {
  readonly left: Term;
  readonly right: Term;
  readonly inLeft: Bound;
  readonly inRight: Bound;
}

/** Whether two terms are the same but for the numbers of the variables they bind. Depth is no concern. */
export function alphaEqual(left: Term, right: Term): boolean {
  const pairs: Pair[] = [{ left, right, inLeft: new Map(), inRight: new Map() }];
  let functions = 0;
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const below = compare(pair, functions);
    if (below === undefined) return false;
    if (below.opensFunction) functions += 1;
    for (const [a, b] of below.terms) pairs.push({ left: a, right: b, inLeft: below.inLeft, inRight: below.inRight });
  }
  return true;
}

interface Below {
  readonly terms: readonly (readonly [Term, Term])[];
  readonly inLeft: Bound;
  readonly inRight: Bound;
  readonly opensFunction: boolean;
}

function compare({ left, right, inLeft, inRight }: Pair, functions: number): Below | undefined {
  const same = (terms: readonly (readonly [Term, Term])[] | undefined): Below | undefined =>
    terms && { terms, inLeft, inRight, opensFunction: false };
  const a = unfoldDatum(left);
  const b = unfoldDatum(right);
  if (a.kind === 'datum') return same(b.kind === 'datum' && Object.is(a.value, b.value) ? [] : undefined);
  if (a.kind === 'object') return same(b.kind === 'object' ? zipEntries(a.fields, b.fields) : undefined);
  const idA = readBy(a);
  const idB = readBy(b);
  if (idA !== undefined && idB !== undefined) {
    const boundA = inLeft.get(idA);
    return same(boundA === inRight.get(idB) && (boundA !== undefined || idA === idB) ? [] : undefined);
  }
  if (idA !== undefined || idB !== undefined || b.kind !== 'call' || a.type !== b.type) return undefined;
  const funcA = funcParts(a);
  const funcB = funcParts(b);
  if (funcA === undefined || funcB === undefined) return same(funcA === funcB ? zipCalls(a, b) : undefined);
  if (funcA.params.length !== funcB.params.length) return undefined;
  return {
    terms: [[funcA.body, funcB.body]],
    inLeft: bind(inLeft, funcA, functions),
    inRight: bind(inRight, funcB, functions),
    opensFunction: true,
  };
}

/** What a term reads: a variable, or `r.row`. */
function readBy(term: Term): VarId | 'row' | undefined {
  const isRow = term.kind === 'call' && term.type === TermType.IMPLICIT_VAR && term.args.length === 0;
  return isRow ? 'row' : varOf(term);
}

function bind(bound: Bound, func: FuncParts, functions: number): Bound {
  const nameOf = (index: number): string => `${functions} ${index}`;
  const inner = new Map([...bound, ...func.params.map((param, index) => [param, nameOf(index)] as const)]);
  return bindsImplicit(func) ? inner.set('row', nameOf(0)) : inner;
}

function zipCalls(a: CallTerm, b: CallTerm): readonly (readonly [Term, Term])[] | undefined {
  if (a.args.length !== b.args.length) return undefined;
  const optargs = zipEntries(a.optargs, b.optargs);
  const args = a.args.flatMap((term, index) => {
    const other = b.args[index];
    return other === undefined ? [] : [[term, other] as const];
  });
  return optargs && [...args, ...optargs];
}

function zipEntries(a: readonly Entry[], b: readonly Entry[]): readonly (readonly [Term, Term])[] | undefined {
  if (a.length !== b.length) return undefined;
  const sortedB = b.toSorted(byName);
  const zipped = a.toSorted(byName).flatMap(([name, term], index) => {
    const other = sortedB[index];
    return other === undefined || other[0] !== name ? [] : [[term, other[1]] as const];
  });
  return zipped.length === a.length ? zipped : undefined;
}

/** A stable sort keeps repeated names in the order written. */
function byName([a]: Entry, [b]: Entry): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
