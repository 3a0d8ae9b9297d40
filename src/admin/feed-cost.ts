import type { FeedStatus } from './status.ts';

/** What of a feed is dear. */
type Dear = Pick<FeedStatus, 'stateBytes' | 'waitingBytes' | 'workSeconds' | 'subscribers'>;

/** Followers weigh next to nothing: they tell feeds apart that keep nothing and do nothing. */
const FOLLOWER = 1e-9;

/**
 * What each of some feeds costs, to say which cost most: its part of what all keep and of what is worked for all. Half of the memory
 * weighs as much as half of the work.
 */
export function feedCosts(feeds: readonly Dear[]): (feed: Dear) => number {
  let [kept, worked] = [0, 0];
  for (const feed of feeds) {
    kept += keptBy(feed);
    worked += feed.workSeconds;
  }
  return (feed) => part(keptBy(feed), kept) + part(feed.workSeconds, worked) + FOLLOWER * feed.subscribers;
}

function keptBy({ stateBytes, waitingBytes }: Dear): number {
  return stateBytes + waitingBytes;
}

function part(of: number, all: number): number {
  return all === 0 ? 0 : of / all;
}
