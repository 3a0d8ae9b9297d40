// The shares of a proxy, as one who observes it sees them.

import type { ObservedShare } from '../../../proxy/observer/observer.ts';
import { Observers } from '../../../proxy/observer/observers.ts';
import { eventually } from '../checks/eventually.ts';

/** Those that there are. */
export class SeenShares extends Observers {
  readonly #shares = new Set<ObservedShare>();

  constructor() {
    super([]);
  }

  get all(): readonly ObservedShare[] {
    return [...this.#shares];
  }

  override shareOpened(share: ObservedShare): void {
    this.#shares.add(share);
  }

  override shareEnded(share: ObservedShare): void {
    this.#shares.delete(share);
  }

  /** Waits until none of them is being read again. */
  async areHealed(): Promise<void> {
    await eventually('no share is being read again', () => this.all.every(({ isHealing }) => !isHealing));
  }
}
