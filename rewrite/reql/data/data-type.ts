// The types of data under the server's names: what `typeOf` shows, what type errors name, what the order of types
// is made of.

import { logicError, nonExistence, type ReqlError } from '../error.ts';
import { type Datum, type DatumObject, getField, isObject, MAXVAL, MINVAL } from './datum.ts';

/** The key that makes an object a pseudo-type. */
export const PSEUDO_TYPE = '$reql_type$';

/** The raw types, in the server's order: values of different types compare as these stand here. */
export const DATA_TYPES = [
  'MINVAL',
  'ARRAY',
  'PTYPE<BINARY>',
  'BOOL',
  'NULL',
  'NUMBER',
  'OBJECT',
  'STRING',
  'MAXVAL',
] as const;

/** A raw type. TIME, GEOMETRY and LITERAL are objects here; BINARY is a type of its own, as in the server. */
export type DataType = (typeof DATA_TYPES)[number];

/** The raw type of a datum. */
export function dataType(datum: Datum): DataType {
  switch (typeof datum) {
    case 'number':
      return 'NUMBER';
    case 'string':
      return 'STRING';
    case 'boolean':
      return 'BOOL';
    case 'object':
      if (datum === null) return 'NULL';
      if (Array.isArray(datum)) return 'ARRAY';
      if (datum === MINVAL) return 'MINVAL';
      if (datum === MAXVAL) return 'MAXVAL';
      return pseudoType(datum as DatumObject) === 'BINARY' ? 'PTYPE<BINARY>' : 'OBJECT';
  }
}

/** The name of an object's pseudo-type, or `undefined` where it has none. */
export function pseudoType(object: DatumObject): string | undefined {
  const name = getField(object, PSEUDO_TYPE);
  return typeof name === 'string' && object !== MINVAL && object !== MAXVAL ? name : undefined;
}

/** Whether a datum is a pseudo-type of this name. */
export function isPseudo(datum: Datum, name: string): datum is DatumObject {
  return isObject(datum) && pseudoType(datum) === name;
}

/** Whether a datum is an object in the server's sense: no BINARY, minval or maxval, but TIME and GEOMETRY. */
export function isPlainOrPseudoObject(datum: Datum): datum is DatumObject {
  return dataType(datum) === 'OBJECT';
}

/** The type of a datum as `typeOf` and errors name it: `PTYPE<TIME>` for a time. */
export function typeName(datum: Datum): string {
  const type = dataType(datum);
  if (type !== 'OBJECT') return type;
  const pseudo = pseudoType(datum as DatumObject);
  return pseudo === undefined ? type : `PTYPE<${pseudo}>`;
}

/** An error about a datum: NON_EXISTENCE where it is null, so that `default` and `filter` catch it, else QUERY_LOGIC. */
export function typedError(datum: Datum, message: string): ReqlError {
  return datum === null ? nonExistence(message) : logicError(message);
}

/** The error for a datum of the wrong type. */
export function typeError(datum: Datum, expected: DataType): ReqlError {
  return typedError(datum, `Expected type ${expected} but found ${typeName(datum)}.`);
}

/** The number that a datum is; raises the type error without an origin. */
export function asNumber(datum: Datum): number {
  if (typeof datum === 'number') return datum;
  throw typeError(datum, 'NUMBER');
}

/** The string that a datum is; raises the type error without an origin. */
export function asString(datum: Datum): string {
  if (typeof datum === 'string') return datum;
  throw typeError(datum, 'STRING');
}

/** The array that a datum is; raises the type error without an origin. */
export function asArray(datum: Datum): readonly Datum[] {
  if (Array.isArray(datum)) return datum;
  throw typeError(datum, 'ARRAY');
}

/** The object that a datum is, pseudo-types other than BINARY included; raises the type error without an origin. */
export function asObject(datum: Datum): DatumObject {
  if (isPlainOrPseudoObject(datum)) return datum;
  throw typeError(datum, 'OBJECT');
}

/** The truth of a datum: all but false and null. */
export function isTrue(datum: Datum): boolean {
  return datum !== false && datum !== null;
}
