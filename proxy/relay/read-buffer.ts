// The memory that reads from upstream go to. Where all bytes of a read have left the process when it has been taken, the
// next read goes to the same memory: no allocation and no garbage, however large the answer. Where some are still in use, it goes
// behind them, so that a short answer that somebody holds does not cost the room of a long one: what V8 is told of such memory
// makes it collect garbage. Callers owe: `take` says whether it keeps any of the bytes.

/** Takes the bytes of a read; `true`: they are still in use, by a write that waits or by whoever holds them. */
export type Take = (bytes: Buffer) => boolean;

/** A connection that sits idle keeps this much; most answers fit. */
const SMALL_BYTES = 8 * 1024;
/** What is read at once of an answer that is longer. */
const LARGE_BYTES = 64 * 1024;
/** The part of its memory that is left at least for a read behind bytes that are in use. */
const LEAST_REST = 1 / 2;

/** The read buffer of one connection. Its form is that of the `onread` option of `net.connect`. */
export class ReadBuffer {
  readonly #take: Take;
  readonly #small: () => boolean;
  /** How much was allocated, of which `#rest` is where the next read goes. */
  #size = SMALL_BYTES;
  #rest: Buffer = Buffer.allocUnsafeSlow(SMALL_BYTES);

  /** `small`: whether what comes next is likely short: no answer is under way. */
  constructor(take: Take, small: () => boolean) {
    this.#take = take;
    this.#small = small;
  }

  /** Where the next read goes. */
  readonly buffer = (): Buffer => this.#rest;

  /** A read is done: `count` bytes lie in the memory. */
  readonly callback = (count: number): boolean => {
    const rest = this.#rest;
    const inUse = this.#take(rest.subarray(0, count));
    const size = this.#small() ? SMALL_BYTES : LARGE_BYTES;
    if (size !== this.#size || (inUse && rest.length - count < size * LEAST_REST)) {
      this.#size = size;
      this.#rest = Buffer.allocUnsafeSlow(size);
    } else if (inUse) {
      this.#rest = rest.subarray(count);
    }
    return true;
  };
}
