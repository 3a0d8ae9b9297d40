// A feed on a range that can hold no row: it tells its states and then nothing (changefeed.cc, empty_sub_t).

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import { stateDocument } from './change-document.ts';
import type { FeedOptions } from './feed-options.ts';
import { Subscription } from './subscription.ts';

export class EmptySubscription extends Subscription {
  readonly note = ResponseNote.SEQUENCE_FEED;
  readonly #states: Datum[];

  constructor(options: FeedOptions) {
    super(options);
    const { includeInitial, includeStates, includeTypes } = options;
    this.#states = !includeStates
      ? []
      : [
          ...(includeInitial ? [stateDocument('initializing', includeTypes)] : []),
          stateDocument('ready', includeTypes),
        ];
  }

  protected override hasDocument(): boolean {
    return this.#states.length > 0;
  }

  protected override nextDocument(): Datum | undefined {
    return this.#states.shift();
  }
}
