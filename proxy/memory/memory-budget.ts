// The one budget of memory of a process. Whoever holds memory for a client (a feed: its state and what waits for its reader;
// a connection: frames that are being read and bytes that are being sent) says how much; where all together hold too much,
// what can be made smaller is, and where that is not enough the largest holders are ended, before V8 ends the process and with it
// everybody.
//
// What is in the heap and what is in buffers outside of it are bounded apart: whoever sends a lot does not end the feeds of
// others. There are two measures. Estimates say at once who holds how much. The heap itself is read now and then, since
// estimates can be wrong and not all is estimated.

import { type ReqlError, resourceLimit } from '../../rewrite/reql/error.ts';
import type { Observer } from '../observer/observer.ts';
import { defaultMaxMemory, type HeapReading, readHeap } from './heap.ts';
import { type Holder, Holding, type Part, type Totals } from './holding.ts';

type Told = Pick<Observer, 'memoryShort'>;

/** The settings of a budget. */
export interface MemorySettings {
  /** What all holders may hold in the heap, in bytes, and twice what they may hold in buffers; half of the heap if absent. */
  readonly maxMemory?: number | undefined;
  readonly observer: Told;
  /** Reads the heap; V8's if absent. */
  readonly readHeap?: (() => HeapReading) | undefined;
}

/** The part of a budget for those who only look. */
export interface MemoryReading {
  readonly maxMemory: number;
  /** Bytes held, estimated: in the heap, those of them that are states of feeds, and in buffers outside of it. */
  readonly heap: number;
  readonly state: number;
  readonly buffers: number;
  /** Elements, groups and rows of states. */
  readonly rows: number;
}

/** How often the heap is read at most, in milliseconds. */
const READ_EVERY_MS = 20;
/** So much there always is, or nothing works. */
const FEW_BYTES = 1024 * 1024;
/** V8 lets garbage grow to half of what is free: a heap that is fuller than this is full of what is in use. */
const NEARLY_FULL = 0.85;

/** Keeps the memory of a process within bounds. */
export class MemoryBudget {
  readonly #maxMemory: number;
  readonly #observer: Told;
  readonly #readHeap: () => HeapReading;
  readonly #totals: Totals = { heap: 0, state: 0, buffers: 0, rows: 0 };
  readonly #holdings = new Set<Holding>();
  #readAt = 0;
  /** Above this the heap is too full. After a holder has been ended it is higher, until what it held has been collected. */
  #nearlyFull = NEARLY_FULL;

  constructor({ maxMemory = defaultMaxMemory(), observer, readHeap: read = readHeap }: MemorySettings) {
    this.#maxMemory = maxMemory;
    this.#observer = observer;
    this.#readHeap = read;
  }

  /** All who hold something. */
  get holdings(): Iterable<Holding> {
    return this.#holdings;
  }

  get reading(): MemoryReading {
    return { maxMemory: this.#maxMemory, ...this.#totals };
  }

  /** Begins to count for a holder. It owes a `close`. */
  open(holder: Holder): Holding {
    const holding = new Holding(holder, this.#totals, () => this.#holdings.delete(holding));
    this.#holdings.add(holding);
    return holding;
  }

  /** Whether so many more bytes of the heap can be taken for a moment. */
  hasRoom(bytes: number): boolean {
    if (bytes < FEW_BYTES) return true;
    const { used, limit } = this.#readHeap();
    return used + bytes < limit;
  }

  /** Sees to it that there is room. To be called after each piece of work that may have taken memory, outside of any holder's code. */
  check(): void {
    this.#keep('heap', this.#maxMemory, 'all feeds');
    this.#keep('buffers', this.#maxBuffers, 'buffers');
    const now = performance.now();
    if (now - this.#readAt < READ_EVERY_MS) return;
    this.#readAt = now;
    this.#checkHeap();
  }

  get #maxBuffers(): number {
    return this.#maxMemory / 2;
  }

  /** Keeps a part within its limit: what can be made smaller is, and then as many are ended as it takes. */
  #keep(part: Part, limit: number, whom: string): void {
    if (this.#totals[part] <= limit) return;
    this.#shrink(part, limit);
    while (this.#totals[part] > limit && this.#endLargest(part, allowed(whom, limit)));
  }

  #checkHeap(): void {
    const { used, limit } = this.#readHeap();
    const full = used / limit;
    if (full < NEARLY_FULL) this.#nearlyFull = NEARLY_FULL;
    if (full < this.#nearlyFull) return;
    // What is let go of is collected later; if the heap goes on to grow meanwhile, more follows.
    this.#nearlyFull = (full + 1) / 2;
    const enough = this.#totals.heap - (used - NEARLY_FULL * limit);
    this.#shrink('heap', enough);
    if (this.#totals.heap > enough) this.#endLargest('heap', heapFull(limit));
  }

  /** Makes holders smaller, the largest first, until all together hold no more than so much. */
  #shrink(part: Part, enough: number): void {
    // A holder that is as it was when it was made smaller has nothing to let go of.
    const changed = [...this.#holdings].filter((holding) => holding[part] !== holding.least[part]);
    for (const holding of changed.sort((a, b) => b[part] - a[part])) {
      if (this.#totals[part] <= enough) return;
      if (holding[part] > 0) holding.shrink();
    }
  }

  /** Ends the largest holder, and says what there is too little of. False where there is none. */
  #endLargest(part: Part, shortage: string): boolean {
    const largest = this.#largest(part);
    if (largest === undefined) return false;
    const bytes = largest[part];
    const { heap, buffers } = this.#totals;
    const sizes = { maxMemory: this.#maxMemory, heap, buffers, largest: bytes, holders: this.#holdings.size };
    this.#observer.memoryShort({ part, ...sizes });
    largest.holder.end(outOfMemory(largest.holder.name, bytes, shortage, part));
    return largest[part] < bytes;
  }

  #largest(part: Part): Holding | undefined {
    let largest: Holding | undefined;
    for (const holding of this.#holdings) if (holding[part] > (largest?.[part] ?? 0)) largest = holding;
    return largest;
  }
}

function allowed(whom: string, limit: number): string {
  return `\`--max-memory\` allows ${whom} ${size(limit)} together`;
}

function heapFull(limit: number): string {
  return `Node’s heap of ${size(limit)} is nearly full`;
}

/** What takes less of each part. */
const LESS: Readonly<Record<Part, string>> = {
  heap: 'a feed of fewer rows (`filter`) or of fewer fields (`pluck`) takes less',
  buffers: 'answers that are read sooner, and less asked for at once, take less',
};

function outOfMemory(name: string, bytes: number, shortage: string, part: Part): ReqlError {
  return resourceLimit(
    `Livefold is short of memory: ${shortage}, and this ${name} takes the most of it, ${size(bytes)}.  To raise the limit, set \`--max-memory\` of the proxy, which is half of Node’s heap unless it is set, and \`NODE_OPTIONS=--max-old-space-size\` for a larger heap; ${LESS[part]}.`,
  );
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const;

/** A number of bytes with two digits at least, in the units that options have: a KB is 1,024 bytes. */
function size(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor((Math.log2(bytes) - 3) / 10)));
  return `${Math.round(bytes / 1024 ** power)} ${UNITS[power]}`;
}
