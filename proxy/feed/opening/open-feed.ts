// Opens feeds: looks at a query, leaves it alone, refuses it, or takes it over by one of the two plans.

import { randomUUID } from 'node:crypto';
import { DEFAULT_EVALUATION } from '../../../rewrite/reql/eval/core/evaluation-limits.ts';
import type { FeedQuery, OpenFeed, UpstreamPort } from '../../relay/feed-port.ts';
import { workClock } from '../../work/work-clock.ts';
import { HEAL_MS } from '../healing/heal-ms.ts';
import { IndexWatches } from '../index-watch/index-watches.ts';
import { HISTORY_DOCUMENTS } from '../revisions/history.ts';
import { SharedFeeds } from '../sharing/shared-feeds.ts';
import { AskingFeed } from './asking-feed.ts';
import type { OpenFeedSettings } from './open-feed-settings.ts';
import { Opening } from './opening.ts';
import { readSent } from './sent-query.ts';

/** Makes the opening of feeds that the session wants. */
export function createOpenFeed(settings: OpenFeedSettings): OpenFeed {
  const watches = new WeakMap<UpstreamPort, IndexWatches>();
  const watchesOf = (port: UpstreamPort, { protocol }: FeedQuery): IndexWatches => {
    const known = watches.get(port);
    if (known !== undefined) return known;
    const made = new IndexWatches(port, { protocol, every: settings.checkIndexesEvery ?? CHECK_INDEXES_MS });
    watches.set(port, made);
    return made;
  };
  const evaluation = { ...(settings.evaluation ?? DEFAULT_EVALUATION), clock: workClock() };
  const timed = { ...settings, evaluation, mark: randomUUID() };
  const shared = new SharedFeeds({
    lingerMs: settings.lingerMs ?? 0,
    healMs: settings.healMs ?? HEAL_MS,
    historyDocuments: settings.historyDocuments ?? HISTORY_DOCUMENTS,
  });
  return (query, io) => {
    const sent = readSent(query);
    if (sent === undefined) return undefined;
    const opening = (): Opening =>
      new Opening(timed, sent, {
        io,
        shared,
        work: io.process.work.open(io.shared),
        watches: (port) => watchesOf(port, query),
      });
    const joining = io.admit() ?? shared.joinKnown(sent.sentAs, io, (asking) => opening().openLater(asking));
    return joining instanceof AskingFeed ? joining : opening().open();
  };
}

/** How long an index that feeds read may be gone before they end, in milliseconds. */
const CHECK_INDEXES_MS = 5_000;
