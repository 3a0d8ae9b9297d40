// The total order of data: array, bool, null, number, object, binary, time, string, between minval and maxval; within
// a type as the server compares it. Strings and keys compare by their UTF-8 bytes.

import { logicError } from '../error.ts';
import type { Meter } from '../meter.ts';
import { decodeBase64 } from './base64.ts';
import { DATA_TYPES, type DataType, dataType, PSEUDO_TYPE, pseudoType, typeName } from './data-type.ts';
import { type Datum, type DatumObject, getField } from './datum.ts';

/** How many levels of data are compared by recursion; what lies deeper is compared without, since rows nest as deep as they like. */
const LEVELS = 200;
/** Characters, elements or keys that are compared in about the time of one step. */
const PER_STEP = 8;
/** Characters of two texts that are. */
const CHARACTERS_PER_STEP = 64;

/** Compares two strings by their UTF-8 bytes: negative, zero or positive. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

// UTF-16 puts surrogates (characters above U+FFFF) below U+E000..U+FFFF; UTF-8 puts them above.
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** An object's keys in the order of their UTF-8 bytes, the order in which the server stores and shows them. */
export function sortedKeys(object: DatumObject): readonly string[] {
  return inOrder(Object.keys(object));
}

/** An object with so many keys, which takes milliseconds, is put into order once, however many others it is compared with. */
const MANY_KEYS = 1000;
const orders = new WeakMap<DatumObject, readonly string[]>();

function keysInOrder(object: DatumObject): readonly string[] {
  const known = orders.get(object);
  if (known !== undefined) return known;
  const keys = sortedKeys(object);
  if (keys.length >= MANY_KEYS) orders.set(object, keys);
  return keys;
}

/** The same keys, in that order. Most come in it. */
function inOrder(keys: string[]): readonly string[] {
  for (let i = 1; i < keys.length; i++) {
    if (compareStrings(keys[i - 1] ?? '', keys[i] ?? '') > 0) return keys.sort(compareStrings);
  }
  return keys;
}

/**
 * Compares two data: negative, zero or positive. Depth is no concern. Raises QUERY_LOGIC without an origin for two
 * pseudo-types that have no order (LITERAL), and what `meter` raises, which counts the work.
 */
export function compareDatums(a: Datum, b: Datum, meter?: Meter): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  return compareWithin(LEVELS, a, b, meter);
}

function compareWithin(levels: number, a: Datum, b: Datum, meter: Meter | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') {
    meter?.spend(Math.min(a.length, b.length) / CHARACTERS_PER_STEP);
    return compareStrings(a, b);
  }
  if (a === b && (a === null || typeof a === 'boolean')) return 0;
  const typeA = dataType(a);
  const typeB = dataType(b);
  const pseudoA = comparedAsPseudo(a, typeA);
  const pseudoB = comparedAsPseudo(b, typeB);
  if (pseudoA !== undefined && pseudoB !== undefined) {
    return pseudoA === pseudoB
      ? comparePseudo(a as DatumObject, b as DatumObject, pseudoA, meter)
      : compareStrings(pseudoA, pseudoB);
  }
  if (pseudoA !== undefined || pseudoB !== undefined) {
    return compareStrings(sortingName(a, typeA), sortingName(b, typeB));
  }
  if (typeA !== typeB) return DATA_TYPES.indexOf(typeA) - DATA_TYPES.indexOf(typeB);
  switch (typeA) {
    case 'BOOL':
      return Number(a) - Number(b);
    case 'ARRAY':
      return levels === 0
        ? compareDeep(a, b, meter)
        : compareArrays(levels, a as readonly Datum[], b as readonly Datum[], meter);
    case 'OBJECT':
      return levels === 0
        ? compareDeep(a, b, meter)
        : compareObjects(levels, a as DatumObject, b as DatumObject, meter);
    // Numbers, texts and binary data have been compared.
    case 'NUMBER':
    case 'STRING':
    case 'PTYPE<BINARY>':
    case 'NULL':
    case 'MINVAL':
    case 'MAXVAL':
      return 0;
  }
}

/** Whether two data are the same to the server: equal instants in two time zones are, 0 and -0 are. */
export function equalDatums(a: Datum, b: Datum, meter?: Meter): boolean {
  // The meter counts the work of a comparison.
  return meter === undefined ? equalWithin(LEVELS, a, b) : compareDatums(a, b, meter) === 0;
}

/** The same without an order, for which the keys of objects would have to be sorted. */
function equalWithin(levels: number, a: Datum, b: Datum): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (levels === 0) return compareDatums(a, b) === 0;
  if (isArray(a)) return isArray(b) && equalArrays(levels, a, b);
  return !isArray(b) && equalObjects(levels, a, b);
}

function equalArrays(levels: number, a: readonly Datum[], b: readonly Datum[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equalWithin(levels - 1, a[i] ?? null, b[i] ?? null)) return false;
  return true;
}

function equalObjects(levels: number, a: DatumObject, b: DatumObject): boolean {
  // A pseudo-type compares as the value that it stands for.
  if (a[PSEUDO_TYPE] !== undefined || b[PSEUDO_TYPE] !== undefined) return compareDatums(a, b) === 0;
  let keys = 0;
  for (const key in a) {
    const other = key === '__proto__' ? getField(b, key) : b[key];
    if (other === undefined || !equalWithin(levels - 1, a[key] ?? null, other)) return false;
    keys++;
  }
  for (const _ in b) keys--;
  return keys === 0;
}

function isArray(datum: readonly Datum[] | DatumObject): datum is readonly Datum[] {
  return Array.isArray(datum);
}

// Geometry compares as the object it is.
function comparedAsPseudo(datum: Datum, type: DataType): string | undefined {
  if (type === 'PTYPE<BINARY>') return 'BINARY';
  if (type !== 'OBJECT') return undefined;
  const name = pseudoType(datum as DatumObject);
  return name === 'GEOMETRY' ? undefined : name;
}

function sortingName(datum: Datum, type: DataType): string {
  if (type === 'MINVAL') return '\u0001MINVAL';
  return type === 'MAXVAL' ? '\u{10ffff}MAXVAL' : typeName(datum);
}

function comparePseudo(a: DatumObject, b: DatumObject, name: string, meter: Meter | undefined): number {
  if (name === 'BINARY') return compareBytes(bytesOf(a, meter), bytesOf(b, meter));
  if (name === 'TIME') return compareDatums(getField(a, 'epoch_time') ?? null, getField(b, 'epoch_time') ?? null);
  throw logicError(`Incomparable type PTYPE<${name}>.`);
}

function bytesOf(binary: DatumObject, meter: Meter | undefined): Uint8Array {
  const data = getField(binary, 'data');
  if (typeof data !== 'string') return decodeBase64('');
  meter?.spend(data.length / PER_STEP);
  return decodeBase64(data);
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareArrays(levels: number, a: readonly Datum[], b: readonly Datum[], meter: Meter | undefined): number {
  const length = Math.min(a.length, b.length);
  let order = 0;
  let index = 0;
  for (; order === 0 && index < length; index++) {
    const x = a[index] ?? null;
    const y = b[index] ?? null;
    // Two lists that differ in a row share all others, which need no comparison. The meter counts all rows, shared or not.
    order = x === y && meter === undefined ? 0 : compareWithin(levels - 1, x, y, meter);
  }
  meter?.spend(1 + index / PER_STEP);
  return order === 0 ? a.length - b.length : order;
}

function compareObjects(levels: number, a: DatumObject, b: DatumObject, meter: Meter | undefined): number {
  const differing = meter === undefined ? differingKeys(a, b) : undefined;
  if (differing !== undefined) {
    for (const key of differing) {
      const order = compareWithin(levels - 1, a[key] ?? null, b[key] ?? null, meter);
      if (order !== 0) return order;
    }
    return 0;
  }
  const keysA = keysInOrder(a);
  const keysB = keysInOrder(b);
  meter?.spend(1 + (keysA.length + keysB.length) / 2);
  const length = Math.min(keysA.length, keysB.length);
  for (let i = 0; i < length; i++) {
    const keyA = keysA[i] ?? '';
    const keyB = keysB[i] ?? '';
    const order = compareStrings(keyA, keyB) || compareWithin(levels - 1, a[keyA] ?? null, b[keyB] ?? null, meter);
    if (order !== 0) return order;
  }
  return keysA.length - keysB.length;
}

/**
 * The keys, in order, under which two objects may differ; `undefined` where not all of their keys are the same. Two versions of a
 * row differ in few, and keys that are numbers JavaScript gives in another order, so that all would have to be sorted.
 */
function differingKeys(a: DatumObject, b: DatumObject): readonly string[] | undefined {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  if (keys.length !== others.length) return undefined;
  const differing: string[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    if (key !== others[i]) return undefined;
    if (a[key] !== b[key]) differing.push(key);
  }
  return inOrder(differing);
}

/** Two arrays, or two objects, side by side: objects with their keys in order, arrays without keys. */
interface Pair {
  readonly a: Side;
  readonly b: Side;
  next: number;
}

interface Side {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly Datum[];
}

/** Two arrays or two objects compared without recursion. */
function compareDeep(a: Datum, b: Datum, meter: Meter | undefined): number {
  const open: Pair[] = [pairOf(a, b, meter)];
  for (let here = open.at(-1); here !== undefined; here = open.at(-1)) {
    const { next } = here;
    const [left, right] = [here.a.values[next], here.b.values[next]];
    if (left === undefined || right === undefined) {
      if (here.a.values.length !== here.b.values.length) return here.a.values.length - here.b.values.length;
      open.pop();
      continue;
    }
    here.next += 1;
    const order = compareStrings(here.a.keys?.[next] ?? '', here.b.keys?.[next] ?? '');
    if (order !== 0) return order;
    if (isNested(left) && isNested(right) && Array.isArray(left) === Array.isArray(right)) {
      open.push(pairOf(left, right, meter));
      continue;
    }
    const flat = compareWithin(LEVELS, left, right, meter);
    if (flat !== 0) return flat;
  }
  return 0;
}

function pairOf(a: Datum, b: Datum, meter: Meter | undefined): Pair {
  const pair: Pair = { a: sideOf(a), b: sideOf(b), next: 0 };
  meter?.spend(1 + pair.a.values.length + pair.b.values.length);
  return pair;
}

function sideOf(datum: Datum): Side {
  if (Array.isArray(datum)) return { keys: undefined, values: datum };
  const object = datum as DatumObject;
  const keys = sortedKeys(object);
  return { keys, values: keys.map((key) => object[key] ?? null) };
}

/** Whether a datum is an array, or an object that compares field by field. */
function isNested(datum: Datum): boolean {
  const type = dataType(datum);
  return type === 'ARRAY' || (type === 'OBJECT' && comparedAsPseudo(datum, type) === undefined);
}
