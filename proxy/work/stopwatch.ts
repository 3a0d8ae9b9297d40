// The time that is worked for somebody. Work begins inside of work: a slice reads a response, and what that shows is written to
// clients. Only the outermost counts, so that nothing is counted twice.

/** Counts for one. */
export class Stopwatch {
  readonly #now: () => number;
  #depth = 0;
  #since = 0;
  #ms = 0;

  /** @param now milliseconds, as `performance.now` tells them */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds worked so far. */
  get ms(): number {
    return this.#ms;
  }

  /** Counts the time that some work takes. */
  time<Result>(work: () => Result): Result {
    // Work inside of work that is timed asks no clock.
    if (this.#depth > 0) return work();
    this.begin(this.#now());
    try {
      return work();
    } finally {
      this.end(this.#now());
    }
  }

  /** Work begins, now. Callers owe an `end`, whatever happens. */
  begin(now: number): void {
    if (this.#depth === 0) this.#since = now;
    this.#depth++;
  }

  end(now: number): void {
    this.#depth--;
    if (this.#depth === 0) this.#ms += now - this.#since;
  }
}
