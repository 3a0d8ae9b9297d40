// Begins the feed of a live query: planned and shared, or with the terms after `changes` left to RethinkDB.

import { runsOnDocuments } from '../../../rewrite/after-changes.ts';
import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import { replaceChanges } from '../../../rewrite/analyze/find-changes.ts';
import { readFeedOptions, readFoldOptions } from '../../../rewrite/analyze/read-feed-options.ts';
import { foldedBeside, unitesFeeds } from '../../../rewrite/analyze/united.ts';
import type { Live } from '../../../rewrite/live.ts';
import { choosePlan, type Plan } from '../../../rewrite/plan/choose-plan.ts';
import type { Recognized } from '../../../rewrite/recognized.ts';
import { Refusal, refusal } from '../../../rewrite/refusal.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { outsideContext } from '../../../rewrite/reql/eval/core/outside-context.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import { ResponseNote, ResponseType } from '../../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import { NOTHING_SHARED, RUN_IN_SERVER, type Sharing, sharingOf } from '../../../rewrite/sharing.ts';
import type { IndexRead } from '../../../rewrite/sources/indexes-read.ts';
import type { KnownIndexes } from '../../../rewrite/sources/known-index.ts';
import { subjectOf } from '../../../rewrite/subject.ts';
import type { Explain, Feed, FeedIo, UpstreamPort } from '../../relay/feed-port.ts';
import type { IndexWatches } from '../index-watch/index-watches.ts';
import { openMerged } from '../native/open-merged.ts';
import { RowPairing } from '../operator/row-pairing.ts';
import { revisionsOf } from '../revisions/revisions-of.ts';
import type { ShareSettings } from '../share.ts';
import type { SharedFeeds } from '../sharing/shared-feeds.ts';
import { tableQuestions } from '../sharing/table-identity.ts';
import { cutsBatches, withOwnBatches } from '../source/own-batches.ts';
import { AfterChanges } from '../subscription/after.ts';
import { documentView } from '../subscription/document-view.ts';
import { Description } from './description.ts';
import type { IndexAnswers } from './index-answers.ts';
import type { TimedSettings } from './open-feed-settings.ts';
import { PassFeed } from './pass-feed.ts';
import { knowledgeOf, type Planning, type Plans, planOf, sourcesOf } from './plan-feed.ts';
import { type ReplannedQuery, Replanning } from './replanning.ts';
import { type PrimaryKeys, rowsNamed } from './rows-named.ts';
import type { SentQuery } from './sent-query.ts';
import { translation } from './translation.ts';
import { indexesOf, watchAll } from './watch-indexes.ts';

/** A recognized query that becomes a feed. */
export type Becoming = Extract<Recognized, { readonly kind: 'merged' | 'live' }>;
type RecognizedLive = Extract<Recognized, { readonly kind: 'live' }>;

/** The beginning of a feed: the query, what is known of it, and its surroundings. */
export interface Beginning {
  readonly settings: TimedSettings;
  readonly query: SentQuery;
  readonly io: FeedIo;
  /** The shares of the process. */
  readonly shared: SharedFeeds;
  readonly watches: (port: UpstreamPort) => IndexWatches;
  readonly indexes: IndexAnswers;
  readonly primaryKeys: PrimaryKeys;
  /** When the query came. */
  readonly now: DatumObject;
}

/**
 * Begins the feed that a query has become.
 * @throws ReqlError that says why there can be none
 */
export function beginFeed(becoming: Becoming, beginning: Beginning): Feed {
  return becoming.kind === 'live' ? new LiveFeed(beginning).start(becoming) : merged(becoming, beginning);
}

function merged({ feed, fresh }: Extract<Recognized, { readonly kind: 'merged' }>, beginning: Beginning): Feed {
  const { protocol } = beginning.query;
  const context = outsideContext(feed.globalOptargs, beginning.now, beginning.settings.evaluation);
  const explain = explainOf(describe(beginning));
  return openMerged(feed, { io: beginning.io, protocol, context, fresh, keys: beginning.primaryKeys, explain });
}

/** Describes the query for those who look at its feed; `plan`: where another one is taken than the proxy is set up with. */
function describe(
  { settings, query: { text }, indexes }: DescribedBy,
  plan: () => Plan = () => settings.plan,
): Description {
  const { upstreamQueueSize } = settings;
  const described = { text, plan, knowledge: () => knowledgeOf(settings), upstreamQueueSize };
  return new Description(described, indexes.known);
}

type DescribedBy = Pick<Beginning, 'settings' | 'query' | 'indexes'>;

function explainOf(description: Description): Explain {
  return (looked) => description.lines(looked);
}

/** A live query, planned and shared, or left to RethinkDB. */
class LiveFeed {
  readonly #settings: TimedSettings;
  readonly #query: SentQuery;
  readonly #io: FeedIo;
  readonly #shared: SharedFeeds;
  readonly #watches: Beginning['watches'];
  readonly #indexes: IndexAnswers;
  readonly #primaryKeys: PrimaryKeys;
  readonly #now: DatumObject;

  constructor({ settings, query, io, shared, watches, indexes, primaryKeys, now }: Beginning) {
    this.#settings = settings;
    this.#query = query;
    this.#io = io;
    this.#shared = shared;
    this.#watches = watches;
    this.#indexes = indexes;
    this.#primaryKeys = primaryKeys;
    this.#now = now;
  }

  start(recognized: RecognizedLive): Feed {
    const { live } = recognized;
    const context = outsideContext(live.globalOptargs, this.#now, this.#settings.evaluation);
    const options = readFeedOptions(live.changes, context);
    if (!runsOnDocuments(live.after)) return this.#allUpstream(recognized, context, options);
    try {
      return this.#planned(recognized, context, options);
    } catch (error) {
      // Something that only the server can evaluate.
      const unknown = error instanceof ReqlError && error.responseType === ResponseType.COMPILE_ERROR;
      if (unknown) return this.#allUpstream(recognized, context, options, new Refusal(error.message, error.origin));
      throw error;
    }
  }

  #planned({ live, fresh }: RecognizedLive, context: EvalContext, options: FeedOptions): Feed {
    const { protocol } = this.#query;
    const revisions = revisionsOf(live, options, this.#query.user);
    const view = documentView(options, rowsNamed(live, this.#primaryKeys), revisions.writer);
    const after = live.after.length === 0 ? undefined : new AfterChanges(live.after, context, view);
    // Settings that hold a state of the client's own are for nobody else.
    const isForAll = after === undefined && revisions.writer === undefined && revisions.since === undefined;
    return this.#shared.open({
      sharing: this.#sharing(live, options),
      tables: tableQuestions({ sources: sourcesOf(live), globalOptargs: live.globalOptargs }),
      io: this.#io,
      text: isForAll && this.#isAsSent ? this.#query.sentAs : undefined,
      subscription: {
        protocol,
        options,
        view,
        revisions,
        note: noteOf(live),
        after,
        origin: live.changes.origin,
      },
      plan: () => {
        const pairing = new RowPairing();
        const outgrown = { is: false };
        const indexes = this.#indexes.known;
        const planning = { ...this.#settings, protocol, options, context, indexes, pairing, outgrown };
        let plans = planOf(planning, live, fresh);
        const description = this.#describe(() => (outgrown.is ? 'proxy' : this.#settings.plan));
        const onIndexes = this.#onIndexes(live, planning, (anew, known) => {
          plans = anew;
          description.replanned(known);
        });
        const { openSource } = plans;
        return {
          share: { plan: () => plans.plan(), openSource, pairing, cutsBatches: cutsBatches(live), ...onIndexes },
          explain: explainOf(description),
        };
      },
    });
  }

  /** Whether what the query means is in its text, and the server has not been asked. */
  get #isAsSent(): boolean {
    return this.#indexes.all.length === 0 && !this.#primaryKeys.areAsked;
  }

  /** Whether the query is carried together with equal ones of its user, under which key. */
  #sharing(live: Live, options: FeedOptions): Sharing {
    const { user, protocol } = this.#query;
    if (this.#settings.share === false) return { why: NOTHING_SHARED };
    // There, queries are answered one after the other: what others wait for would hold up the client's own.
    if (protocol === 'V0_3') return { why: 'the client speaks V0_3' };
    const sharing = sharingOf(live, options);
    return 'why' in sharing ? sharing : { key: JSON.stringify([user ?? null, this.#indexes.all, sharing.key]) };
  }

  /** How a query that reads secondary indexes is watched over, and planned anew when one of them is another. */
  #onIndexes(
    live: Live,
    planning: Planning,
    replanned: (plans: Plans, indexes: KnownIndexes) => void,
  ): Pick<ShareSettings, 'watch' | 'replan'> {
    const reads = this.#secondary(live);
    const { text } = this.#query;
    if (reads.length === 0) return {};
    const watches = this.#watches;
    const { globalOptargs } = live;
    const query: ReplannedQuery = {
      text,
      knowledge: () => knowledgeOf(planning),
      plan: (now, fresh, indexes) => {
        const plans = planOf({ ...planning, indexes }, now, fresh);
        replanned(plans, indexes);
        return plans.openSource;
      },
    };
    return {
      watch: (port, lost) => watchAll(watches(port), reads, globalOptargs, lost),
      replan: (port, then) => new Replanning(query, port, then).begin(),
    };
  }

  #describe(plan?: () => Plan): Description {
    return describe({ settings: this.#settings, query: this.#query, indexes: this.#indexes }, plan);
  }

  #secondary(live: Live): readonly IndexRead[] {
    return indexesOf(live).filter((read) => !this.#indexes.isPrimaryKey(read));
  }

  /** The server plan with the terms after `changes` inside RethinkDB too: documents pass as they come. */
  #allUpstream({ live, fresh }: RecognizedLive, context: EvalContext, options: FeedOptions, reason?: Refusal): Feed {
    const { mark } = this.#settings;
    const { plan, query } = choosePlan(live, readFoldOptions(live.changes, context), fresh, 'server', mark);
    if (plan === 'proxy') {
      const documents = 'only RethinkDB could run it, and the documents are the proxy’s. Put it before `changes`';
      throw reason ?? refusal(live.after[0] ?? live.changes, documents);
    }
    const after = foldedBeside(live, (changes) => readFoldOptions(changes, context), mark);
    const term = replaceChanges(after, query.term);
    const note = after.some(({ type }) => unitesFeeds(type)) ? ResponseNote.SEQUENCE_FEED : noteOf(live);
    const translate = translation(live, options, { note, sent: term, mark });
    this.#io.opened('server', 'alone', RUN_IN_SERVER, explainOf(this.#describe(() => 'server')));
    return this.#watched(live, () => {
      const start = serializeQuery(withOwnBatches({ ...query, term }, context));
      return new PassFeed(this.#io, start, translate);
    });
  }

  /** A feed that ends when an index that it reads is no more what it was. */
  #watched(live: Live, open: () => Feed): Feed {
    const watched: { feed?: Feed } = {};
    // The callback knows nothing of the query's terms, which are not kept.
    const release = watchAll(this.#watches(this.#io.shared), this.#secondary(live), live.globalOptargs, (error) =>
      watched.feed?.abort(error),
    );
    this.#io.whenOver(release);
    watched.feed = open();
    return watched.feed;
  }
}

function noteOf({ watched }: Live): ResponseNote {
  return subjectOf(watched) === 'value' ? ResponseNote.ATOM_FEED : ResponseNote.SEQUENCE_FEED;
}
