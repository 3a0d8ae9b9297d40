// The pauses before each next try: not at all at first, then longer and longer, and never in step with others.
// A try that took long is part of the wait: where a network is cut RethinkDB answers after a quarter of a minute, which may be when
// the network is mended.

/** The first pause that is one, and the longest, in milliseconds. */
const FIRST_MS = 50;
const LONGEST_MS = 5_000;

/** The pauses of one healing. */
export class Pauses {
  readonly #until: number;
  readonly #now: () => number;
  readonly #random: () => number;
  #tries: number;
  /** When the last try began. */
  #begun: number;

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
    this.#begun = now();
    this.#until = this.#begun + limitMs;
  }

  /** Milliseconds to the next try, `most` at the most; `undefined` when the time is over. */
  next(most: number = Number.POSITIVE_INFINITY): number | undefined {
    const now = this.#now();
    if (now >= this.#until) return undefined;
    const whole = this.#tries === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.#tries - 1));
    const left = Math.min(whole, Math.max(FIRST_MS, whole - (now - this.#begun)));
    const pause = Math.min(most, (left * (1 + this.#random())) / 2);
    this.#tries++;
    this.#begun = now + pause;
    return pause;
  }
}
