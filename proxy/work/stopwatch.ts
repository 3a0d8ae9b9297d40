// The time that is worked for somebody. Work begins inside of work: a slice reads a response, and what that shows is written to
// clients. Only the outermost counts, so that nothing is counted twice.

/** The time over which the rate is taken, in milliseconds. */
const SPAN_MS = 10_000;

/** Counts for one. */
export class Stopwatch {
  readonly #now: () => number;
  #depth = 0;
  #since = 0;
  #ms = 0;
  /** When the span at hand began, what was counted until then, and in the span before it. */
  #spanAt = Number.NEGATIVE_INFINITY;
  #spanFrom = 0;
  #before = 0;

  /** @param now milliseconds, as `performance.now` tells them */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds worked so far. */
  get ms(): number {
    return this.#ms;
  }

  /** The part of the last ten seconds that was worked, from 0 to 1; what was worked before them counts less and less. */
  get load(): number {
    const now = this.#now();
    this.#turnSpan(now);
    const passed = Math.min(now - this.#spanAt, SPAN_MS);
    return (this.#ms - this.#spanFrom + this.#before * (1 - passed / SPAN_MS)) / SPAN_MS;
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
    if (this.#depth === 0) {
      this.#since = now;
      this.#turnSpan(now);
    }
    this.#depth++;
  }

  end(now: number): void {
    this.#depth--;
    if (this.#depth === 0) this.#ms += now - this.#since;
  }

  /** Begins a new span where the one at hand is over. */
  #turnSpan(now: number): void {
    const passed = now - this.#spanAt;
    if (passed < SPAN_MS) return;
    this.#before = passed < 2 * SPAN_MS ? this.#ms - this.#spanFrom : 0;
    this.#spanFrom = this.#ms;
    this.#spanAt = passed < 2 * SPAN_MS ? this.#spanAt + SPAN_MS : now;
  }
}
