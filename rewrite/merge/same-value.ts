// Whether two values are the same to the last key: 0 and -0 are not, nor are equal instants in two time zones.

import { fieldOf } from './fields.ts';
import { type Fields, isPlain } from './plain.ts';
import { FAR, refuseCycles } from './refuse-cycles.ts';

/**
 * Whether two values are the same. Depth is no concern.
 * @throws TypeError for one that holds itself
 */
export function sameValue(a: unknown, b: unknown): boolean {
  const left: [unknown, unknown][] = [[a, b]];
  let pairs = 0;
  for (let pair = left.pop(); pair !== undefined; pair = left.pop()) {
    if (!sameAtom(...pair, left)) return false;
    pairs++;
    if (pairs === FAR) refuseCycles(a);
  }
  return true;
}

/** Compares two values but for their parts, which it adds to `parts`. */
function sameAtom(a: unknown, b: unknown, parts: [unknown, unknown][]): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameItems(a, b, parts);
  if (isPlain(a)) return isPlain(b) && sameFields(a, b, parts);
  if (a instanceof Date) return b instanceof Date && Object.is(a.getTime(), b.getTime()) && zoneOf(a) === zoneOf(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && sameBytes(a, b);
  return false;
}

function sameItems(a: readonly unknown[], b: readonly unknown[], parts: [unknown, unknown][]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (!Object.is(a[at], b[at])) parts.push([a[at], b[at]]);
  return true;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function sameFields(a: Fields, b: Fields, parts: [unknown, unknown][]): boolean {
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    const [before, after] = [fieldOf(a, key), fieldOf(b, key)];
    if (!Object.is(before, after)) parts.push([before, after]);
  }
  return true;
}

/** Drivers note the time zone of an instant on its date. */
function zoneOf(date: Date & { readonly timezone?: unknown }): unknown {
  return date.timezone;
}
