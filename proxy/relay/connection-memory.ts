// The memory that a connection holds in buffers, beside what its feeds say of themselves: frames that are being gathered, frames that
// wait for their turn, and answers that the client has not read. Most connections never hold anything.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { Holder, Holding } from '../memory/holding.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';

/** A thing that a connection holds. */
export interface Held {
  readonly bytes: number;
  /** Lets go of it. Whoever it was held for is told. */
  drop(error: ReqlError): void;
}

/** The beginnings of frames are not worth counting. */
const FEW_BYTES = 1024;

/** Counts for one connection. */
export class ConnectionMemory implements Holder {
  readonly name: string = 'connection';
  readonly #budget: MemoryBudget;
  readonly #parts: readonly Held[];
  #holding: Holding | undefined;
  #bytes = 0;
  #isChecked = true;

  constructor(budget: MemoryBudget, parts: readonly Held[]) {
    this.#budget = budget;
    this.#parts = parts;
  }

  /** Counts anew. */
  count(): void {
    let bytes = 0;
    for (const part of this.#parts) bytes += part.bytes;
    if (bytes < FEW_BYTES) bytes = 0;
    if (bytes === this.#bytes) return;
    this.#isChecked = false;
    this.#bytes = bytes;
    this.#holding ??= this.#budget.open(this);
    this.#holding.setBuffers(bytes);
  }

  /** Counts anew after a chunk of bytes, when all that was to be done with it is done. */
  check(): void {
    this.count();
    if (this.#isChecked) return;
    this.#isChecked = true;
    this.#budget.check();
  }

  shrink(): void {}

  end(error: ReqlError): void {
    let largest: Held | undefined;
    for (const part of this.#parts) if (part.bytes > (largest?.bytes ?? 0)) largest = part;
    largest?.drop(error);
    this.#bytes = 0;
    this.#holding?.setBuffers(0);
  }

  close(): void {
    this.#holding?.close();
  }
}
