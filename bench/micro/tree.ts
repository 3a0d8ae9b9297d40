// The tree of partial reductions.

import { built } from './built.ts';
import { cpuTime } from './clock.ts';
import { compiled } from './evaluator.ts';
import type { Micro } from './index.ts';

const CHANGES = 20_000;

/** Builds a tree over `size` numbers, then changes them; microseconds of CPU a change, and seconds to build a million. */
export const tree: Micro = async (size) => {
  const { ReductionTree } = await built<typeof import('../../rewrite/reductions/reduction-tree.ts')>(
    'rewrite/reductions/reduction-tree',
  );
  const greater = await compiled((r) => (a, b) => r.branch(a.gt(b), a, b));
  const reduction = new ReductionTree((a, b) => greater([a, b]));
  const begun = cpuTime();
  for (let i = 0; i < size; i++) reduction.add((i * 7919) % 1_000_003);
  if (reduction.value === undefined) throw new Error('no value');
  const building = cpuTime() - begun;
  const start = cpuTime();
  for (let i = 0; i < CHANGES; i++) {
    reduction.remove((i * 7919) % 1_000_003);
    reduction.add((i * 7919) % 1_000_003);
    if (reduction.value === undefined) throw new Error('no value');
  }
  return [(cpuTime() - start) / CHANGES, building / size];
};
