// What holds itself is no JSON. Walks that get far or deep look for that, since they would not come to an end.

import { isPlain } from './plain.ts';

/** After so many parts a walk looks whether what it walks over ends. */
export const FAR = 10_000;

/**
 * Depth is no concern.
 * @throws TypeError for a value that holds itself
 */
export function refuseCycles(root: unknown): void {
  const around = new Set<unknown>();
  const left: (() => void)[] = [];
  const enter = (value: unknown): void => {
    const isArray = Array.isArray(value);
    if (!isArray && !isPlain(value)) return;
    if (around.has(value)) throw new TypeError('A value that holds itself is no JSON, and has no merge.');
    around.add(value);
    left.push(() => around.delete(value));
    for (const part of isArray ? value : Object.values(value)) left.push(() => enter(part));
  };
  enter(root);
  for (let next = left.pop(); next !== undefined; next = left.pop()) next();
}
