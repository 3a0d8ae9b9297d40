// The listeners that are told how a view differs.

import type { Difference, Tell } from './difference.ts';

/** Listeners, in the order in which they came. */
export class Listeners {
  readonly #tells = new Set<Tell>();

  /** Whether nobody listens, so that nothing need be told. */
  get isEmpty(): boolean {
    return this.#tells.size === 0;
  }

  /** Adds a listener; the function returned takes it away. */
  add(tell: Tell): () => void {
    // One of its own, so that a function that listens twice is told twice.
    const own: Tell = (difference) => tell(difference);
    this.#tells.add(own);
    return () => {
      this.#tells.delete(own);
    };
  }

  tell(difference: Difference): void {
    for (const tell of this.#tells) tell(difference);
  }
}
