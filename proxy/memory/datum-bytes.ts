// The heap that a datum takes, estimated. The figures were measured on V8 (scripts/measure-state.ts).

import { type Datum, isObject } from '../../rewrite/reql/data/datum.ts';

const POINTER = 8;
/** A number that is no small integer is an object of its own. */
const NUMBER = 16;
const STRING = 24;
const ARRAY = 32;
const OBJECT = 32;
/** Strings up to this length are not looked at: they count as if all their characters were wide. */
const SHORT = 16;

/** How many levels of a datum are counted by recursion; what lies deeper is counted without. */
const LEVELS = 200;

/** Bytes that a datum takes beside the pointer to it. Depth is no concern. */
export function datumBytes(datum: Datum): number {
  return bytesWithin(LEVELS, datum);
}

/** Of a longer array one item in so many is weighed, any one of them: a list of 100,000 rows is in less than a millisecond. */
const LONG = 4096;
const STRIDE = 32;

/** What was found for long arrays: the same array always weighs the same. */
const longArrays = new WeakMap<readonly Datum[], number>();

/** About the bytes that a datum takes, for what is made as a whole again with each change. */
export function roughBytes(datum: Datum): number {
  if (typeof datum !== 'object' || datum === null || isObject(datum) || datum.length <= LONG) return datumBytes(datum);
  const known = longArrays.get(datum);
  if (known !== undefined) return known;
  let bytes = 0;
  for (let from = 0; from < datum.length; from += STRIDE) {
    const length = Math.min(STRIDE, datum.length - from);
    // Nobody can tell which items it will be.
    const item = datum[from + Math.floor(Math.random() * length)] ?? null;
    bytes += length * (POINTER + datumBytes(item));
  }
  longArrays.set(datum, ARRAY + bytes);
  return ARRAY + bytes;
}

function bytesWithin(levels: number, datum: Datum): number {
  switch (typeof datum) {
    case 'number':
      return Number.isSafeInteger(datum) && Math.abs(datum) < 2 ** 31 ? 0 : NUMBER;
    case 'string':
      return stringBytes(datum);
    case 'boolean':
      return 0;
    case 'object':
      break;
  }
  if (datum === null) return 0;
  if (levels === 0) return deepBytes(datum);
  if (!isObject(datum)) {
    let bytes = ARRAY + POINTER * datum.length;
    for (const item of datum) bytes += bytesWithin(levels - 1, item);
    return bytes;
  }
  let bytes = OBJECT;
  for (const key in datum) bytes += POINTER + bytesWithin(levels - 1, datum[key] ?? null);
  return bytes;
}

function deepBytes(root: Datum): number {
  let bytes = 0;
  const left: Datum[] = [root];
  for (let datum = left.pop(); datum !== undefined; datum = left.pop()) {
    if (typeof datum !== 'object' || datum === null) {
      bytes += bytesWithin(0, datum);
      continue;
    }
    const inner = isObject(datum) ? Object.values(datum) : datum;
    bytes += (isObject(datum) ? OBJECT : ARRAY) + POINTER * inner.length;
    for (const value of inner) left.push(value);
  }
  return bytes;
}

/** V8 keeps texts without characters above U+00FF in a byte each, and others in two. */
function stringBytes(text: string): number {
  if (text.length <= SHORT) return STRING + text.length;
  return STRING + (isNarrow(text) ? text.length : 2 * text.length);
}

function isNarrow(text: string): boolean {
  return !/[^\0-\u00ff]/.test(text);
}
