import { type Fields, fieldOf, isFields, putField } from './fields.ts';
import { jsonLength } from './json-length.ts';
import { MARKER, mergeKeyOf, TAKEN } from './marker.ts';
import type { Merge } from './merge.ts';
import { sameValue } from './same-value.ts';
import { replacing, writtenValue } from './written-value.ts';

/**
 * The merge that leads from one value to another: the one whose JSON is shortest. `mergeBetween(now, old)` is its reverse.
 * @param old any value; `undefined`: nothing was there
 * @param now any value; `undefined`: nothing is there any more
 */
export function mergeBetween(old: unknown, now: unknown): Merge;
export function mergeBetween(old: unknown, now: unknown): unknown {
  return new Comparison().between(old, now, 0) ?? unchanged(now);
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

  /** The merge from one value to another; `undefined` where they are the same. */
  between(old: unknown, now: unknown, level: number): unknown {
    if (Object.is(old, now)) return undefined;
    if (now === undefined) {
      this.#markers++;
      return TAKEN;
    }
    if (!isFields(now, level)) return sameValue(old, now) ? undefined : now;
    return isFields(old, level) ? this.#betweenFields(old, now, level) : writtenValue(now, level);
  }

  #betweenFields(old: Fields, now: Fields, level: number): unknown {
    const before = this.#markers;
    const merge: Record<string, unknown> = {};
    let isSame = true;
    for (const key of Object.keys(now)) {
      const field = now[key] === undefined ? undefined : this.between(fieldOf(old, key), now[key], level + 1);
      if (field === undefined) continue;
      putField(merge, mergeKeyOf(key), field);
      isSame = false;
    }
    for (const key of Object.keys(old)) {
      if (old[key] === undefined || fieldOf(now, key) !== undefined) continue;
      putField(merge, mergeKeyOf(key), TAKEN);
      this.#markers++;
      isSame = false;
    }
    if (isSame) return undefined;
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
