// How fast upstream tells what it has to tell. A fold inside RethinkDB takes all changes at once that there are, and is silent while it
// works on them; it yields to other queries meanwhile, so that their answers say nothing of it. What it takes next has come while it
// worked on what it took last, or while it was waited for what was to be handed on: it is not silent for much longer than that.

/** What comes after a silence of so many milliseconds has nothing to do with what came before. */
const RUN_MS = 250;
/** A silence that many changes may hide in, in milliseconds, though none was longer. */
const LEAST_MS = 5;
/**
 * An answer with so few documents, and so few bytes, surely has all that there was: RethinkDB cuts one where it has taken as many bytes
 * as it is asked for, 128 KiB and more, and JSON takes a tenth at least of the bytes that it counts (batching.cc).
 */
const FEW = 8;
const FEW_BYTES = 8 * 1024;
/** What a fold takes next may take it so many times as long as what it took last. */
const GROWTH = 4;

/** The pace of one feed. */
export class Pace {
  readonly #now: () => number;
  /** How many responses have been read. */
  responses = 0;
  /** How many queries are not asked for more. */
  #resting = 0;
  /** Whether the last of them was so short that it was surely not cut, unless a client asks for short ones. */
  isShort = false;
  #at = Number.NEGATIVE_INFINITY;
  /** The longest silence between those that came one after the other, in milliseconds. */
  #longest = 0;

  /** @param now milliseconds, as `performance.now` tells them */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether upstream is not asked for more, since what it told last is still worked on. */
  get isResting(): boolean {
    return this.#resting > 0;
  }

  /** A query is not asked for more from now on (1), or is again (-1). */
  rests(by: 1 | -1): void {
    this.#resting += by;
  }

  /** A response has been read. */
  heard(documents: number, bytes: number): void {
    const now = this.#now();
    const silence = now - this.#at;
    this.#longest = silence < RUN_MS ? Math.max(this.#longest, silence) : 0;
    this.#at = now;
    this.isShort = documents <= FEW && bytes <= FEW_BYTES;
    this.responses++;
  }

  /** How long a fold may take for what it takes next, where it took so many milliseconds until all had been handed on. */
  patience(handedOnMs: number): number {
    return GROWTH * Math.max(this.#longest, LEAST_MS, handedOnMs);
  }

  /**
   * For how many milliseconds more a fold has to be silent until it can be said to have nothing to tell, where it took so many until
   * all had been handed on.
   */
  silenceLeft(handedOnMs: number): number {
    const silence = this.#now() - this.#at;
    return silence < RUN_MS ? this.patience(handedOnMs) - silence : 0;
  }
}
