// What upstream is asked for, whatever one client wants to see of it.

import type { FeedOptions } from '../analyze/feed-options.ts';
import type { Live } from '../live.ts';
import { subjectOf } from '../subject.ts';

/**
 * The options of the feed upstream: always the same, but for the length of its queue. Types tell the proxy null from what is
 * not there. Changes come one by one, since whether they are composed is the client's business.
 */
export function upstreamOptions(
  { watched }: Pick<Live, 'watched'>,
  { queueSize }: Pick<FeedOptions, 'queueSize'>,
): FeedOptions {
  const includeTypes = subjectOf(watched) !== 'value';
  return {
    includeInitial: true,
    includeStates: true,
    includeTypes,
    squash: false,
    queueSize,
    shared: true,
    includeHealing: false,
    heartbeat: undefined,
    format: 'changes',
  };
}
