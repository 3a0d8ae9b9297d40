// The size of a datum in the server's own encoding (serialize_datum.cc), by which it measures batches.

import type { Meter } from '../meter.ts';
import { isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, isObject, MAXVAL, MINVAL } from './datum.ts';
import { binaryBytes } from './pseudo.ts';
import { utf8Length } from './utf8.ts';

const TYPE = 1;
const BOOL = 1;
const DOUBLE = 8;

/** How many levels are measured exactly; what lies deeper is measured without the tables of its lists. */
const LEVELS = 200;
/** Characters of a text that are measured in about the time of one step. */
const CHARACTERS_PER_STEP = 32;

/** The size of a datum in bytes. `meter` counts the work, and may raise. */
export function datumSize(datum: Datum, meter?: Meter): number {
  return sizeWithin(LEVELS, datum, meter);
}

function sizeWithin(levels: number, datum: Datum, meter: Meter | undefined): number {
  if (datum === null || datum === MINVAL || datum === MAXVAL) return TYPE;
  switch (typeof datum) {
    case 'boolean':
      return TYPE + BOOL;
    case 'number':
      return TYPE + (Number.isSafeInteger(datum) && !Object.is(datum, -0) ? varintSize(Math.abs(datum)) : DOUBLE);
    case 'string':
      meter?.spend(datum.length / CHARACTERS_PER_STEP);
      return TYPE + stringSize(datum);
    case 'object':
      return levels === 0 ? deepSize(datum, meter) : structureSize(levels, datum, meter);
  }
}

function structureSize(levels: number, datum: readonly Datum[] | DatumObject, meter: Meter | undefined): number {
  if (!isObject(datum)) {
    meter?.spend(1 + datum.length / 2);
    return TYPE + listSize(datum.length, sum(datum.map((item) => sizeWithin(levels - 1, item, meter))));
  }
  const entries = Object.entries(datum);
  meter?.spend(1 + entries.length);
  if (isPseudo(datum, 'BINARY')) {
    const { length } = binaryBytes(datum);
    return TYPE + varintSize(length) + length;
  }
  const fields = entries.map(([key, field]) => stringSize(key) + sizeWithin(levels - 1, field, meter));
  return TYPE + listSize(entries.length, sum(fields));
}

/** About the size of a datum, without recursion. */
function deepSize(root: Datum, meter: Meter | undefined): number {
  let size = 0;
  const left: Datum[] = [root];
  for (let datum = left.pop(); datum !== undefined; datum = left.pop()) {
    meter?.spend(1);
    size += TYPE;
    if (typeof datum !== 'object' || datum === null) {
      size += sizeWithin(1, datum, meter);
    } else if (isObject(datum)) {
      for (const [key, field] of Object.entries(datum)) {
        size += stringSize(key);
        left.push(field);
      }
    } else {
      for (const item of datum) left.push(item);
    }
  }
  return size;
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
