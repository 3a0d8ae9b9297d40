// What the heap of this process holds, when what nobody needs has been collected (`--expose-gc`).

/** Bytes of the heap in use. */
export function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
