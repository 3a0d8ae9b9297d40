// Work that is counted, so that no query can hold up the others. Whoever evaluates for a client counts steps with a meter:
// one for about each term that runs, and as many for larger pieces of work as they take of such terms' time. What makes or
// reads many bytes costs steps as well, so that one number bounds both time and memory.

import { ReqlError } from './error.ts';
import type { Origin } from './origin.ts';
import { ErrorType, ResponseType } from './protocol.ts';

/** Says that work takes more steps than it may, and what would help. `what`: the work, as a subject: `Evaluating \`map\``. */
export type StepsText = (what: string, most: number) => string;

/** The error of work that takes more steps than it may: RESOURCE_LIMIT. */
export class OutOfSteps extends ReqlError {
  readonly #text: StepsText;
  readonly #most: number;

  constructor(text: StepsText, most: number, what = 'The evaluation', origin?: Origin) {
    super(ResponseType.RUNTIME_ERROR, ErrorType.RESOURCE_LIMIT, text(what, most), origin);
    this.#text = text;
    this.#most = most;
  }

  override at(origin: Origin): OutOfSteps {
    return new OutOfSteps(this.#text, this.#most, undefined, origin);
  }

  /** The same error in which the work has a name. */
  named(what: string): OutOfSteps {
    return new OutOfSteps(this.#text, this.#most, what, this.origin);
  }
}

/** Counts steps. The work between two calls of `renew` is one piece, and may take `most` steps. */
export class Meter {
  readonly most: number;
  readonly #text: StepsText;
  /** What the piece of work at hand may take, and what is left of that. */
  #allowed: number;
  #left: number;

  constructor(most: number, text: StepsText = plainText) {
    this.most = most;
    this.#text = text;
    this.#allowed = most;
    this.#left = most;
  }

  /** Counts steps. Raises OutOfSteps, without an origin, where they are too many, and from then on. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfSteps(this.#text, this.#allowed);
  }

  /** Begins another piece of work. */
  renew(): void {
    this.#left = this.#allowed;
  }

  /** Does a piece of work that may take `most` steps of its own: those of the work around it are left as they are. */
  apart<Result>(most: number, work: () => Result): Result {
    const [allowed, left] = [this.#allowed, this.#left];
    this.#allowed = most;
    this.#left = most;
    try {
      return work();
    } finally {
      this.#allowed = allowed;
      this.#left = left;
    }
  }

  /** Steps of this piece of work so far. */
  get spent(): number {
    return this.#allowed - this.#left;
  }
}

/** A meter without a limit, for work that is nobody's but the caller's own. */
export function unlimited(): Meter {
  return new Meter(Number.POSITIVE_INFINITY);
}

function plainText(what: string, most: number): string {
  return `${what} takes more than ${most} steps.`;
}
