// A holding: what one feed, or one connection, holds of the memory of the process, and what can be asked of it when there is too little.

import type { ReqlError } from '../../rewrite/reql/error.ts';

/** A holder of memory. Callers of these owe: none of the holder's own code is running. */
export interface Holder {
  /** What it is to the client that is told of its end: a feed, a query. */
  readonly name: string;
  /** Makes what it holds smaller where nobody loses anything by it. Cheap where there is nothing to be made smaller. */
  shrink(): void;
  /** Lets go of everything, and tells whom it held it for. What it holds is then 0. */
  end(error: ReqlError): void;
}

/** What is bounded by itself. */
export type Part = 'heap' | 'buffers';

/** The sums of the holdings of a process. */
export interface Totals {
  /** Bytes in the heap, and those of them that are states; bytes in buffers outside of it. */
  heap: number;
  state: number;
  buffers: number;
  /** Elements, groups and rows of states. */
  rows: number;
}

/** Bytes held by one holder, estimated, in three parts that are set apart from each other. */
export class Holding {
  readonly holder: Holder;
  readonly #totals: Totals;
  readonly #closed: () => void;
  #open = true;
  #rows = 0;
  #state = 0;
  #waiting = 0;
  #buffers = 0;
  #least: Readonly<Record<Part, number>> = NOTHING;

  constructor(holder: Holder, totals: Totals, closed: () => void) {
    this.holder = holder;
    this.#totals = totals;
    this.#closed = closed;
  }

  /** Elements, groups and rows of a feed's state. */
  get rows(): number {
    return this.#rows;
  }

  /** Bytes of a feed's state. */
  get state(): number {
    return this.#state;
  }

  /** Bytes of documents that wait for the client to ask for them. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Bytes of the JavaScript heap: a feed's state, and documents that wait for the client to ask for them. */
  get heap(): number {
    return this.#state + this.#waiting;
  }

  /** Bytes outside of the heap: frames that are being read, and bytes that wait to be sent. */
  get buffers(): number {
    return this.#buffers;
  }

  get bytes(): number {
    return this.heap + this.#buffers;
  }

  /** What was held when it was last made as small as it can be. */
  get least(): Readonly<Record<Part, number>> {
    return this.#least;
  }

  /** Makes what is held as small as it can be. */
  shrink(): void {
    this.holder.shrink();
    this.#least = { heap: this.heap, buffers: this.buffers };
  }

  /** More is kept, or less. */
  addState(rows: number, bytes: number): void {
    if (!this.#open) return;
    this.#rows += rows;
    this.#state += bytes;
    this.#totals.rows += rows;
    this.#totals.state += bytes;
    this.#totals.heap += bytes;
  }

  /** So much waits for the client now. */
  setWaiting(bytes: number): void {
    if (!this.#open) return;
    this.#totals.heap += bytes - this.#waiting;
    this.#waiting = bytes;
  }

  /** So much is held in buffers now. */
  setBuffers(bytes: number): void {
    if (!this.#open) return;
    this.#totals.buffers += bytes - this.#buffers;
    this.#buffers = bytes;
  }

  /** Nothing is held any more. */
  close(): void {
    if (!this.#open) return;
    this.#totals.heap -= this.heap;
    this.#totals.state -= this.#state;
    this.#totals.rows -= this.#rows;
    this.#totals.buffers -= this.#buffers;
    this.#open = false;
    this.#rows = 0;
    this.#state = 0;
    this.#waiting = 0;
    this.#buffers = 0;
    this.#closed();
  }
}

const NOTHING: Readonly<Record<Part, number>> = { heap: 0, buffers: 0 };
