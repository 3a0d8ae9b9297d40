// The heap that Node runs in: how large it may become, and how full it is. Estimates of what is kept can be wrong; the heap
// is not.

import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';

/** The heap at one moment, in bytes. */
export interface HeapReading {
  /** What may be in use before V8 ends the process. */
  readonly limit: number;
  /** What is in use, garbage that has not been collected yet included. */
  readonly used: number;
}

const MEBIBYTE = 1024 * 1024;
/**
 * V8 adds what young objects may take, three semi-spaces of 16 MiB (heap.cc, Heap::MaxReserved), to the limit that it
 * reports. What fills up is the old space.
 */
const YOUNG_BYTES = 48 * MEBIBYTE;
/** Below this share of the limit the spaces are not looked at one by one, which costs ten times as much. */
const FAR = 0.5;

/** The most that the old space may take, in bytes. */
export function heapLimit(): number {
  const { heap_size_limit: limit } = getHeapStatistics();
  return Math.max(limit - YOUNG_BYTES, limit / 3);
}

/** Reads the heap. Takes a few microseconds while it is far from full. */
export function readHeap(): HeapReading {
  const { used_heap_size: used } = getHeapStatistics();
  const limit = heapLimit();
  if (used < FAR * limit) return { limit, used };
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return { limit, used: used - (young?.space_used_size ?? 0) };
}

/** What may be kept where nothing else is said: half of the heap. The rest is for garbage, for work, and for errors of estimates. */
export function defaultMaxMemory(): number {
  return Math.floor(heapLimit() / 2);
}
