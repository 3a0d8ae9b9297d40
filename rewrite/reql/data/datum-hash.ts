// A small number for each datum, for orders in which the place of a datum has only to be found again.

import { PSEUDO_TYPE } from './data-type.ts';
import { type Datum, type DatumObject, getField, isObject } from './datum.ts';

/** What lies deeper is not looked at, and neither are more items of an array, nor more characters at each end of a text. */
const LEVELS = 4;
const ITEMS = 16;
const CHARACTERS = 16;

/** Numbers whose bits look like none: a factor, and what kinds of data begin with. */
const FACTOR = 0x9e3779b1;
const [FRACTION, TEXT, ARRAY, OBJECT, PSEUDO] = [0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 0x165667b1, 0x2545f491];
const [TRUE, FALSE, NULL] = [0x51ed270b, 0x3c6ef372, 0x1b873593];
/** What V8 keeps without an object of its own. */
const SMALL = 0x3fffffff;

/**
 * A whole number of 30 bits, the same for data that the server takes for the same. Others seldom have it, unless somebody has chosen
 * them so.
 */
export function datumHash(datum: Datum): number {
  return hashWithin(LEVELS, datum) & SMALL;
}

function hashWithin(levels: number, datum: Datum): number {
  switch (typeof datum) {
    case 'number':
      return hashOfNumber(datum);
    case 'string':
      return hashOfText(datum);
    case 'boolean':
      return datum ? TRUE : FALSE;
    case 'object':
      if (datum === null) return NULL;
      return isObject(datum) ? hashOfObject(levels, datum) : hashOfArray(levels, datum);
  }
}

/** 0 and -0 have one. */
function hashOfNumber(number: number): number {
  const whole = mixed(number | 0);
  return (number | 0) === number ? whole : whole ^ mixed(FRACTION ^ ((number % 1) * 2 ** 32));
}

function hashOfText(text: string): number {
  const { length } = text;
  let hash = TEXT ^ length;
  for (let at = 0; at < length; at++) {
    if (at === CHARACTERS) at = Math.max(at, length - CHARACTERS);
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR);
  }
  return mixed(hash);
}

function hashOfArray(levels: number, items: readonly Datum[]): number {
  let hash = ARRAY ^ items.length;
  if (levels === 0) return hash;
  for (let at = 0; at < items.length && at < ITEMS; at++) {
    hash = mixed(hash) + hashWithin(levels - 1, items[at] ?? null);
  }
  return hash;
}

/** Fields may stand in any order. */
function hashOfObject(levels: number, object: DatumObject): number {
  // Equal values of a pseudo-type can be written in several ways; times are what most of them are.
  if (object[PSEUDO_TYPE] !== undefined) return PSEUDO ^ hashOfEpoch(object);
  let hash = OBJECT;
  if (levels === 0) return hash;
  for (const key in object)
    hash += Math.imul(hashOfText(key), hashWithin(levels - 1, getField(object, key) ?? null) | 1);
  return hash;
}

function hashOfEpoch(object: DatumObject): number {
  const epoch = getField(object, 'epoch_time');
  return typeof epoch === 'number' ? hashOfNumber(epoch) : 0;
}

function mixed(bits: number): number {
  const half = Math.imul(bits ^ (bits >>> 16), FACTOR);
  return half ^ (half >>> 13);
}
