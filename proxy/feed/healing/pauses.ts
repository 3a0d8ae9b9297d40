// The pauses before each next try: not at all at first, then longer and longer, and never in step with others.

/** The first pause that is one, and the longest, in milliseconds. */
const FIRST_MS = 50;
const LONGEST_MS = 5_000;

/** The pauses of one healing. */
export class Pauses {
  readonly #until: number;
  readonly #now: () => number;
  readonly #random: () => number;
  #tries: number;

  /** `limitMs`: how long is tried; `tries`: how many pauses are left out at the start; `random` gives numbers from 0 to 1. */
  constructor(
    limitMs: number,
    tries = 0,
    now: () => number = () => performance.now(),
    random: () => number = Math.random,
  ) {
    this.#now = now;
    this.#random = random;
    this.#tries = tries;
    this.#until = now() + limitMs;
  }

  /** Milliseconds to the next try; `undefined` when the time is over. */
  next(): number | undefined {
    if (this.#now() >= this.#until) return undefined;
    const pause = this.#tries === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#tries - 1));
    this.#tries++;
    return (pause * (1 + this.#random())) / 2;
  }
}
