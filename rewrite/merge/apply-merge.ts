import { fieldOf, isFields, putField } from './fields.ts';
import { dataKeyOf, MARKER, resetOf } from './marker.ts';
import type { Merge } from './merge.ts';
import type { Fields } from './plain.ts';

/**
 * What a merge makes of a value: a new value, which may share parts with both. Applying a merge twice is applying it once.
 * @param value any value; `undefined`: nothing is there
 * @param merge an object is merged key by key into an object, and into nothing where there is none; anything else replaces
 * @returns `undefined` where nothing is there any more
 * @throws TypeError for a merge whose `_delete` is neither true nor {}, and for `undefined`, which is no merge
 */
export function applyMerge<T = unknown>(value: T | undefined, merge: Merge): T | undefined;
export function applyMerge(value: unknown, merge: unknown): unknown {
  checkMerge(merge);
  return applied(value, merge, 0, dataKeyOf);
}

/** The key of data that a key of a merge stands for. */
export type KeyOf = (key: string) => string;

/** What a merge makes of a value whose keys are written in a certain way. */
export function applied(value: unknown, merge: unknown, level: number, keyOf: KeyOf): unknown {
  if (!isFields(merge, level)) return merge;
  const reset = resetOf(merge);
  const keys = Object.keys(merge);
  if (reset === 'nothing' && keys.length === 1) return undefined;
  const before: Fields = reset === undefined && isFields(value, level) ? value : NOTHING;
  if (keys.length === 0 && before !== NOTHING) return value;
  const after: Record<string, unknown> = { ...before };
  for (const written of keys) {
    // JSON leaves out keys that are undefined.
    if (written === MARKER || merge[written] === undefined) continue;
    const key = keyOf(written);
    const field = applied(fieldOf(before, key), merge[written], level + 1, keyOf);
    if (field === undefined) delete after[key];
    else putField(after, key, field);
  }
  return after;
}

const NOTHING: Fields = {};

/** @throws TypeError where there is none, as in a document that tells a state */
export function checkMerge(merge: unknown): void {
  if (merge === undefined) throw new TypeError('`undefined` is no merge. One that takes away is {_delete: true}.');
}
