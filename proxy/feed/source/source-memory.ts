// The memory of one source of a share, so that all of it can be given back when another takes its place.

import type { FeedMemory } from '../../relay/feed-port.ts';

/** A part of what a share keeps. */
export class SourceMemory implements Pick<FeedMemory, 'addState'> {
  readonly #whole: Pick<FeedMemory, 'addState'>;
  #rows = 0;
  #bytes = 0;

  constructor(whole: Pick<FeedMemory, 'addState'>) {
    this.#whole = whole;
  }

  addState(rows: number, bytes: number): void {
    this.#rows += rows;
    this.#bytes += bytes;
    this.#whole.addState(rows, bytes);
  }

  /** Nothing of it is kept any more. */
  clear(): void {
    this.addState(-this.#rows, -this.#bytes);
  }
}
