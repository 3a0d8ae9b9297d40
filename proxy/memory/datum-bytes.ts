// How much of the heap a datum takes, estimated. The figures were measured on V8 (scripts/measure-state.ts).

import { type Datum, isObject } from '../../rewrite/reql/datum.ts';

const POINTER = 8;
/** A number that is no small integer is an object of its own. */
const NUMBER = 16;
const STRING = 24;
const ARRAY = 32;
const OBJECT = 32;
/** Strings up to this length are not looked at: they count as if all their characters were wide. */
const SHORT = 16;

/** Bytes that a datum takes beside the pointer to it. */
export function datumBytes(datum: Datum): number {
  switch (typeof datum) {
    case 'number':
      return Number.isSafeInteger(datum) && Math.abs(datum) < 2 ** 31 ? 0 : NUMBER;
    case 'string':
      return stringBytes(datum);
    case 'boolean':
      return 0;
    default:
      break;
  }
  if (datum === null) return 0;
  if (!isObject(datum)) {
    let bytes = ARRAY + POINTER * datum.length;
    for (const item of datum) bytes += datumBytes(item);
    return bytes;
  }
  let bytes = OBJECT;
  for (const key in datum) bytes += POINTER + datumBytes(datum[key] ?? null);
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
