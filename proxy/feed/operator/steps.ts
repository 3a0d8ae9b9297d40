// Work that goes on where the turn before left it.

import type { Turn } from '../../work/turn.ts';

/** Small steps of work: between two of them it can be left, and is told of the turn in which it goes on. */
export type Steps = Generator<void, void, Turn>;

/** The rest of such work. */
export class Rest {
  #steps: Steps | undefined;

  /** Whether work was begun and is not done. */
  get isOpen(): boolean {
    return this.#steps !== undefined;
  }

  /** Goes on with the work, or begins it; says whether it is done. What it throws ends it. */
  go(turn: Turn, begin: (turn: Turn) => Steps): boolean {
    const steps = this.#steps ?? begin(turn);
    this.#steps = undefined;
    while (steps.next(turn).done !== true) {
      if (!turn.isOver()) continue;
      this.#steps = steps;
      return false;
    }
    return true;
  }
}
