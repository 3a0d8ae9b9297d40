// The machine that the numbers are from, in a few words, and without its name.

import { availableParallelism, cpus, totalmem } from 'node:os';

const GIB = 1024 ** 3;

/** CPU, cores, memory and Node's version. */
export function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const memory = Math.round(totalmem() / GIB);
  return `${model}, ${availableParallelism()} cores, ${memory} GiB, ${process.platform}, Node ${process.versions.node}`;
}
