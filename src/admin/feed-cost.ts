import type { FeedStatus } from './status.ts';

/** What a feed costs, to say which cost most: the bytes of its state and of what waits, and how many follow it. */
export function feedCost({ stateBytes, waitingBytes, subscribers }: FeedStatus): number {
  return stateBytes + waitingBytes + subscribers;
}
