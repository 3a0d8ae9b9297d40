// An element of a sequence by its place: NTH, and bracket with a number.

import { asArray } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { logicError, nonExistence } from '../../error.ts';
import { type Args, asSelection, int32Of, isSelectionLike } from '../core/args.ts';
import { isDatumLike, isNonDatum, toDatum, type Value } from '../core/value.ts';
import { atMost, TERMINAL } from '../streams/batch.ts';
import { GroupedStream } from './grouped.ts';

/** The place that a negative index counts to from the end; raises NON_EXISTENCE, pointing to the term, before the start. */
export function placeOf(index: number, size: number, args: Args): number {
  if (index >= 0) return index;
  if (-index > size) throw nonExistence(`Index out of bounds: ${index}`, args.origin);
  return size + index;
}

/** The element of `value` at the place that `place` gives: argument 1, which is evaluated first of all. */
export function nth(args: Args, value: Value, place: Value): Value {
  if (value instanceof GroupedStream) {
    const groups = value.toGroups();
    return groups.map((datum) => toDatum(nthOf(args, datum, place), args.origin));
  }
  return nthOf(args, value, place);
}

function nthOf(args: Args, value: Value, place: Value): Value {
  // A value that cannot be a sequence is refused before the index is looked at.
  if (!isNonDatum(value)) args.streamOf(value, args.maker(0));
  const index = int32Of(place, args.maker(1));
  if (isDatumLike(value)) {
    const array = asArray(toDatum(value, args.maker(0)));
    const place = placeOf(index, array.length, args);
    const element = array[place];
    if (element === undefined) throw nonExistence(`Index out of bounds: ${place}`);
    return element;
  }
  const selection = isSelectionLike(value) ? asSelection(value, args.maker(0)) : undefined;
  const stream = selection === undefined ? args.streamOf(value, args.maker(0)) : selection.stream;
  if (index < -1) throw logicError(`Cannot use an index < -1 (${index}) on a stream.`, args.origin);
  const spec = index === -1 ? TERMINAL : atMost(TERMINAL, index + 1);
  let last: Datum | undefined;
  for (let i = 0; ; i++) {
    const element = stream.next(spec);
    if (element === undefined && index !== -1) last = undefined;
    if (element === undefined || i === index) {
      const found = element === undefined ? last : element;
      if (found === undefined) throw nonExistence(`Index out of bounds: ${index}`, args.origin);
      return selection === undefined ? found : selection.table.row(found as DatumObject, args.origin);
    }
    last = element;
  }
}
