// The size of this process's heap when garbage has been collected (`--expose-gc`).

/** Bytes of the heap in use. */
export function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
