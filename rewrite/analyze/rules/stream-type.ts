// The type that RethinkDB gives a stream: rows of a table, a stream, or an array in memory (val.cc). Terms that want a value take an
// array alone, and only in an array can places be counted from the end.

import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { HANDING_ON } from '../../sources/selecting-terms.ts';
import type { Branch, Stream, StreamType, Valued } from '../piece.ts';
import { isPerElement } from './above.ts';
import { optargOf } from './argument.ts';

/** Whether RethinkDB takes a stream for an array. */
export function isArray(stream: Stream): boolean {
  return isArrayType(typeOf(stream));
}

function isArrayType({ selection, inMemory }: StreamType): boolean {
  return inMemory && !selection;
}

/** A stream that is kept as a list, with the type that RethinkDB gives it. */
export function asStream(list: Valued, type: StreamType | undefined): Valued {
  return { ...list, stream: type === undefined || isArrayType(type) ? undefined : type };
}

/** What RethinkDB makes of what a term gives on a stream of a type; `undefined` where that is a value. */
export function typeAbove(type: StreamType, term: CallTerm): StreamType | undefined {
  if (term.type === TermType.DEFAULT) return type;
  return handsOn(term) ? typeOver(type, term) : undefined;
}

/** Whether a term makes a stream of a stream. */
function handsOn(term: CallTerm): boolean {
  if (term.type === TermType.FOLD) return optargOf(term, 'emit') !== undefined;
  return isPerElement(term) || makingStreams.has(term.type);
}

const makingStreams: ReadonlySet<number> = new Set([
  TermType.ORDER_BY,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.UNION,
]);

/** What RethinkDB makes of a stream. A union is no selection, and an array where all that it unites are. */
export function typeOf({ branches, tail }: Stream): StreamType {
  const types = branches.map((branch) => branch.chain.reduce(typeOver, typeOfBase(branch)));
  const [only, ...more] = types;
  const united: StreamType = { selection: false, inMemory: types.every(({ inMemory }) => inMemory) };
  return tail.reduce(typeOver, only !== undefined && more.length === 0 ? only : united);
}

function typeOfBase({ root: base }: Branch): StreamType {
  switch (base.kind) {
    case 'selection':
      return { selection: true, inMemory: false };
    case 'rows':
      return { selection: base.selection === true, inMemory: base.array };
    case 'join':
      return base.type;
    case 'group':
      return { selection: base.isSelection, inMemory: !base.isSelection };
  }
}

function typeOver({ selection, inMemory }: StreamType, term: CallTerm): StreamType {
  const sorts = term.type === TermType.ORDER_BY && optargOf(term, 'index') === undefined;
  return { selection: selection && HANDING_ON.has(term.type), inMemory: inMemory || sorts };
}

/**
 * What RethinkDB says of a term that counts a place from the end in a way that a stream does not allow (arr.cc): there -1 is the last
 * element for `nth`, and the end for a closed right bound of `slice`. `undefined` where it has nothing to say.
 */
export function faultFromEnd(term: CallTerm): string | undefined {
  const [, first, second] = term.args.map((argument) => (argument.kind === 'datum' ? argument.value : undefined));
  return faults.get(term.type)?.(term, first, second);
}

type FaultOf = (term: CallTerm, first: unknown, second: unknown) => string | undefined;

const nth: FaultOf = (_, place) =>
  isBelow(place, -1) ? `Cannot use an index < -1 (${place}) on a stream.` : undefined;
const negative: FaultOf = (_, left) => (isBelow(left, 0) ? 'Cannot use a negative left index on a stream.' : undefined);
const slice: FaultOf = (term, left, right) => {
  if (isBelow(right, -1)) return negative(term, left, right) ?? 'Cannot use a right index < -1 on a stream.';
  const isOpenEnd = right === -1 && !isClosed(term);
  return (
    negative(term, left, right) ?? (isOpenEnd ? 'Cannot slice to an open right index of -1 on a stream.' : undefined)
  );
};

/** Terms that count places, but for `limit`, of which no number may be below 0. */
const faults: ReadonlyMap<number, FaultOf> = new Map<number, FaultOf>([
  [TermType.NTH, nth],
  [TermType.BRACKET, nth],
  [TermType.SKIP, negative],
  [TermType.SLICE, slice],
]);

function isBelow(value: unknown, least: number): value is number {
  return typeof value === 'number' && value < least;
}

function isClosed(term: CallTerm): boolean {
  const bound = optargOf(term, 'right_bound');
  return bound?.kind === 'datum' && bound.value === 'closed';
}
