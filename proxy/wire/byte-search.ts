// Finds a short text in buffers that hold many queries, searching each buffer once and not once a query. Callers owe:
// within one buffer they ask front to back, and call `forget` when done, so that the buffer is not kept alive.

/** A search for one ASCII text. */
export class ByteSearch {
  readonly #needle: string;
  #bytes: Buffer | undefined;
  #hit = 0;

  constructor(needle: string) {
    this.#needle = needle;
  }

  /** Where the text next stands in `bytes`, at or after `from`; infinity where it does not. */
  next(bytes: Buffer, from: number): number {
    if (bytes !== this.#bytes || this.#hit < from) {
      this.#bytes = bytes;
      const hit = bytes.indexOf(this.#needle, from, 'latin1');
      this.#hit = hit === -1 ? Number.POSITIVE_INFINITY : hit;
    }
    return this.#hit;
  }

  forget(): void {
    this.#bytes = undefined;
  }
}
