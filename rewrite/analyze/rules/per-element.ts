// Terms that turn each element into none, one or many, without regard for the others.

import { refusal } from '../../refusal.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { LeaveToServer } from '../context.ts';
import { canFail, canMiss } from '../failure.ts';
import type { Branch, Piece, Stream } from '../piece.ts';
import type { StreamRule, StreamRules, Taking } from '../taking.ts';
import { checkApplied, checkAppliedDeterministic, checkDeterministic, optargOf, readsLive } from './argument.ts';
import { collected, onCollected } from './collect.ts';
import { windowOf } from './page.ts';
import { positionRefusal } from './position.ts';
import { countsFromEnd, isArray } from './stream-type.ts';

interface Effect {
  /** RethinkDB accepts the term on a feed. */
  readonly native: boolean;
  /** What comes out is an object where what goes in is one. */
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

/** Whether a term works element by element. */
export function isPerElement(term: CallTerm): boolean {
  return effects.has(term.type) && !readsPosition(term);
}

/** `seq(0)` is `nth`, not a field. */
function readsPosition(term: CallTerm): boolean {
  const [, argument] = term.args;
  return isBracket(term) && argument?.kind === 'datum' && typeof argument.value === 'number';
}

function isBracket({ type }: CallTerm): boolean {
  return type === TermType.BRACKET;
}

function isLiteral({ args }: CallTerm): boolean {
  return args[1]?.kind === 'datum';
}

/** A per-element term on top of a stream. */
export const perElement: StreamRule = (taking, term, stream) => {
  if (readsPosition(term)) return onRows(taking, { ...term, type: TermType.NTH }, stream);
  if (isBracket(term) && !isLiteral(term)) throw refusal(term, 'its argument is not a literal. Write it out');
  if (term.type === TermType.MAP && term.args.length > 2) throw refusal(term);
  if (dependsOnLive(taking, term)) {
    if (!isOverRows(stream)) checkApplied(term);
    return { ...onCollected(taking, term, collected(taking, term, stream)), sequence: true };
  }
  checkApplied(term);
  checkAppliedDeterministic(stream, term.args.slice(1));
  if (stream.tail.length > 0) return { ...stream, tail: [...stream.tail, term] };
  return { ...stream, branches: stream.branches.map((branch) => above(branch, term)) };
};

/** A branch with one more per-element term on top. */
export function above(branch: Branch, term: CallTerm): Branch {
  const effect = effects.get(term.type);
  const fails = branch.fails || canFail(term, branch.objects);
  const misses = branch.misses || canMiss(term);
  const isNative = effect?.native === true && !fails && !misses && branch.native === branch.chain.length;
  const objects = branch.objects && effect?.keepsObjects === true;
  return {
    base: branch.base,
    chain: [...branch.chain, term],
    native: branch.native + (isNative ? 1 : 0),
    nativeObjects: branch.nativeObjects + (isNative && objects ? 1 : 0),
    objects,
    fails,
    misses,
    missed: branch.missed,
  };
}

function dependsOnLive(taking: Taking, term: CallTerm): boolean {
  return term.args.slice(1).some((argument) => readsLive(taking, argument));
}

function isOverRows(stream: Stream): boolean {
  return stream.branches.every(({ base }) => base.kind === 'rows');
}

/** Whether the whole list is at hand, in the order of the one-shot query. */
export function isListed(stream: Stream): boolean {
  const [only, ...more] = stream.branches;
  const limited = more.length === 0 && only?.base.kind === 'selection' && only.base.limited;
  return limited || isOverRows(stream);
}

/** A term that depends on positions: over rows that are computed the whole list is at hand, over a table it is not. */
function onRows(taking: Taking, term: CallTerm, stream: Stream): Piece {
  if (countsFromEnd(term) && !isArray(stream)) throw new LeaveToServer();
  if (!isListed(stream)) throw positionRefusal(term, stream);
  for (const argument of term.args.slice(1)) checkDeterministic(argument);
  return onCollected(taking, term, collected(taking, term, stream));
}

const positional: StreamRule = (taking, term, stream) => {
  // A part of rows that are computed is a window on their order, whatever stands on top of it.
  if (parts.has(term.type) && isOverRows(stream) && windowOf([term]) !== undefined) {
    return { ...stream, tail: [...stream.tail, term] };
  }
  return { ...onRows(taking, term, stream), ...(givesRows(term) ? { sequence: true } : {}) };
};

/** Whether a term over positions gives rows again. */
export function givesRows(term: CallTerm): boolean {
  return term.type === TermType.FOLD ? optargOf(term, 'emit') !== undefined : parts.has(term.type);
}

const parts: ReadonlySet<number> = new Set([TermType.SKIP, TermType.SLICE]);

/** Per-element terms, and those over positions that only derived rows allow, by term number. */
export const elementRules: StreamRules = new Map<number, StreamRule>([
  // `zip` has a rule of its own (join.ts).
  ...[...effects.keys()].filter((type) => type !== TermType.ZIP).map((type) => [type, perElement] as const),
  [TermType.SKIP, positional],
  [TermType.SLICE, positional],
  [TermType.NTH, positional],
  [TermType.OFFSETS_OF, positional],
  [TermType.FOLD, positional],
]);
