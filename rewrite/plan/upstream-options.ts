// The options that upstream is asked with, whatever one client wants to see of a feed.

import type { FeedOptions } from '../analyze/feed-options.ts';
import type { Live } from '../live.ts';
import { subjectOf } from '../subject.ts';

/** The server's default for `changefeed_queue_size` (configured_limits.hpp). */
export const QUEUE_SIZE = 100_000;

/**
 * How many changes RethinkDB is to keep for a feed while nobody fetches them; `undefined` for its default. Whoever keeps the
 * state fetches at once, so that a client's wish for fewer is about what waits for the client.
 */
export function upstreamQueueSize({ queueSize }: Pick<FeedOptions, 'queueSize'>): number | undefined {
  return queueSize !== undefined && queueSize > QUEUE_SIZE ? queueSize : undefined;
}

/**
 * The options of the feed upstream: always the same, but for a queue that is longer than usual. Types tell the proxy null from
 * what is not there. Changes come one by one, since whether they are composed is the client's business.
 */
export function upstreamOptions({ watched }: Pick<Live, 'watched'>, queueSize: number | undefined): FeedOptions {
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
    includeRevs: false,
    since: undefined,
  };
}
