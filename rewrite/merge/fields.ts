// The values that are merged key by key: plain objects. Arrays, ReQL's pseudo-types, and what drivers make of these (dates, buffers), are
// values like numbers and texts. `__proto__` is a key like any other.

import { PSEUDO_TYPE } from '../reql/data/data-type.ts';
import { type Fields, isPlain } from './plain.ts';
import { refuseCycles } from './refuse-cycles.ts';

/**
 * Objects nested deeper than this are values: they are replaced as a whole, and their keys stand in a merge as they are. It bounds
 * the recursion, whatever a row holds.
 */
const LEVELS = 200;
/** A value as deep as this is looked through for itself, since it might have no end. */
const DEEP = 100;

/** Whether a value at a level is merged key by key. */
export function isFields(value: unknown, level: number): value is Fields {
  if (level === DEEP) refuseCycles(value);
  return level < LEVELS && isPlain(value) && !Object.hasOwn(value, PSEUDO_TYPE);
}

/** The field `key`; `undefined` where there is none. */
export function fieldOf(fields: Fields, key: string): unknown {
  const value = fields[key];
  return value !== undefined && Object.hasOwn(fields, key) ? value : undefined;
}

/** Sets a field of an object under construction. */
export function putField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(fields, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    fields[key] = value;
  }
}
