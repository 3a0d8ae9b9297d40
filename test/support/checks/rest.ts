// The rest of a feed: documents that lead to what its query gives.

import type { Feed } from '../servers/fetch.ts';

/** A state that documents add up to. */
export interface Summed<Wanted> {
  add(document: unknown): void;
  equals(wanted: Wanted): boolean;
  toString(): string;
}

/** Reads documents until they add up to what is wanted. `name` is that of the feed, for the error that they do not. */
export async function rest<Wanted>(
  feed: Feed,
  state: Summed<Wanted>,
  wanted: Wanted,
  name = 'the feed',
): Promise<void> {
  while (!state.equals(wanted)) {
    const [document] = await feed.take(1).catch((error: Error) => {
      throw new Error(`${name} rests at ${state}, the query gives ${JSON.stringify(wanted)}: ${error.message}`);
    });
    state.add(document);
  }
}
