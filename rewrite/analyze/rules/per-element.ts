// Terms that turn each element into none, one or many, without regard for the others.

import { onTop } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import { logicError } from '../../reql/error.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { lookedUp, looksUp, looksUpByElement } from '../lookup/lookup.ts';
import { orderOf } from '../order/order-of.ts';
import { partOfOrder } from '../order/part.ts';
import { positionRefusal } from '../order/position.ts';
import { checkPlaces } from '../order/range-of.ts';
import type { Piece, Stream, Valued } from '../piece.ts';
import { above, isBracket, perElementTerms, readsPosition } from './above.ts';
import { checkApplied, checkAppliedDeterministic, checkDeterministic, optargOf } from './argument.ts';
import { collected, onCollected } from './collect.ts';
import { isGrouped } from './missed.ts';
import { asStream, faultFromEnd, isArray, typeAbove, typeOf } from './stream-type.ts';

function isLiteral({ args }: CallTerm): boolean {
  return args[1]?.kind === 'datum';
}

/** A per-element term on top of a stream. */
export const perElement: StreamRule = (analysis, term, stream) => {
  if (readsPosition(term)) return onRows(analysis, { ...term, type: TermType.NTH }, stream);
  if (isBracket(term) && !isLiteral(term)) throw refusal(term, 'its argument is not a literal. Write it out');
  if (term.type === TermType.MAP && term.args.length > 2) throw refusal(term);
  if (looksUp(analysis, term)) {
    // Rows that are computed are a list, over which any expression goes.
    if (isOverRows(stream) && !looksUpByElement(term)) {
      return { ...listOver(analysis, term, stream), sequence: true };
    }
    const { term: found, stream: beside } = lookedUp(analysis, term, stream);
    return { ...beside, branches: beside.branches.map((branch) => above(branch, found)) };
  }
  checkApplied(term);
  checkAppliedDeterministic(stream, term.args.slice(1));
  if (stream.tail.length > 0) return { ...stream, tail: [...stream.tail, term] };
  return { ...stream, branches: stream.branches.map((branch) => above(branch, term)) };
};

function isOverRows(stream: Stream): boolean {
  return stream.branches.every(({ root: base }) => base.kind === 'rows');
}

/** Whether the whole list is at hand, in the order of the one-shot query. */
export function isListed(stream: Stream): boolean {
  const [only, ...more] = stream.branches;
  const limited = more.length === 0 && only?.root.kind === 'selection' && only.root.limited;
  return limited || isOverRows(stream) || (isGrouped(stream) && orderOf(stream) === 'listed');
}

/** A term that depends on positions: over rows that are computed the whole list is at hand, over a table it is not. */
function onRows(analysis: Analysis, term: CallTerm, stream: Stream): Piece {
  checkPlaces(term);
  const fault = isArray(stream) ? undefined : faultFromEnd(term);
  if (fault !== undefined) throw logicError(fault, term.origin);
  const part = partOfOrder(analysis, term, stream);
  if (part !== undefined) return term.type === TermType.NTH ? itemOf(analysis, term, stream, part) : part;
  if (!isListed(stream)) throw positionRefusal(term, stream);
  for (const argument of term.args.slice(1)) checkDeterministic(argument);
  return listOver(analysis, term, stream);
}

/** A term over the whole list that a stream is. */
function listOver(analysis: Analysis, term: CallTerm, stream: Stream): Valued {
  const list = onCollected(analysis, term, collected(analysis, term, stream));
  return asStream(list, typeAbove(typeOf(stream), term));
}

/** The one row of a part, or the error of the place at which there is none. */
function itemOf(analysis: Analysis, term: CallTerm, stream: Stream, part: Stream): Valued {
  const t = analysis.context.builder(term);
  const list = collected(analysis, term, part);
  const [, place] = term.args;
  const at = place?.kind === 'datum' ? place.value : 0;
  const item = t.nth(list.body, 0);
  // At the first place and at the last there is an item, or the same error as in the whole list.
  const isEnd = at === 0 || at === -1;
  const body = isEnd ? onTop(term, list.body) : t.branch(t.isEmpty(list.body), onTop(term, t.array()), item);
  return { ...list, body, row: typeOf(stream).selection };
}

const positional: StreamRule = (analysis, term, stream) => {
  const piece = onRows(analysis, term, stream);
  return piece.kind === 'value' && givesRows(term) ? { ...piece, sequence: true } : piece;
};

/** A fold, whose function the server refuses where it is none of an acc and an element. */
const fold: StreamRule = (analysis, term, stream) => {
  const [, , func] = term.args;
  if (func !== undefined && funcParts(func)?.params.length !== 2) throw new LeaveToServer();
  return positional(analysis, term, stream);
};

/** Whether a term over positions gives rows again. */
export function givesRows(term: CallTerm): boolean {
  return term.type === TermType.FOLD ? optargOf(term, 'emit') !== undefined : parts.has(term.type);
}

const parts: ReadonlySet<number> = new Set([TermType.SKIP, TermType.SLICE]);

/** Per-element terms, and those over positions that only derived rows allow, by term number. */
export const elementRules: StreamRules = new Map<number, StreamRule>([
  // `zip` has a rule of its own (join.ts).
  ...perElementTerms.filter((type) => type !== TermType.ZIP).map((type) => [type, perElement] as const),
  [TermType.SKIP, positional],
  [TermType.SLICE, positional],
  [TermType.NTH, positional],
  [TermType.OFFSETS_OF, positional],
  [TermType.FOLD, fold],
]);
