import { applied, checkMerge } from './apply-merge.ts';
import { fieldOf, isFields, putField } from './fields.ts';
import { resetOf } from './marker.ts';
import type { Merge } from './merge.ts';
import { replacing } from './written-value.ts';

/**
 * The merge that does to every value what one merge does and then another.
 * @throws TypeError for a merge whose `_delete` is neither true nor {}, and for `undefined`, which is no merge
 */
export function composeMerges(first: Merge, second: Merge): Merge;
export function composeMerges(first: unknown, second: unknown): unknown {
  checkMerge(first);
  checkMerge(second);
  return composed(first, second, 0);
}

function composed(first: unknown, second: unknown, level: number): unknown {
  if (!isFields(second, level) || resetOf(second) !== undefined) return second;
  if (!isFields(first, level)) return replacing(applied(undefined, second, level, asItIs), level);
  if (resetOf(first) !== undefined) {
    const replaced = applied(undefined, first, level, asItIs);
    return replacing(applied(replaced, second, level, asItIs), level);
  }
  const both: Record<string, unknown> = { ...first };
  for (const key of Object.keys(second)) {
    if (second[key] === undefined) continue;
    const before = fieldOf(first, key);
    putField(both, key, before === undefined ? second[key] : composed(before, second[key], level + 1));
  }
  return both;
}

/** A merge that replaces is kept as it is written. */
function asItIs(key: string): string {
  return key;
}
