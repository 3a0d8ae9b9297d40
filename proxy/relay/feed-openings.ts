// What is said of a query that has become a feed, for those who look on.

import type { FeedOpening } from '../observer/observer.ts';
import type { Carried, Explain, FeedPlan } from './feed-port.ts';

/** Openings of which there is no more to say: most feeds join others, and there are many of those. */
const PLAIN: { readonly [Plan in FeedPlan]: { readonly [How in Carried]: FeedOpening } } = {
  server: plain('server'),
  proxy: plain('proxy'),
  native: plain('native'),
};

function plain(plan: FeedPlan): { readonly [How in Carried]: FeedOpening } {
  const how = (carried: Carried): FeedOpening => ({ plan, carried, why: undefined, explain: undefined });
  return { shared: how('shared'), joined: how('joined'), alone: how('alone') };
}

/** Where a feed is made, and how it is carried; `why` it is alone, and what `explain` says of its query, where that is known. */
export function openingOf(
  plan: FeedPlan,
  carried: Carried,
  why: string | undefined,
  explain: Explain | undefined,
): FeedOpening {
  const isPlain = why === undefined && explain === undefined;
  return isPlain ? PLAIN[plan][carried] : { plan, carried, why, explain };
}
