// Per-element terms on the elements of a branch.

import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { mayLackField, mayRaise } from '../failure.ts';
import type { Branch } from '../piece.ts';

interface Effect {
  /** RethinkDB accepts the term on a feed. */
  readonly native: boolean;
  /** Gives an object where it is given one. */
  readonly keepsObjects: boolean;
}

const effects: ReadonlyMap<number, Effect> = new Map([
  [TermType.FILTER, { native: true, keepsObjects: true }],
  [TermType.MAP, { native: true, keepsObjects: false }],
  [TermType.CONCAT_MAP, { native: false, keepsObjects: false }],
  [TermType.PLUCK, { native: true, keepsObjects: true }],
  [TermType.WITHOUT, { native: true, keepsObjects: true }],
  [TermType.MERGE, { native: true, keepsObjects: true }],
  [TermType.HAS_FIELDS, { native: true, keepsObjects: true }],
  [TermType.WITH_FIELDS, { native: true, keepsObjects: true }],
  [TermType.BRACKET, { native: true, keepsObjects: false }],
  [TermType.GET_FIELD, { native: true, keepsObjects: false }],
  [TermType.ZIP, { native: false, keepsObjects: true }],
]);

/** The terms that work element by element, by number. */
export const perElementTerms: readonly number[] = [...effects.keys()];

/** Whether a term works element by element. */
export function isPerElement(term: CallTerm): boolean {
  return effects.has(term.type) && !readsPosition(term);
}

/** Whether a term is `seq(0)`, which is `nth`, and no field. */
export function readsPosition(term: CallTerm): boolean {
  const [, argument] = term.args;
  return isBracket(term) && argument?.kind === 'datum' && typeof argument.value === 'number';
}

/** Whether a term is a bracket: a field, or a place. */
export function isBracket({ type }: CallTerm): boolean {
  return type === TermType.BRACKET;
}

/** A branch with one more per-element term on top. */
export function above(branch: Branch, term: CallTerm): Branch {
  const effect = effects.get(term.type);
  const fails = branch.mayRaise || mayRaise(term, branch.objects);
  const misses = branch.mayLackField || mayLackField(term);
  const isNative = effect?.native === true && !fails && !misses && branch.native === branch.chain.length;
  const objects = branch.objects && effect?.keepsObjects === true;
  return {
    root: branch.root,
    chain: [...branch.chain, term],
    native: branch.native + (isNative ? 1 : 0),
    nativeObjects: branch.nativeObjects + (isNative && objects ? 1 : 0),
    objects,
    mayRaise: fails,
    mayLackField: misses,
    missed: branch.missed,
  };
}
