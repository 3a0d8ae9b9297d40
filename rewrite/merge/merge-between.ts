import { fieldOf, isFields, putField } from './fields.ts';
import { jsonLength } from './json-length.ts';
import { MARKER, mergeKeyOf, TAKEN } from './marker.ts';
import type { Merge } from './merge.ts';
import type { Fields } from './plain.ts';
import { sameValue } from './same-value.ts';
import { replacing, writtenValue } from './written-value.ts';

/**
 * The merge that leads from one value to another: the one whose JSON is shortest. `mergeBetween(now, old)` is its reverse.
 * @param old any value; `undefined`: nothing was there
 * @param now any value; `undefined`: nothing is there any more
 * @throws TypeError for a value that holds itself
 */
export function mergeBetween(old: unknown, now: unknown): Merge;
export function mergeBetween(old: unknown, now: unknown): unknown {
  return new Comparison().between(old, now, 0) ?? unchanged(now);
}

/** A merge, and the one that leads back. */
export interface Merges {
  readonly body: Merge;
  readonly reverse: Merge;
}

/** `mergeBetween` of two values, both ways: what is the same is looked at once. */
export function mergesBetween(old: unknown, now: unknown): Merges;
export function mergesBetween(old: unknown, now: unknown): { readonly body: unknown; readonly reverse: unknown } {
  const comparison = new Comparison();
  const body = comparison.between(old, now, 0) ?? unchanged(now);
  const { differing } = comparison;
  if (differing === undefined || !isFields(old, 0) || !isFields(now, 0))
    return { body, reverse: mergeBetween(now, old) };
  return { body, reverse: new Comparison().over(differing, now, old) ?? unchanged(old) };
}

/** The merge that replaces whatever is there by a value. */
export function replacingMerge(now: unknown): Merge;
export function replacingMerge(now: unknown): unknown {
  return replacing(writtenValue(now, 0), 0);
}

function unchanged(value: unknown): unknown {
  if (value === undefined) return TAKEN;
  return isFields(value, 0) ? {} : value;
}

/** The length of `"_delete":true,`. */
const MARKED = JSON.stringify(MARKER).length + ':true,'.length;

/** Compares two values. */
class Comparison {
  /** Markers that have been written. Only what has some can be longer than the value that it leads to. */
  #markers = 0;
  /** The keys of which the fields of the two differ, where both have fields. */
  differing: readonly string[] | undefined;

  /** The merge from one value to another; `undefined` where they are the same. */
  between(old: unknown, now: unknown, level: number): unknown {
    if (Object.is(old, now)) return undefined;
    if (now === undefined) {
      this.#markers++;
      return TAKEN;
    }
    if (!isFields(now, level)) return sameValue(old, now) ? undefined : now;
    if (!isFields(old, level)) return writtenValue(now, level);
    const differing: string[] = [];
    const merge = this.#merge(differingKeys(old, now), old, now, level, differing);
    if (level === 0) this.differing = differing;
    return merge;
  }

  /** The merge from one object to another that differs in some of these keys alone. */
  over(keys: readonly string[], old: Fields, now: Fields): unknown {
    return this.#merge(keys, old, now, 0, []);
  }

  /** `differing` gets the keys in which they do. */
  #merge(keys: readonly string[], old: Fields, now: Fields, level: number, differing: string[]): unknown {
    const before = this.#markers;
    const merge: Record<string, unknown> = {};
    for (const key of keys) {
      const field = this.between(fieldOf(old, key), fieldOf(now, key), level + 1);
      if (field === undefined) continue;
      putField(merge, mergeKeyOf(key), field);
      differing.push(key);
    }
    if (differing.length === 0) return undefined;
    return this.#markers > before ? this.#shorter(merge, now, level) : merge;
  }

  #shorter(merge: Fields, now: Fields, level: number): unknown {
    const length = jsonLength(merge, Number.POSITIVE_INFINITY);
    const most = length - MARKED - 1;
    if (jsonLength(now, most) > most) return merge;
    const whole = replacing(writtenValue(now, level), level);
    if (jsonLength(whole, length) >= length) return merge;
    this.#markers++;
    return whole;
  }
}

/** The keys whose fields may differ: all but those that are seen to be the same. Those of the new object come first. */
function differingKeys(old: Fields, now: Fields): readonly string[] {
  const [before, after] = [Object.keys(old), Object.keys(now)];
  const keys: string[] = [];
  // Rows of one table mostly have the same keys in the same order.
  let isAligned = before.length === after.length;
  for (let at = 0; at < after.length; at++) {
    const key = after[at] ?? '';
    const isSame = before[at] === key;
    isAligned &&= isSame;
    const was = isSame ? old[key] : fieldOf(old, key);
    if (was !== now[key] || was === 0) keys.push(key);
  }
  if (!isAligned) for (const key of before) if (!Object.hasOwn(now, key)) keys.push(key);
  return keys;
}
