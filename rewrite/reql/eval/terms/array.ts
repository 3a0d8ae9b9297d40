// Terms over arrays as data: APPEND, PREPEND, INSERT_AT, DELETE_AT, CHANGE_AT, SPLICE_AT, and the sets.

import { asArray, asNumber } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { datumKey } from '../../data/datum-key.ts';
import { asInteger } from '../../data/number.ts';
import { logicError, nonExistence } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { TermCompiler, TermTable } from '../core/context.ts';
import { op } from '../core/op.ts';
import { limited } from '../streams/materialize.ts';
import { placeOf } from './nth.ts';

/** Items that are copied in about the time of one step. */
const ITEMS_PER_STEP = 16;
/** Steps that an item of a set takes beside its key. */
const SET_STEPS = 4;

// Errors about these arguments point to the term, not to the argument. The array will be copied.
function arrayArg(args: Args, index: number): readonly Datum[] {
  return copying(asArray(args.datum(index)), args);
}

function copying(array: readonly Datum[], args: Args): readonly Datum[] {
  args.context.meter.spend(array.length / ITEMS_PER_STEP);
  return array;
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
  return [...array.slice(0, place), ...copying(asArray(elements), args), ...array.slice(place)];
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
  return limited([...copying(asArray(array), args), element], args.context);
}

function prepend(args: Args): readonly Datum[] {
  const array = args.datum(0);
  const element = args.datum(1);
  return limited([element, ...copying(asArray(array), args)], args.context);
}

/** The elements that are not in `seen` yet; each is put there. */
function unseen(elements: readonly Datum[], seen: Set<string>, meter: Meter): readonly Datum[] {
  meter.spend(SET_STEPS * elements.length);
  return elements.filter((element) => {
    const key = datumKey(element, meter);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A term of two data. */
function set(make: (left: Datum, right: Datum, meter: Meter) => readonly Datum[]): TermCompiler {
  return op((args) => {
    const left = args.datum(0);
    const right = args.datum(1);
    return limited(make(left, right, args.context.meter), args.context);
  });
}

function keysOf(elements: readonly Datum[], meter: Meter): Set<string> {
  meter.spend(SET_STEPS * elements.length);
  return new Set(elements.map((element) => datumKey(element, meter)));
}

function intersection(left: Datum, right: Datum, meter: Meter): readonly Datum[] {
  const wanted = keysOf(asArray(left), meter);
  const elements = asArray(right);
  meter.spend(SET_STEPS * elements.length);
  return elements.filter((element) => wanted.delete(datumKey(element, meter)));
}

// The right side is looked at first, and refused first.
function difference(left: Datum, right: Datum, meter: Meter): readonly Datum[] {
  const unwanted = keysOf(asArray(right), meter);
  return unseen(asArray(left), unwanted, meter);
}

/** The terms of this family. */
export const arrayTerms: TermTable = {
  [TermType.APPEND]: op(append),
  [TermType.PREPEND]: op(prepend),
  [TermType.INSERT_AT]: at(true, insertAt),
  [TermType.SPLICE_AT]: at(true, spliceAt),
  [TermType.CHANGE_AT]: at(false, changeAt),
  [TermType.DELETE_AT]: at(false, deleteAt),
  [TermType.SET_INSERT]: set((left, right, meter) => unseen([...asArray(left), right], new Set(), meter)),
  [TermType.SET_UNION]: set((left, right, meter) => unseen([...asArray(left), ...asArray(right)], new Set(), meter)),
  [TermType.SET_INTERSECTION]: set(intersection),
  [TermType.SET_DIFFERENCE]: set(difference),
};
