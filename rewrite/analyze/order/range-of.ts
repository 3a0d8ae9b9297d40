// The places of a list that a term takes, where they are written out: `limit`, `skip`, `slice`, `nth`, and bracket with a number.

import { LARGEST_INTEGER } from '../../reql/data/number.ts';
import { int32Of, integerOf } from '../../reql/eval/core/args.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { END, type Range, type Window } from '../../window.ts';
import { optargOf } from '../rules/argument.ts';

/** The places that a term takes; `undefined` where they are not written out, or are none, which the server says. */
export function rangeOf(term: CallTerm): Range | undefined {
  return ranges.get(term.type)?.(term);
}

/** The window that terms leave of a list, innermost first; `undefined` where one of them is not written out. */
export function windowOf(parts: readonly CallTerm[]): Window | undefined {
  const window = parts.map(rangeOf);
  return window.every((range) => range !== undefined) ? window : undefined;
}

/** Whether a term takes a part of a list, or one item of it, by places. */
export function takesPlaces({ type }: CallTerm): boolean {
  return ranges.has(type);
}

/**
 * Checks the places that are written out.
 * @throws ReqlError in RethinkDB's words, for what is no number, no whole one, or too large
 */
export function checkPlaces(term: CallTerm): void {
  if (!takesPlaces(term)) return;
  const read = isLong(term) ? integerOf : int32Of;
  for (const place of term.args.slice(1)) if (place.kind === 'datum') read(place.value, place.origin);
}

type RangeOf = (term: CallTerm) => Range | undefined;

const nth: RangeOf = ({ args }) => {
  const at = placeOf(args[1], MOST_PLACES);
  return at === undefined ? undefined : { from: at, to: at === -1 ? END : at + 1 };
};

const skip: RangeOf = ({ args, optargs }) => {
  const from = placeOf(args[1], LARGEST_INTEGER);
  return from === undefined || optargs.length > 0 ? undefined : { from, to: END };
};

const limit: RangeOf = ({ args }) => {
  const to = placeOf(args[1], MOST_PLACES);
  return to === undefined || to < 0 ? undefined : { from: 0, to };
};

const slice: RangeOf = (term) => {
  const [, first, last] = term.args;
  const left = boundOf(term, 'left_bound', 'closed');
  const right = boundOf(term, 'right_bound', 'open');
  const from = placeOf(first, LARGEST_INTEGER);
  if (from === undefined || left === undefined || right === undefined) return undefined;
  const begin = left === 'open' ? behind(from) : from;
  if (last === undefined) return { from: begin, to: END };
  const to = placeOf(last, LARGEST_INTEGER);
  return to === undefined ? undefined : { from: begin, to: right === 'closed' ? behind(to) : to };
};

/** The place behind another. */
function behind(place: number): number {
  return place === -1 ? END : place + 1;
}

const ranges: ReadonlyMap<number, RangeOf> = new Map([
  [TermType.NTH, nth],
  [TermType.BRACKET, nth],
  [TermType.SKIP, skip],
  [TermType.LIMIT, limit],
  [TermType.SLICE, slice],
]);

/** RethinkDB takes 32 bits for a place, but for those of `slice` and `skip`, which can be all integers. */
export const MOST_PLACES: number = 2 ** 31 - 1;

function isLong({ type }: CallTerm): boolean {
  return type === TermType.SLICE || type === TermType.SKIP;
}

function placeOf(term: Term | undefined, most: number): number | undefined {
  const value = term?.kind === 'datum' ? term.value : undefined;
  return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= most ? value : undefined;
}

function boundOf(term: CallTerm, name: string, usual: string): 'open' | 'closed' | undefined {
  const bound = optargOf(term, name);
  const value = bound === undefined ? usual : bound.kind === 'datum' ? bound.value : undefined;
  return value === 'open' || value === 'closed' ? value : undefined;
}
