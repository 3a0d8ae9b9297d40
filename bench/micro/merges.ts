// Merges of rows of 1 KB of which one field has changed: written, and composed.

import { built } from './built.ts';
import { cpuTime } from './clock.ts';
import type { Micro } from './index.ts';

const FIELDS = 20;
const LETTERS = 40;
/** Different rows, so that no two are the same object. */
const ROWS = 64;

/** Microseconds of CPU to write a merge, and to compose two of one field each. */
export const merges: Micro = async (size) => {
  const { mergeBetween, composeMerges } =
    await built<typeof import('../../rewrite/merge/index.ts')>('rewrite/merge/index');
  const pairs = Array.from({ length: ROWS }, (_, n) => [rowOf(n, 0), rowOf(n, 1)] as const);
  const bodies = pairs.map(([old, now]) => mergeBetween(old, now));
  const between = perRun(size, (at) => mergeBetween(...(pairs[at % ROWS] ?? [null, null])));
  const compose = perRun(size, (at) => composeMerges(bodies[at % ROWS] ?? null, bodies[(at + 1) % ROWS] ?? null));
  return [between, compose];
};

/** A row of about 1 KB, made of JSON as a driver makes it. */
function rowOf(id: number, version: number): unknown {
  const fields = Array.from({ length: FIELDS }, (_, n) => [`f${n}`, `${id} ${n} `.padEnd(LETTERS, 'x')]);
  return JSON.parse(JSON.stringify({ id, ...Object.fromEntries(fields), version, f7: `${id} ${version}` }));
}

function perRun(size: number, run: (at: number) => unknown): number {
  for (let at = 0; at < size / 10; at++) run(at);
  const start = cpuTime();
  let made = 0;
  for (let at = 0; at < size; at++) if (run(at) !== undefined) made++;
  if (made !== size) throw new Error('a merge is missing');
  return (cpuTime() - start) / size;
}
