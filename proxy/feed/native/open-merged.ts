// Opens a feed of RethinkDB's own of which the client wants merges.

import { runsOnDocuments } from '../../../rewrite/after-changes.ts';
import { readOwnFeedOptions } from '../../../rewrite/analyze/read-feed-options.ts';
import { type MergedFeed, mergedQuery } from '../../../rewrite/merged-feed.ts';
import { upstreamQueueSize } from '../../../rewrite/plan/upstream-options.ts';
import { refusal } from '../../../rewrite/refusal.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { Entry, Term } from '../../../rewrite/reql/term/term.ts';
import type { FreshVars } from '../../../rewrite/reql/term/vars.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import type { Explain, FeedIo, FeedQuery } from '../../relay/feed-port.ts';
import type { PrimaryKeys } from '../opening/rows-named.ts';
import { withOwnBatches } from '../source/own-batches.ts';
import { AfterChanges } from '../subscription/after.ts';
import { documentView } from '../subscription/document-view.ts';
import type { Subscription } from '../subscription/subscription.ts';
import { NativeMerges } from './native-merges.ts';

/** The settings of such a feed. */
export interface MergedSettings {
  readonly io: FeedIo;
  readonly protocol: FeedQuery['protocol'];
  readonly context: EvalContext;
  readonly fresh: FreshVars;
  readonly keys: PrimaryKeys;
  /** What becomes of the query, for those who look on. */
  readonly explain: Explain | undefined;
}

/** A table whose primary key has to be known first; `undefined` where all are. */
export function keyToAsk({ branches }: MergedFeed, keys: PrimaryKeys): Term | undefined {
  return branches.flatMap(({ table }) => table ?? []).find((table) => keys.get(table) === undefined);
}

/**
 * Opens the feed.
 * @throws ReqlError for options that cannot be, and for terms that hide which rows documents are of
 */
export function openMerged(
  feed: MergedFeed,
  { io, protocol, context, fresh, keys, explain }: MergedSettings,
): Subscription {
  const { changes, after } = feed;
  const options = readOwnFeedOptions(changes, context);
  const [first] = after;
  if (first !== undefined && !runsOnDocuments(after)) {
    throw refusal(first, 'only RethinkDB could run it, and the documents are the proxy’s. Put it before `changes`');
  }
  const asked: readonly (readonly [name: string, value: Datum | undefined])[] = [
    ['include_initial', options.includeInitial],
    ['include_states', true],
    ['include_types', true],
    ['include_offsets', options.includeOffsets],
    ['squash', false],
    ['changefeed_queue_size', upstreamQueueSize(options)],
  ];
  const optargs = asked.flatMap(([name, value]): readonly Entry[] =>
    value === undefined ? [] : [[name, { kind: 'datum', value }]],
  );
  // A table that does not tell is refused by RethinkDB when it is opened.
  const keyOf = (table: Term | undefined): string => (table === undefined ? undefined : keys.get(table)) ?? 'id';
  const { query, carried } = mergedQuery(feed, optargs, fresh, keyOf);
  const view = documentView(options, 'itself', undefined);
  io.opened('native', 'alone', 'its documents are written as merges', explain);
  const { feed: subscription } = new NativeMerges({
    io,
    merged: { query: withOwnBatches(query, context), carried },
    point: pointOf(feed),
    subscription: {
      protocol,
      options,
      revisions: { writer: undefined, since: undefined },
      view,
      after: first === undefined ? undefined : new AfterChanges(after, context, view),
      origin: changes.origin,
    },
  });
  return subscription;
}

function pointOf({ branches: [{ source }] }: MergedFeed): Datum | undefined {
  const [, key] = source.args;
  return source.type === TermType.GET && key?.kind === 'datum' ? key.value : undefined;
}
