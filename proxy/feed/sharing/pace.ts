// How fast upstream tells what it has to tell. A fold inside RethinkDB takes all changes at once that there are, and is silent while it
// works on them; it yields to other queries meanwhile, so that their answers say nothing of it. What it takes next has come while it
// worked on what it took last, or while it was waited for what was to be handed on: it is not silent for much longer than that.

/** What comes after a silence of so many milliseconds has nothing to do with what came before. */
const RUN_MS = 250;
/** A silence that many changes may hide in, in milliseconds, though none was longer. */
const LEAST_MS = 5;
/** What a fold takes next may take it so many times as long as what it took last. */
const GROWTH = 4;

/** The pace of one feed. */
export class Pace {
  readonly #now: () => number;
  /** How many responses have come. */
  responses = 0;
  /** How many documents the last of them had. */
  documents = 0;
  #at = Number.NEGATIVE_INFINITY;
  /** The longest silence between those that came one after the other, in milliseconds. */
  #longest = 0;

  /** @param now milliseconds, as `performance.now` tells them */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A response has come. */
  heard(documents: number): void {
    const now = this.#now();
    const silence = now - this.#at;
    this.#longest = silence < RUN_MS ? Math.max(this.#longest, silence) : 0;
    this.#at = now;
    this.documents = documents;
    this.responses++;
  }

  /**
   * For how many milliseconds more a fold has to be silent until it can be said to have nothing to tell, where it took so many until
   * all had been handed on.
   */
  silenceLeft(handedOnMs: number): number {
    const silence = this.#now() - this.#at;
    return silence < RUN_MS ? GROWTH * Math.max(this.#longest, LEAST_MS, handedOnMs) - silence : 0;
  }
}
