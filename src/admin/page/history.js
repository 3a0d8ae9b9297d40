// @ts-check
// What numbers have been over the last minutes, for charts: a sample for each status.

/** The time that charts show, in seconds. */
export const SPAN_SECONDS = 300;

/**
 * @typedef {object} Sample
 * @property {number} at seconds
 * @property {number} value
 */

/** The course of one number. */
export class History {
  /** @type {Sample[]} */
  #samples = [];

  /** @returns {readonly Sample[]} */
  get samples() {
    return this.#samples;
  }

  /** @returns {number} */
  get last() {
    return this.#samples.at(-1)?.value ?? 0;
  }

  /** @returns {number} */
  get most() {
    return this.#samples.reduce((most, { value }) => Math.max(most, value), 0);
  }

  /**
   * @param {number} at seconds
   * @param {number} value
   */
  add(at, value) {
    this.#samples.push({ at, value });
    const first = this.#samples.findIndex((sample) => sample.at >= at - SPAN_SECONDS);
    if (first > 0) this.#samples.splice(0, first);
  }
}

/** The growth of a number that only grows. */
export class Growth {
  /** @type {Sample | undefined} */
  #last;

  /**
   * How much it has grown a second since the last time.
   * @param {number} at seconds
   * @param {number} value
   * @returns {number | undefined} `undefined` the first time, and where no time has passed
   */
  next(at, value) {
    const last = this.#last;
    if (last !== undefined && at <= last.at) return undefined;
    this.#last = { at, value };
    if (last === undefined) return undefined;
    // One that is smaller has begun anew.
    const grown = value < last.value ? value : value - last.value;
    return grown / (at - last.at);
  }
}

/** Seconds over which the rate of a feed is taken. */
const RATE_SECONDS = 10;

/** The growth of the counters of many rows, over the last ten seconds. */
export class Rates {
  /** @type {Map<string, Sample[]>} */
  #samples = new Map();

  /**
   * Takes the counters as they are; rows that are not there any more are forgotten.
   * @param {number} at seconds
   * @param {Iterable<readonly [id: string, value: number]>} counters
   */
  take(at, counters) {
    const old = this.#samples;
    this.#samples = new Map();
    for (const [id, value] of counters) {
      const samples = old.get(id) ?? [];
      samples.push({ at, value });
      while (samples.length > 2 && (samples[1]?.at ?? at) <= at - RATE_SECONDS) samples.shift();
      this.#samples.set(id, samples);
    }
  }

  /**
   * @param {string} id
   * @returns {number} a second
   */
  of(id) {
    const samples = this.#samples.get(id);
    const [first, last] = [samples?.[0], samples?.at(-1)];
    if (first === undefined || last === undefined || last.at <= first.at) return 0;
    return Math.max(0, last.value - first.value) / (last.at - first.at);
  }
}
