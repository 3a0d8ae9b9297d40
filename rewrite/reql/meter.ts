// Work that is counted, so that no query can hold up the others. Whoever evaluates for a client counts steps with a meter:
// one for about each term that runs, and as many for larger pieces of work as they take of such terms' time. What makes or
// reads many bytes costs steps as well, so that one number bounds both time and memory.
//
// Steps of different terms do not take the same time, and code that has not run before takes several times as long. Where a
// meter has a clock, work that has taken many steps is held to a time as well, which follows from the steps that it may take.

import { ReqlError } from './error.ts';
import type { Origin } from './origin.ts';
import { ErrorType, ResponseType } from './protocol.ts';

/** Says that work takes more steps than it may, and what would help. `what`: the work, as a subject: `Evaluating \`map\``. */
export type StepsText = (what: string, most: number) => string;

/** The error of work that takes more steps than it may: RESOURCE_LIMIT. */
export class OutOfSteps extends ReqlError {
  /** Whether it is the time that was over while there were steps left: the same work may take less another time. */
  readonly isLate: boolean;
  readonly #text: StepsText;
  readonly #most: number;

  constructor(text: StepsText, most: number, isLate: boolean, what = 'The evaluation', origin?: Origin) {
    super(ResponseType.RUNTIME_ERROR, ErrorType.RESOURCE_LIMIT, text(what, most), origin);
    this.isLate = isLate;
    this.#text = text;
    this.#most = most;
  }

  override at(origin: Origin): OutOfSteps {
    return new OutOfSteps(this.#text, this.#most, this.isLate, undefined, origin);
  }

  /** The same error in which the work has a name. */
  named(what: string): OutOfSteps {
    return new OutOfSteps(this.#text, this.#most, this.isLate, what, this.origin);
  }
}

/** Tells the time that work has taken, in milliseconds since any moment. */
export type WorkClock = () => number;

/** Of the steps that work may take, the part that it may take however long that is. */
const UNTIMED = 1 / 50;
/** The part after which the clock is looked at again. */
const BETWEEN_LOOKS = 1 / 100;
/** What a step may take beyond that, on an average of all that are allowed, and what work may take at the least. */
const MS_PER_STEP = 30e-6;
const LEAST_MS = 10;

/** The milliseconds that work of so many steps may take where there is a clock, beside its first steps. */
export function msFor(steps: number): number {
  return Math.max(LEAST_MS, steps * MS_PER_STEP);
}

/** Counts steps. The work between two calls of `renew` is one piece, and may take `most` steps. */
export class Meter {
  readonly most: number;
  readonly #text: StepsText;
  readonly #clock: WorkClock | undefined;
  /** What the piece of work at hand may take, and what is left of that. */
  #allowed: number;
  #left: number;
  /** Where less is left than this, there is something to look at: the clock, or that nothing is left. */
  #mark = 0;
  /** When the piece has to be done; `undefined` while it is untimed. */
  #deadline: number | undefined;

  /** Work is held to a time as well where there is a clock. */
  constructor(most: number, text: StepsText = plainText, clock?: WorkClock) {
    this.most = most;
    this.#text = text;
    this.#clock = clock;
    this.#allowed = most;
    this.#left = most;
    this.renew();
  }

  /** Counts steps. Raises OutOfSteps, without an origin, where they are too many, and from then on. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < this.#mark) this.#look();
  }

  /** Begins another piece of work. */
  renew(): void {
    this.#left = this.#allowed;
    this.#mark = this.#clock === undefined ? 0 : this.#allowed * (1 - UNTIMED);
    this.#deadline = undefined;
  }

  /** Takes back what was spent beyond `spent`: on work that is done again from the beginning. */
  rewind(spent: number): void {
    this.#left = this.#allowed - spent;
  }

  /** Does a piece of work that may take `most` steps of its own, few: those of the work around it are left as they are. */
  apart<Result>(most: number, work: () => Result): Result {
    const allowed = this.#allowed;
    const left = this.#left;
    const mark = this.#mark;
    const deadline = this.#deadline;
    this.#allowed = most;
    this.#left = most;
    this.#mark = 0;
    try {
      return work();
    } finally {
      this.#allowed = allowed;
      this.#left = left;
      this.#mark = mark;
      this.#deadline = deadline;
    }
  }

  /** Steps of this piece of work so far. */
  get spent(): number {
    return this.#allowed - this.#left;
  }

  #look(): void {
    const now = this.#clock?.() ?? 0;
    if (this.#left >= 0 && (this.#deadline === undefined || now < this.#deadline)) {
      this.#deadline ??= now + msFor(this.#allowed);
      this.#mark = Math.max(0, this.#left - this.#allowed * BETWEEN_LOOKS);
      return;
    }
    const isLate = this.#left >= 0;
    // A term that catches the error gets no more steps than any other.
    this.#left = Math.min(this.#left, -1);
    throw new OutOfSteps(this.#text, this.#allowed, isLate);
  }
}

/** A meter without a limit, for work that is nobody's but the caller's own. */
export function unlimited(): Meter {
  return new Meter(Number.POSITIVE_INFINITY);
}

function plainText(what: string, most: number): string {
  return `${what} takes more than ${most} steps.`;
}
