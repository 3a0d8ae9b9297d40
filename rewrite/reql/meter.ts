// Work that is counted, so that no query can hold up the others. Whoever evaluates for a client counts steps with a meter:
// one for about each term that runs, and as many for larger pieces of work as they take of such terms' time. What makes or
// reads many bytes costs steps as well, so that one number bounds both time and memory.

import { type ReqlError, resourceLimit } from './error.ts';

/** The error of work that takes more steps than it may: RESOURCE_LIMIT, in the words of whoever set the limit. */
export type Exhausted = (most: number) => ReqlError;

/** Counts steps. The work between two calls of `renew` is one piece, and may take `most` steps. */
export class Meter {
  readonly most: number;
  readonly #exhausted: Exhausted;
  #left: number;

  constructor(most: number, exhausted: Exhausted = unnamed) {
    this.most = most;
    this.#exhausted = exhausted;
    this.#left = most;
  }

  /** Counts steps. Raises RESOURCE_LIMIT, without an origin, where they are too many, and from then on. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw this.#exhausted(this.most);
  }

  /** Begins another piece of work. */
  renew(): void {
    this.#left = this.most;
  }

  /** Steps of this piece of work so far. */
  get spent(): number {
    return this.most - this.#left;
  }
}

/** A meter without a limit, for work that is nobody's but the caller's own. */
export function unlimited(): Meter {
  return new Meter(Number.POSITIVE_INFINITY);
}

function unnamed(most: number): ReqlError {
  return resourceLimit(`The evaluation takes more than ${most} steps.`);
}
