// The memory that reads from upstream go to. Where all bytes of a read have left the process when it has been taken, the
// next read goes to the same memory: no allocation and no garbage, however large the answer. Callers owe: `take` says
// whether it keeps any of the bytes.

/** Takes the bytes of a read; `true`: they are still in use, by a write that waits or by whoever holds them. */
export type Take = (bytes: Buffer) => boolean;

/** A connection that sits idle keeps this much; most answers fit. */
const SMALL_BYTES = 8 * 1024;
/** What is read at once of an answer that is longer. */
const LARGE_BYTES = 64 * 1024;

/** The read buffer of one connection. Its form is that of the `onread` option of `net.connect`. */
export class ReadBuffer {
  readonly #take: Take;
  readonly #small: () => boolean;
  #memory: Buffer = Buffer.allocUnsafeSlow(SMALL_BYTES);

  /** `small`: whether what comes next is likely short: no answer is under way. */
  constructor(take: Take, small: () => boolean) {
    this.#take = take;
    this.#small = small;
  }

  /** Where the next read goes. */
  readonly buffer = (): Buffer => this.#memory;

  /** A read is done: `count` bytes lie in the memory. */
  readonly callback = (count: number): boolean => {
    const memory = this.#memory;
    const inUse = this.#take(memory.subarray(0, count));
    const size = this.#small() ? SMALL_BYTES : LARGE_BYTES;
    if (inUse || memory.length !== size) this.#memory = Buffer.allocUnsafeSlow(size);
    return true;
  };
}
