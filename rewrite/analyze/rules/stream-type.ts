// The type that RethinkDB gives a stream: rows of a table, a stream, or an array in memory (val.cc). Terms that want a value take an
// array alone, and only in an array can places be counted from the end.

import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { HANDING_ON } from '../../sources/selecting-terms.ts';
import type { Branch, Stream } from '../piece.ts';
import { optargOf } from './argument.ts';

/** What RethinkDB makes of a stream. */
export interface StreamType {
  /** It is still known to be rows of a table, and then never taken for an array. */
  readonly selection: boolean;
  readonly inMemory: boolean;
}

/** Whether RethinkDB takes a stream for an array. */
export function isArray(stream: Stream): boolean {
  const { selection, inMemory } = typeOf(stream);
  return inMemory && !selection;
}

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
      return { selection: false, inMemory: base.array };
    case 'group':
      return { selection: false, inMemory: true };
  }
}

function typeOver({ selection, inMemory }: StreamType, term: CallTerm): StreamType {
  const sorts = term.type === TermType.ORDER_BY && optargOf(term, 'index') === undefined;
  return { selection: selection && HANDING_ON.has(term.type), inMemory: inMemory || sorts };
}

/**
 * Whether a term counts a place from the end in a way that a stream does not allow: there -1 is the last element for `nth`, and
 * the end for a closed right bound of `slice`.
 */
export function countsFromEnd(term: CallTerm): boolean {
  const [, first, second] = term.args.map((argument) => (argument.kind === 'datum' ? argument.value : undefined));
  return fromEnd.get(term.type)?.(term, first, second) ?? false;
}

type FromEnd = (term: CallTerm, first: unknown, second: unknown) => boolean;

const isNegative: FromEnd = (_, first) => isBelow(first, 0);
const isBeforeLast: FromEnd = (_, first) => isBelow(first, -1);

/** Terms that count places, by what of their arguments counts from the end. */
const fromEnd: ReadonlyMap<number, FromEnd> = new Map<number, FromEnd>([
  [TermType.NTH, isBeforeLast],
  [TermType.BRACKET, isBeforeLast],
  [TermType.SKIP, isNegative],
  [TermType.LIMIT, isNegative],
  [
    TermType.SLICE,
    (term, first, second) => isBelow(first, 0) || isBelow(second, -1) || (second === -1 && !isClosed(term)),
  ],
]);

function isBelow(value: unknown, least: number): boolean {
  return typeof value === 'number' && value < least;
}

function isClosed(term: CallTerm): boolean {
  const bound = optargOf(term, 'right_bound');
  return bound?.kind === 'datum' && bound.value === 'closed';
}
