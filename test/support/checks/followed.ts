// Feeds that are followed while something happens to their table.

import { expect } from 'vitest';
import type { Query } from '../reql.ts';
import type { Connection } from '../servers/drivers.ts';
import { DEADLINE_MS, type Feed } from '../servers/fetch.ts';
import type { FeedState } from './feed-state.ts';

/** A live query, its feed, and the state that its documents tell of. */
export interface Followed {
  readonly query: Query;
  readonly feed: Feed;
  readonly state: FeedState;
}

/** Reads until each feed shows what its query gives, none says that it is being read again, and none is over. A feed may be silent for `patience` milliseconds. */
export async function restAll(
  followed: readonly Followed[],
  connection: Connection,
  patience: number = DEADLINE_MS,
): Promise<void> {
  for (const { query, feed, state } of followed) {
    const truth = await connection.run(query);
    while (!state.equals(truth) || state.isHealing || feed.waiting.length > 0) {
      const [document] = await feed.take(1, patience).catch((cause: Error) => {
        throw new Error(`rests at ${state}, not at ${JSON.stringify(truth)}: ${cause.message}`);
      });
      state.add(document);
    }
    expect(feed.over).toBeUndefined();
  }
}
