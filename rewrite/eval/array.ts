// Terms over arrays as data: APPEND, PREPEND, INSERT_AT, DELETE_AT, CHANGE_AT, SPLICE_AT, and the sets.

import { asArray, asNumber } from '../reql/data-type.ts';
import type { Datum } from '../reql/datum.ts';
import { datumKey } from '../reql/datum-key.ts';
import { logicError, nonExistence } from '../reql/error.ts';
import { asInteger } from '../reql/number.ts';
import { TermType } from '../reql/term-type.ts';
import type { Args } from './args.ts';
import type { TermCompiler, TermTable } from './context.ts';
import { limited } from './materialize.ts';
import { placeOf } from './nth.ts';
import { op } from './op.ts';

// Errors about these arguments point to the term, not to the argument.
function arrayArg(args: Args, index: number): readonly Datum[] {
  return asArray(args.datum(index));
}

function placeArg(args: Args, index: number, size: number): number {
  return placeOf(asInteger(asNumber(args.datum(index))), size, args);
}

function outOfBounds(place: number, size: number): Error {
  return nonExistence(`Index \`${place}\` out of bounds for array of size: \`${size}\`.`);
}

/** A term that changes an array at a place; `spaces` where places are between elements, so that the end is one. */
function at(
  spaces: boolean,
  change: (array: readonly Datum[], place: number, args: Args) => readonly Datum[],
): TermCompiler {
  return op((args) => {
    const array = limited(arrayArg(args, 0), args.context);
    const place = placeArg(args, 1, spaces ? array.length + 1 : array.length);
    return limited(change(array, place, args), args.context);
  });
}

function insertAt(array: readonly Datum[], place: number, args: Args): readonly Datum[] {
  const element = args.datum(2);
  if (place > array.length) throw outOfBounds(place, array.length);
  return array.toSpliced(place, 0, element);
}

function spliceAt(array: readonly Datum[], place: number, args: Args): readonly Datum[] {
  const elements = args.datum(2);
  if (place > array.length) throw outOfBounds(place, array.length);
  // Not spread into an argument list, which is bounded.
  return [...array.slice(0, place), ...asArray(elements), ...array.slice(place)];
}

function changeAt(array: readonly Datum[], place: number, args: Args): readonly Datum[] {
  const element = args.datum(2);
  if (place >= array.length) throw outOfBounds(place, array.length);
  return array.with(place, element);
}

function deleteAt(array: readonly Datum[], place: number, args: Args): readonly Datum[] {
  if (args.count === 2) {
    if (place >= array.length) throw outOfBounds(place, array.length);
    return array.toSpliced(place, 1);
  }
  const end = placeArg(args, 2, array.length);
  if (place > array.length) throw outOfBounds(place, array.length);
  if (end > array.length) throw outOfBounds(end, array.length);
  if (place > end) throw logicError(`Start index \`${place}\` is greater than end index \`${end}\`.`);
  return array.toSpliced(place, end - place);
}

function append(args: Args): readonly Datum[] {
  const array = args.datum(0);
  const element = args.datum(1);
  return limited([...asArray(array), element], args.context);
}

function prepend(args: Args): readonly Datum[] {
  const array = args.datum(0);
  const element = args.datum(1);
  return limited([element, ...asArray(array)], args.context);
}

/** The elements that are not in `seen` yet; each is put there. */
function unseen(elements: readonly Datum[], seen: Set<string>): readonly Datum[] {
  return elements.filter((element) => {
    const key = datumKey(element);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A term of two data. */
function set(make: (left: Datum, right: Datum) => readonly Datum[]): TermCompiler {
  return op((args) => {
    const left = args.datum(0);
    const right = args.datum(1);
    return limited(make(left, right), args.context);
  });
}

function intersection(left: Datum, right: Datum): readonly Datum[] {
  const wanted = new Set(asArray(left).map(datumKey));
  return asArray(right).filter((element) => wanted.delete(datumKey(element)));
}

// The right side is looked at first, and refused first.
function difference(left: Datum, right: Datum): readonly Datum[] {
  const unwanted = new Set(asArray(right).map(datumKey));
  return unseen(asArray(left), unwanted);
}

/** The terms of this family. */
export const arrayTerms: TermTable = {
  [TermType.APPEND]: op(append),
  [TermType.PREPEND]: op(prepend),
  [TermType.INSERT_AT]: at(true, insertAt),
  [TermType.SPLICE_AT]: at(true, spliceAt),
  [TermType.CHANGE_AT]: at(false, changeAt),
  [TermType.DELETE_AT]: at(false, deleteAt),
  [TermType.SET_INSERT]: set((left, right) => unseen([...asArray(left), right], new Set())),
  [TermType.SET_UNION]: set((left, right) => unseen([...asArray(left), ...asArray(right)], new Set())),
  [TermType.SET_INTERSECTION]: set(intersection),
  [TermType.SET_DIFFERENCE]: set(difference),
};
