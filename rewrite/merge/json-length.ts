import { isPlain } from './plain.ts';
import { FAR, refuseCycles } from './refuse-cycles.ts';

/**
 * The length of the JSON text of a value, in characters. What is more than `most` is not counted: the answer then is some length above it.
 * Depth is no concern.
 */
export function jsonLength(value: unknown, most: number): number {
  let length = 0;
  const left: unknown[] = [value];
  for (let parts = 0; left.length > 0 && length <= most; parts++) {
    if (parts === FAR) refuseCycles(value);
    const part = left.pop();
    if (Array.isArray(part)) {
      length += 1 + Math.max(part.length, 1);
      for (const item of part) left.push(item);
    } else if (isPlain(part)) {
      const keys = Object.keys(part);
      length += 1 + Math.max(keys.length, 1);
      for (const key of keys) {
        length += JSON.stringify(key).length + 1;
        left.push(part[key]);
      }
    } else {
      length += JSON.stringify(part)?.length ?? 0;
    }
  }
  return length;
}
