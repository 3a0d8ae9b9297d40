// Opens feeds: looks at a query, leaves it alone, refuses it, or takes it over by one of the two plans.

import { isUtf8 } from 'node:buffer';
import { choosePlan, type Plan, type Planned } from '../../rewrite/choose-plan.ts';
import type { AggregateDefinition } from '../../rewrite/define-aggregate.ts';
import type { EvaluationLimits } from '../../rewrite/eval/evaluation-limits.ts';
import type { EvalContext } from '../../rewrite/eval/index.ts';
import { outsideContext } from '../../rewrite/eval/outside-context.ts';
import type { FeedOptions } from '../../rewrite/feed-options.ts';
import { replaceChanges } from '../../rewrite/find-changes.ts';
import { type IndexRead, indexesRead } from '../../rewrite/indexes-read.ts';
import type { IndexFields, IndexQuestion, KnownIndexes } from '../../rewrite/known-index.ts';
import type { Live } from '../../rewrite/live.ts';
import { readFeedOptions } from '../../rewrite/read-feed-options.ts';
import { type Knowledge, type Recognized, recognize } from '../../rewrite/recognize.ts';
import { refusal } from '../../rewrite/refusal.ts';
import type { DatumObject } from '../../rewrite/reql/datum.ts';
import { ReqlError } from '../../rewrite/reql/error.ts';
import { ResponseNote, ResponseType } from '../../rewrite/reql/protocol.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { escapedSurrogates, utf8Text } from '../../rewrite/reql/utf8.ts';
import { subjectOf } from '../../rewrite/subject.ts';
import { type ParsedStart, parseQuery } from '../../rewrite/term/parse.ts';
import { serializeQuery, serializeTerm } from '../../rewrite/term/serialize.ts';
import { containsTerm } from '../../rewrite/term/walk.ts';
import { foldedBeside, unitesFeeds } from '../../rewrite/united.ts';
import type { Feed, FeedIo, FeedQuery, OpenFeed, UpstreamPort } from '../feed-port.ts';
import { errorBody } from '../wire/response.ts';
import { AfterChanges, runsOnDocuments } from './after.ts';
import { AskingFeed } from './asking-feed.ts';
import { indexQuery, missingIndex, readIndexAnswer } from './index-status.ts';
import { IndexWatches } from './index-watch/index-watches.ts';
import type { StateLimits } from './operator/gauge.ts';
import { withOwnBatches } from './own-batches.ts';
import { PassFeed } from './pass-feed.ts';
import { ProxyPlanSource } from './proxy-plan-source.ts';
import { ServerPlanSource } from './server-plan-source.ts';
import { tooOld } from './server-version.ts';
import { Share, type ShareSettings } from './share.ts';
import { translation } from './translation.ts';
import { upstreamOptions } from './upstream-options.ts';

type RecognizedLive = Extract<Recognized, { readonly kind: 'live' }>;
type Asks = Extract<Recognized, { readonly kind: 'asks' }>;

/** How feeds are opened. */
export interface OpenFeedSettings {
  readonly plan: Plan;
  readonly limits: StateLimits;
  /** How much is evaluated for a client; `DEFAULT_EVALUATION` if absent. */
  readonly evaluation?: EvaluationLimits | undefined;
  /** What `changes({aggregate: name})` may name. */
  readonly aggregates?: readonly AggregateDefinition[] | undefined;
  /** Milliseconds from one look at the indexes that a client's feeds read to the next; `CHECK_INDEXES_MS` if absent. */
  readonly checkIndexesEvery?: number | undefined;
  /** Milliseconds since 1970. `r.now()` in what the proxy evaluates is the time when the query came. */
  readonly now: () => number;
}

/** Makes the opening of feeds that the session wants. */
export function createOpenFeed(settings: OpenFeedSettings): OpenFeed {
  const watches = new WeakMap<UpstreamPort, IndexWatches>();
  const watchesOf = ({ shared }: FeedIo, { protocol }: FeedQuery): IndexWatches => {
    const known = watches.get(shared);
    if (known !== undefined) return known;
    const made = new IndexWatches(shared, { protocol, every: settings.checkIndexesEvery ?? CHECK_INDEXES_MS });
    watches.set(shared, made);
    return made;
  };
  return (query, io) => new Opening(settings, query, io, () => watchesOf(io, query)).open();
}

/** How long an index that feeds read may be gone before they end, in milliseconds. */
const CHECK_INDEXES_MS = 5_000;

/** One query on its way to become a feed. */
class Opening {
  readonly #settings: OpenFeedSettings;
  readonly #query: FeedQuery;
  readonly #io: FeedIo;
  readonly #watches: () => IndexWatches;
  readonly #indexes = new Map<string, IndexFields | null>();

  constructor(settings: OpenFeedSettings, query: FeedQuery, io: FeedIo, watches: () => IndexWatches) {
    this.#watches = watches;
    this.#settings = settings;
    this.#query = query;
    this.#io = io;
  }

  open(): Feed | 'native' | undefined {
    const text = decode(this.#query.body);
    const parsed = text === undefined ? undefined : parseQuery(text);
    if (parsed === undefined || !('term' in parsed)) return undefined;
    this.#io.parsed(parsed.term);
    const recognized = recognize(parsed, this.#knowledge);
    if (recognized.kind === 'untouched') return containsTerm(parsed.term, TermType.CHANGES) ? 'native' : undefined;
    if (recognized.kind !== 'asks') {
      const refused = recognized.kind === 'live' ? this.#io.admit() : undefined;
      return refused === undefined ? this.#begin(recognized) : this.#refuse(refused);
    }
    const refused = this.#io.admit();
    if (refused !== undefined) return this.#refuse(refused);
    const feed = new AskingFeed(this.#io);
    this.#ask(parsed, recognized, feed);
    return feed;
  }

  get #knowledge(): Knowledge {
    return { indexes: this.#known, asks: true, aggregates: this.#settings.aggregates };
  }

  readonly #known: KnownIndexes = ({ table, index }) => this.#indexes.get(keyOf({ table, index }));

  #ask(parsed: ParsedStart, { question, needed }: Asks, feed: AskingFeed): void {
    this.#io.ask(indexQuery(question, parsed.globalOptargs), (body) => {
      const fields = readIndexAnswer(body, question);
      const missing = missingIndex(body);
      if (needed && missing !== undefined) {
        feed.become(this.#refuse(missing));
        return;
      }
      if (needed && fields === undefined) {
        feed.become(this.#native());
        return;
      }
      // Where there is no such index the server says so when the feed is opened.
      this.#indexes.set(keyOf(question), fields ?? null);
      const recognized = recognize(parsed, this.#knowledge);
      if (recognized.kind === 'asks') this.#ask(parsed, recognized, feed);
      else if (recognized.kind === 'untouched') feed.become(this.#native());
      else feed.become(this.#begin(recognized));
    });
  }

  #native(): Feed {
    this.#io.opened('native');
    return new PassFeed(this.#io, this.#query.body);
  }

  #begin(recognized: Extract<Recognized, { readonly kind: 'refused' | 'live' }>): Feed | undefined {
    if (recognized.kind === 'refused') return this.#refuse(recognized.error);
    const old = tooOld(this.#query.serverVersion, recognized.live.changes.origin);
    if (old !== undefined) return this.#refuse(old);
    try {
      return this.#watched(recognized);
    } catch (error) {
      if (error instanceof ReqlError) return this.#refuse(error);
      throw error;
    }
  }

  #refuse(error: ReqlError): undefined {
    this.#io.toClient(errorBody(error));
    this.#io.ended(error);
  }

  /** The feed, which ends when an index that it reads is no more what it was. */
  #watched(recognized: RecognizedLive): Feed {
    let feed: Feed | undefined;
    const releases = indexesOf(recognized.live).flatMap((read) =>
      this.#isPrimaryKey(read)
        ? []
        : this.#watches().watch(read, recognized.live.globalOptargs, (error) => feed?.abort(error)),
    );
    const release = (): void => {
      for (const end of releases) end();
    };
    try {
      feed = this.#start(recognized);
    } catch (error) {
      release();
      throw error;
    }
    this.#io.whenOver(release);
    return feed;
  }

  /** Whether it is known to be the primary key, by its name. */
  #isPrimaryKey(read: IndexRead): boolean {
    return this.#indexes.get(keyOf(read))?.primaryKey === read.index;
  }

  #start(recognized: RecognizedLive): Feed {
    const { live } = recognized;
    const context = outsideContext(live.globalOptargs, timeOf(this.#settings.now()), this.#settings.evaluation);
    const options = readFeedOptions(live.changes, context);
    if (!runsOnDocuments(live.after)) return this.#allUpstream(recognized, context, options);
    try {
      return this.#planned(recognized, context, options);
    } catch (error) {
      // Something that only the server can evaluate.
      const unknown = error instanceof ReqlError && error.responseType === ResponseType.COMPILE_ERROR;
      if (unknown) return this.#allUpstream(recognized, context, options);
      throw error;
    }
  }

  #planned({ live, fresh }: RecognizedLive, context: EvalContext, options: FeedOptions): Feed {
    const { protocol } = this.#query;
    const after = live.after.length === 0 ? undefined : new AfterChanges(live.after, context, options.includeTypes);
    const planned = choosePlan(live, upstreamOptions(live, options), fresh, this.#settings.plan);
    this.#io.opened(planned.plan);
    const share = new Share(
      {
        openSource: this.#sourceOf(planned, live, context),
        origin: live.changes.origin,
        over: () => {},
      },
      this.#io,
    );
    return share.subscribe({ io: this.#io, protocol, options, note: noteOf(live), after, origin: live.changes.origin });
  }

  #sourceOf(planned: Planned, live: Live, context: EvalContext): ShareSettings['openSource'] {
    const query = withOwnBatches(planned.query, context);
    if (planned.plan === 'server') {
      const { watched } = planned;
      return (port, sink, memory) => new ServerPlanSource(port, sink, { live, watched, query, memory });
    }
    const { feed } = planned;
    const { limits } = this.#settings;
    const { protocol } = this.#query;
    return (port, sink, memory) =>
      new ProxyPlanSource(port, sink, { live, query, readies: feed.readies, context, limits, protocol, memory });
  }

  /** The server plan with the terms after `changes` inside RethinkDB too: documents pass as they come. */
  #allUpstream({ live, fresh }: RecognizedLive, context: EvalContext, options: FeedOptions): Feed {
    const { plan, query } = choosePlan(live, options, fresh, 'server');
    if (plan === 'proxy')
      throw refusal(live.after[0] ?? live.changes, 'only the server could run it, and a fold cannot');
    const after = foldedBeside(live, (changes) => readFeedOptions(changes, context));
    const term = replaceChanges(after, query.term);
    const note = after.some(({ type }) => unitesFeeds(type)) ? ResponseNote.SEQUENCE_FEED : noteOf(live);
    const translate = translation(live, options, note, term);
    this.#io.opened('server');
    return new PassFeed(this.#io, serializeQuery(withOwnBatches({ ...query, term }, context)), translate);
  }
}

/** The secondary indexes that a live query and those beside it read. */
function indexesOf({ changes, beside, globalOptargs }: Live): readonly IndexRead[] {
  const [watched] = changes.args;
  const own = watched === undefined ? [] : indexesRead(watched, globalOptargs);
  return [...own, ...[...beside.values()].flatMap(({ live }) => indexesOf(live))];
}

function keyOf({ table, index }: IndexQuestion): string {
  return JSON.stringify([serializeTerm(table), index ?? null]);
}

/** The text of a query; `undefined` where it is none, and the server says so. */
function decode(body: Buffer): string | undefined {
  const text = utf8Text(body);
  return text === undefined || isUtf8(body) ? text : escapedSurrogates(text);
}

function timeOf(ms: number): DatumObject {
  return { $reql_type$: 'TIME', epoch_time: ms / 1000, timezone: '+00:00' };
}

function noteOf({ watched }: Live): ResponseNote {
  return subjectOf(watched) === 'value' ? ResponseNote.ATOM_FEED : ResponseNote.SEQUENCE_FEED;
}
