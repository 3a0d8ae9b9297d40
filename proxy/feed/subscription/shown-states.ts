// The states that one subscription shows, as documents: what a client is told of its feed rather than of what it watches. Each is made
// where the client has asked for it, and where it is its turn.

import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import { type FirstDocuments, firstDocuments } from './openings.ts';

/** The states that a client asks for. */
type WantedStates = Pick<FeedOptions, 'includeInitial' | 'includeStates' | 'includeHealing'>;

/** The states of one subscription. Each method gives what is to be told now; `undefined` where that is nothing. */
export class ShownStates {
  readonly #wanted: WantedStates;
  /** Whether the client has been told that what it is shown is being read again. */
  #isHealing = false;

  constructor(wanted: WantedStates) {
    this.#wanted = wanted;
  }

  /** The states that a client asks for; `undefined` where it asks for none, as most do. */
  static of(wanted: WantedStates): ShownStates | undefined {
    return wanted.includeStates || wanted.includeHealing ? new ShownStates(wanted) : undefined;
  }

  /** Upstream has accepted the query. */
  accepted(): FirstDocuments | undefined {
    const { includeInitial, includeStates } = this.#wanted;
    return includeInitial && includeStates ? INITIALIZING : undefined;
  }

  /** What is there at first has been told. */
  ready(): FirstDocuments | undefined {
    return this.#wanted.includeStates ? READY : undefined;
  }

  /** What is shown is being read again. */
  healing(): FirstDocuments | undefined {
    if (!this.#wanted.includeHealing || this.#isHealing) return undefined;
    this.#isHealing = true;
    return HEALING;
  }

  /** What is shown has been read again. */
  healed(): FirstDocuments | undefined {
    if (!this.#isHealing) return undefined;
    this.#isHealing = false;
    return HEALED;
  }
}

/** Says that the feed is alive, to a client that has asked for a heartbeat. */
export const ALIVE: FirstDocuments = firstDocuments([{ kind: 'state', state: 'alive' }]);

const INITIALIZING: FirstDocuments = firstDocuments([{ kind: 'state', state: 'initializing' }]);
const READY: FirstDocuments = firstDocuments([{ kind: 'state', state: 'ready' }]);
const HEALING: FirstDocuments = firstDocuments([{ kind: 'state', state: 'healing' }]);
const HEALED: FirstDocuments = firstDocuments([{ kind: 'state', state: 'healed' }]);
