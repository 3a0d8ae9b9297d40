// How many bytes a datum takes in the server's own encoding (serialize_datum.cc), by which it measures batches.

import { isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, isObject, MAXVAL, MINVAL } from './datum.ts';
import { binaryBytes } from './pseudo.ts';
import { utf8Length } from './utf8.ts';

const TYPE = 1;
const BOOL = 1;
const DOUBLE = 8;

/** The size of a datum in bytes. */
export function datumSize(datum: Datum): number {
  if (datum === null || datum === MINVAL || datum === MAXVAL) return TYPE;
  switch (typeof datum) {
    case 'boolean':
      return TYPE + BOOL;
    case 'number':
      return TYPE + (Number.isSafeInteger(datum) && !Object.is(datum, -0) ? varintSize(Math.abs(datum)) : DOUBLE);
    case 'string':
      return TYPE + stringSize(datum);
    default:
      return isObject(datum) ? objectSize(datum) : TYPE + listSize(datum.length, sum(datum.map(datumSize)));
  }
}

function objectSize(object: DatumObject): number {
  const entries = Object.entries(object);
  if (isPseudo(object, 'BINARY')) {
    const { length } = binaryBytes(object);
    return TYPE + varintSize(length) + length;
  }
  return TYPE + listSize(entries.length, sum(entries.map(([key, field]) => stringSize(key) + datumSize(field))));
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

function stringSize(text: string): number {
  const length = utf8Length(text);
  return varintSize(length) + length;
}

// The elements, their number, a table of offsets as narrow as fits, and the size of all that.
function listSize(count: number, elements: number): number {
  const bare = elements + varintSize(count);
  let inner = bare;
  for (const [width, limit] of [
    [1, 0xff],
    [2, 0xffff],
    [4, 0xffff_ffff],
  ] as const) {
    inner = bare + Math.max(0, count - 1) * width;
    if (inner <= limit) break;
  }
  return inner + varintSize(inner);
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
