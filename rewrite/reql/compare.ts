// The total order of data: array, bool, null, number, object, binary, time, string, between minval and maxval; within
// a type as the server compares it. Strings and keys compare by their UTF-8 bytes.

import { decodeBase64 } from './base64.ts';
import { DATA_TYPES, type DataType, dataType, pseudoType, typeName } from './data-type.ts';
import { type Datum, type DatumObject, getField } from './datum.ts';
import { logicError } from './error.ts';

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
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) {
    if (compareStrings(keys[i - 1] ?? '', keys[i] ?? '') > 0) return keys.sort(compareStrings);
  }
  return keys;
}

/**
 * Compares two data: negative, zero or positive. Raises QUERY_LOGIC without an origin for two pseudo-types that have no
 * order (LITERAL).
 */
export function compareDatums(a: Datum, b: Datum): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (a === b && (a === null || typeof a === 'boolean')) return 0;
  const typeA = dataType(a);
  const typeB = dataType(b);
  const pseudoA = comparedAsPseudo(a, typeA);
  const pseudoB = comparedAsPseudo(b, typeB);
  if (pseudoA !== undefined && pseudoB !== undefined) {
    return pseudoA === pseudoB
      ? comparePseudo(a as DatumObject, b as DatumObject, pseudoA)
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
      return compareArrays(a as readonly Datum[], b as readonly Datum[]);
    case 'OBJECT':
      return compareObjects(a as DatumObject, b as DatumObject);
    default:
      return 0;
  }
}

/** Whether two data are the same to the server: equal instants in two time zones are, 0 and -0 are. */
export function equalDatums(a: Datum, b: Datum): boolean {
  return compareDatums(a, b) === 0;
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

function comparePseudo(a: DatumObject, b: DatumObject, name: string): number {
  if (name === 'BINARY') return compareBytes(bytesOf(a), bytesOf(b));
  if (name === 'TIME') return compareDatums(getField(a, 'epoch_time') ?? null, getField(b, 'epoch_time') ?? null);
  throw logicError(`Incomparable type PTYPE<${name}>.`);
}

function bytesOf(binary: DatumObject): Uint8Array {
  const data = getField(binary, 'data');
  return decodeBase64(typeof data === 'string' ? data : '');
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareArrays(a: readonly Datum[], b: readonly Datum[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareDatums(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareObjects(a: DatumObject, b: DatumObject): number {
  const keysA = sortedKeys(a);
  const keysB = sortedKeys(b);
  const length = Math.min(keysA.length, keysB.length);
  for (let i = 0; i < length; i++) {
    const keyA = keysA[i] ?? '';
    const keyB = keysB[i] ?? '';
    const order = compareStrings(keyA, keyB) || compareDatums(a[keyA] ?? null, b[keyB] ?? null);
    if (order !== 0) return order;
  }
  return keysA.length - keysB.length;
}
