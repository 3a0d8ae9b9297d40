// Whether a live query may be carried by one feed upstream together with equal ones of the same user.

import { runsInServer } from './after-changes.ts';
import type { FeedOptions } from './analyze/feed-options.ts';
import type { Live } from './live.ts';
import { liveKey } from './live-key.ts';
import { upstreamQueueSize } from './plan/upstream-options.ts';

/** The key of what may be shared, the same for equal queries, or why nothing is. */
export type Sharing = { readonly key: string } | { readonly why: string };

/** Why a query is alone whose terms after `changes` are not run by the proxy. */
export const RUN_IN_SERVER = 'RethinkDB runs the terms after `changes`';

/** Why it is alone where nothing is to be shared. */
export const NOTHING_SHARED = 'nothing is, under --no-share';

/** Whether a live query is shared, as far as it says itself. */
export function sharingOf(live: Live, { shared, queueSize }: Pick<FeedOptions, 'shared' | 'queueSize'>): Sharing {
  if (!shared) return { why: 'its option `shared` is false' };
  // The server would say how another's query ran.
  if (live.globalOptargs.some(([name]) => name === 'profile')) return { why: 'it is profiled' };
  if (runsInServer(live.after)) return { why: RUN_IN_SERVER };
  const key = liveKey(live);
  if (key === undefined) return { why: 'it depends on the moment at which it came' };
  return { key: JSON.stringify([upstreamQueueSize({ queueSize }) ?? null, key]) };
}
