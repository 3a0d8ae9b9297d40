// The listeners that are told how a view differs.

import type { Difference, Tell } from './difference.ts';

/** Listeners, in the order in which they came. */
export class Listeners {
  /** Each with a place of its own, so that a function that listens twice is told twice. */
  #listeners: readonly { readonly tell: Tell }[] = [];

  /** Whether nobody listens, so that nothing need be told. */
  get isEmpty(): boolean {
    return this.#listeners.length === 0;
  }

  /** Adds a listener; the function returned takes it away. */
  add(tell: Tell): () => void {
    const own = { tell };
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  tell(difference: Difference): void {
    for (const { tell } of this.#listeners) tell(difference);
  }
}
