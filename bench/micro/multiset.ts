// The memory of a multiset.

import { built } from './built.ts';
import { heapBytes } from './heap.ts';
import type { Micro } from './index.ts';

/** Bytes of heap for each number of a multiset of `size` different ones. */
export const multiset: Micro = async (size) => {
  const { Multiset } = await built<typeof import('../../rewrite/aggregates/state/multiset.ts')>(
    'rewrite/aggregates/state/multiset',
  );
  const before = heapBytes();
  const kept = new Multiset();
  for (let i = 0; i < size; i++) kept.add(((i * 7_919_033) % size) + 0.5);
  const bytes = heapBytes() - before;
  if (kept.size !== size) throw new Error('numbers are missing');
  return [bytes / size];
};
