// Variables that no term uses.

import type { Meter } from '../meter.ts';
import { factsOf } from '../term/facts.ts';
import type { Term } from '../term/term.ts';
import { type FreshVars, funcParts, type VarId, varOf } from '../term/vars.ts';
import { visit } from '../term/walk.ts';

/** So many ids there have to be above the highest. */
const ROOM = 1_000_000;

/** An allocator of ids that no given term reads or binds: above the highest, as long as there are integers above it. */
export function freshVars(...roots: readonly Term[]): FreshVars {
  let last = roots.reduce((highest, root) => Math.max(highest, factsOf(root).highest), 0);
  if (Number.isSafeInteger(last + ROOM)) {
    return () => {
      last += 1;
      return last;
    };
  }
  const used = varsIn(roots);
  last = 0;
  return () => {
    do last += 1;
    while (used.has(last));
    return last;
  };
}

/** The same allocator, with a meter that counts the terms that are built with its variables. */
export function countingVars(fresh: FreshVars, meter: Meter | undefined): FreshVars {
  if (meter === undefined) return fresh;
  const counting: { (): VarId; meter?: Meter } = () => fresh();
  counting.meter = meter;
  return counting;
}

function varsIn(roots: readonly Term[]): ReadonlySet<VarId> {
  const ids = new Set<VarId>();
  for (const root of roots) {
    visit(root, (term) => {
      const id = varOf(term);
      if (id !== undefined) ids.add(id);
      for (const param of funcParts(term)?.params ?? []) ids.add(param);
      return true;
    });
  }
  return ids;
}
