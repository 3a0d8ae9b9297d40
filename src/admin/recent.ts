// Something that is read for many: who asks while it is being read, or soon after it was, gets the same.

/** The most recent reading. */
export class Recent<Value> {
  readonly #freshMs: number;
  readonly #read: () => Promise<Value>;
  #reading: Promise<Value> | undefined;
  #last: { readonly value: Value; readonly at: number } | undefined;

  /** What was read at most `freshMs` milliseconds ago is not read again. */
  constructor(freshMs: number, read: () => Promise<Value>) {
    this.#freshMs = freshMs;
    this.#read = read;
  }

  async read(): Promise<Value> {
    if (this.#last !== undefined && performance.now() - this.#last.at < this.#freshMs) return this.#last.value;
    this.#reading ??= this.#again();
    return await this.#reading;
  }

  async #again(): Promise<Value> {
    try {
      const value = await this.#read();
      this.#last = { value, at: performance.now() };
      return value;
    } finally {
      this.#reading = undefined;
    }
  }
}
