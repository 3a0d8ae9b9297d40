// Equality of terms up to what has no meaning: numbers of variables, text, origin, the order of fields, and whether a
// literal was written as a datum or as terms.

import type { CallTerm, Entry, Term } from './term.ts';
import { unfoldDatum } from './unfold-datum.ts';
import { funcParts, type VarId, varOf } from './vars.ts';

/** Variables bound above, each by the function that binds it; functions are counted on both sides alike. */
type Bound = ReadonlyMap<VarId, string>;

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
  if (b.kind !== 'call' || a.type !== b.type) return undefined;
  const idA = varOf(a);
  const idB = varOf(b);
  if (idA !== undefined && idB !== undefined) {
    const boundA = inLeft.get(idA);
    return same(boundA === inRight.get(idB) && (boundA !== undefined || idA === idB) ? [] : undefined);
  }
  const funcA = funcParts(a);
  const funcB = funcParts(b);
  if (funcA === undefined || funcB === undefined) return same(zipCalls(a, b));
  if (funcA.params.length !== funcB.params.length) return undefined;
  return {
    terms: [[funcA.body, funcB.body]],
    inLeft: bind(inLeft, funcA.params, functions),
    inRight: bind(inRight, funcB.params, functions),
    opensFunction: true,
  };
}

function bind(bound: Bound, params: readonly VarId[], functions: number): Bound {
  return new Map([...bound, ...params.map((param, index) => [param, `${functions} ${index}`] as const)]);
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
