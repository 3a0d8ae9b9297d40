// The data of ReQL as plain JavaScript values. Pseudo-types (TIME, BINARY, GEOMETRY) stay the JSON objects that the wire
// carries, with their `$reql_type$` key. Callers owe: objects are read with `getField` and written with `setField`, so
// that keys such as `__proto__` and `constructor` are keys like any other.

/** The value below all others: `r.minval`. Known by identity. */
export const MINVAL = Object.freeze({ $reql_type$: 'MINVAL' });
/** The value above all others: `r.maxval`. Known by identity. */
export const MAXVAL = Object.freeze({ $reql_type$: 'MAXVAL' });

export interface DatumObject {
  readonly [key: string]: Datum;
}

/** A value of ReQL. */
export type Datum = null | boolean | number | string | readonly Datum[] | DatumObject;

/** The field `key` of an object, or `undefined` where there is none. */
export function getField(object: DatumObject, key: string): Datum | undefined {
  const value = object[key];
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined;
}

/** Reads one field of many objects: `getField`, where it is known once that no object has a property of that name that is no field. */
export function fieldReader(key: string): (object: DatumObject) => Datum | undefined {
  return key in Object.prototype ? (object) => getField(object, key) : (object) => object[key];
}

/** Sets a field of an object under construction; the key `__proto__` is a field, not a prototype. */
export function setField(object: Record<string, Datum>, key: string, value: Datum): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Whether a value is an object in JSON's sense, pseudo-types included. */
export function isObject(value: Datum): value is DatumObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
