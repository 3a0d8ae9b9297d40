// Opens feeds: looks at a query, leaves it alone, refuses it, or takes it over by one of the two plans.

import { isUtf8 } from 'node:buffer';
import type { AggregateDefinition } from '../../../rewrite/analyze/define-aggregate.ts';
import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import { replaceChanges } from '../../../rewrite/analyze/find-changes.ts';
import { readFeedOptions, readFoldOptions } from '../../../rewrite/analyze/read-feed-options.ts';
import { foldedBeside, unitesFeeds } from '../../../rewrite/analyze/united.ts';
import type { Live } from '../../../rewrite/live.ts';
import { choosePlan, type Plan, type Planned } from '../../../rewrite/plan/choose-plan.ts';
import { upstreamOptions } from '../../../rewrite/plan/upstream-options.ts';
import { type Knowledge, type Recognized, recognize } from '../../../rewrite/recognize.ts';
import { refusal } from '../../../rewrite/refusal.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { escapedSurrogates, utf8Text } from '../../../rewrite/reql/data/utf8.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { DEFAULT_EVALUATION, type EvaluationLimits } from '../../../rewrite/reql/eval/core/evaluation-limits.ts';
import { outsideContext } from '../../../rewrite/reql/eval/core/outside-context.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import { Meter } from '../../../rewrite/reql/meter.ts';
import { ResponseNote, ResponseType } from '../../../rewrite/reql/protocol.ts';
import { FactsWalk } from '../../../rewrite/reql/term/facts.ts';
import { QueryReader } from '../../../rewrite/reql/term/query-reader.ts';
import { serializeQuery, serializeTerm } from '../../../rewrite/reql/term/serialize.ts';
import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import { containsTerm } from '../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { explainedRewriting, tooMuchToRewrite } from '../../../rewrite/rewriting-steps.ts';
import { type Sharing, sharingOf } from '../../../rewrite/sharing.ts';
import { type IndexRead, indexesRead } from '../../../rewrite/sources/indexes-read.ts';
import type { IndexFields, IndexQuestion, KnownIndexes } from '../../../rewrite/sources/known-index.ts';
import { subjectOf } from '../../../rewrite/subject.ts';
import type { Feed, FeedIo, FeedQuery, OpenFeed, UpstreamPort } from '../../relay/feed-port.ts';
import { errorBody } from '../../wire/response.ts';
import type { ClientWork } from '../../work/schedule.ts';
import type { Job, Turn } from '../../work/turn.ts';
import { workClock } from '../../work/work-clock.ts';
import { HEAL_MS } from '../healing/heal-ms.ts';
import { IndexWatches } from '../index-watch/index-watches.ts';
import type { StateLimits } from '../operator/gauge.ts';
import type { ShareSettings } from '../share.ts';
import { SharedFeeds } from '../sharing/shared-feeds.ts';
import { identityQuery } from '../sharing/table-identity.ts';
import { withOwnBatches } from '../source/own-batches.ts';
import { ProxyPlanSource } from '../source/proxy-plan-source.ts';
import { ServerPlanSource } from '../source/server-plan-source.ts';
import { AfterChanges, runsOnDocuments } from '../subscription/after.ts';
import { documentView } from '../subscription/document-view.ts';
import { AskingFeed } from './asking-feed.ts';
import { indexQuery, missingIndex, readIndexAnswer } from './index-status.ts';
import { PassFeed } from './pass-feed.ts';
import { PrimaryKeys, rowsNamed, tableToAsk } from './rows-named.ts';
import { tooOld } from './server-version.ts';
import { translation } from './translation.ts';

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
  /** Whether equal queries of a user are carried by one feed upstream; they are if absent. */
  readonly share?: boolean | undefined;
  /** Milliseconds for which what RethinkDB ends or spoils is read again; 0: not at all; a minute if absent. */
  readonly healMs?: number | undefined;
  /** Milliseconds for which a feed upstream goes on when nobody follows it any more; 0 if absent. */
  readonly lingerMs?: number | undefined;
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
  const evaluation = { ...(settings.evaluation ?? DEFAULT_EVALUATION), clock: workClock() };
  const timed = { ...settings, evaluation };
  const shared = new SharedFeeds({ lingerMs: settings.lingerMs ?? 0, healMs: settings.healMs ?? HEAL_MS });
  return (query, io) =>
    new Opening(timed, query, {
      io,
      shared,
      work: io.process.work.open(io.shared),
      watches: () => watchesOf(io, query),
    }).open();
}

/** How long an index that feeds read may be gone before they end, in milliseconds. */
const CHECK_INDEXES_MS = 5_000;

/** Values that are read, and terms that are looked at, before the clock is. */
const AT_ONCE = 256;

/** How feeds are opened, where all is said. */
type TimedSettings = OpenFeedSettings & { readonly evaluation: EvaluationLimits };

/** What the connection gives to the opening of a query. */
interface Surroundings {
  /** The shares of the process. */
  readonly shared: SharedFeeds;
  readonly io: FeedIo;
  /** The openings of the client, which take turns with those of others. */
  readonly work: ClientWork;
  readonly watches: () => IndexWatches;
}

/** What became of a query. */
interface Opened {
  readonly feed: Feed | 'native' | undefined;
}

/** One query on its way to become a feed: a job, so that one that is long, or one of many, holds nobody up. */
class Opening {
  readonly #settings: TimedSettings;
  readonly #query: FeedQuery;
  readonly #io: FeedIo;
  readonly #shared: SharedFeeds;
  readonly #watches: () => IndexWatches;
  readonly #indexes = new Map<string, IndexFields | null>();
  readonly #primaryKeys = new PrimaryKeys();
  readonly #work: ClientWork;
  readonly #job: Job = { work: (turn) => this.#goOn(turn) };
  /** When the query came. */
  readonly #now: DatumObject;
  readonly #reader: QueryReader | undefined;
  /** The query, once it has been read. */
  #parsed: StartQuery | undefined;
  #facts: FactsWalk | undefined;
  /** Whether all is known of its terms. What follows is counted in steps, and done in two pieces. */
  #isKnown = false;
  /** What is to become of it. */
  #recognized: Recognized | undefined;
  #opened: Opened | undefined;
  /** Stands for the feed where it is not there at once. */
  #later: AskingFeed | undefined;

  constructor(settings: TimedSettings, query: FeedQuery, { io, shared, work, watches }: Surroundings) {
    this.#shared = shared;
    this.#watches = watches;
    this.#work = work;
    this.#settings = settings;
    this.#query = query;
    this.#io = io;
    this.#now = timeOf(settings.now());
    const text = decode(query.body);
    this.#reader = text === undefined ? undefined : new QueryReader(text);
  }

  open(): Feed | 'native' | undefined {
    if (this.#reader === undefined) return undefined;
    this.#work.do(this.#job);
    if (this.#opened !== undefined) return this.#opened.feed;
    const refused = this.#io.admit();
    if (refused !== undefined) return this.#refuse(refused);
    this.#later ??= new AskingFeed(this.#io);
    return this.#later;
  }

  /** One turn; says whether there is nothing more to do for now. */
  #goOn(turn: Turn): boolean {
    let isDone = true;
    if (this.#later?.isOver !== true) {
      this.#io.run(() => {
        isDone = this.#open(turn);
      });
    }
    // At once, whoever brought the query sees to it.
    if (this.#later !== undefined) this.#io.process.memory.check();
    return isDone;
  }

  /** Goes on until the query has become something, or waits for an answer; false where the turn is over before. */
  #open(turn: Turn): boolean {
    const parsed = this.#read(turn);
    if (parsed === undefined) return this.#opened !== undefined;
    this.#facts ??= new FactsWalk([parsed.term, ...parsed.globalOptargs.map(([, optarg]) => optarg)]);
    while (!this.#isKnown) {
      this.#isKnown = this.#facts.go(AT_ONCE);
      // What took turns to be read is long: taking it apart takes another, and so does writing it anew.
      if (this.#isKnown ? this.#later !== undefined : turn.isOver()) return false;
    }
    const isNew = this.#recognized === undefined;
    this.#recognized ??= this.#recognize(parsed);
    if (isNew && this.#later !== undefined) return false;
    const recognized = this.#recognized;
    // Where the server has to be asked, the answer may say something else.
    this.#recognized = undefined;
    this.#takeUp(parsed, recognized);
    return true;
  }

  /** The query; `undefined` while it has not been read, and where it is none that could be a feed. */
  #read(turn: Turn): StartQuery | undefined {
    while (this.#parsed === undefined) {
      const read = this.#reader?.read(AT_ONCE) ?? { kind: 'other' };
      if (read.kind === 'other') {
        this.#become(undefined);
        return undefined;
      }
      if (read.kind === 'query') {
        this.#parsed = read.query;
        this.#io.parsed(read.query.term);
      } else if (turn.isOver()) {
        return undefined;
      }
    }
    return this.#parsed;
  }

  #recognize(parsed: StartQuery): Recognized {
    const meter = new Meter(this.#settings.evaluation.maxSteps, tooMuchToRewrite);
    return recognize(parsed, { ...this.#knowledge, meter });
  }

  #takeUp(parsed: StartQuery, recognized: Recognized): void {
    if (recognized.kind === 'untouched') {
      this.#become(containsTerm(parsed.term, TermType.CHANGES) ? 'native' : undefined);
      return;
    }
    const refused = recognized.kind === 'refused' || this.#later !== undefined ? undefined : this.#io.admit();
    if (refused !== undefined) this.#become(this.#refuse(refused));
    else if (recognized.kind === 'asks') this.#ask(parsed, recognized);
    else this.#name(parsed, recognized);
  }

  /** This is what the query has become. What is the server's own takes the way of a feed where it could not pass at once. */
  #become(feed: Feed | 'native' | undefined): void {
    this.#opened = { feed };
    if (this.#later === undefined) return;
    const isOurs = feed !== 'native' && (feed !== undefined || this.#isRefused);
    this.#later.become(isOurs ? feed : this.#native());
  }

  get #knowledge(): Knowledge {
    return { indexes: this.#known, asks: true, aggregates: this.#settings.aggregates };
  }

  readonly #known: KnownIndexes = ({ table, index }) => this.#indexes.get(keyOf({ table, index }));

  #ask(parsed: StartQuery, { question, needed }: Asks): void {
    this.#later ??= new AskingFeed(this.#io);
    this.#io.ask(indexQuery(question, parsed.globalOptargs), (body) => {
      const fields = readIndexAnswer(body, question);
      const missing = missingIndex(body);
      if (needed && missing !== undefined) {
        this.#become(this.#refuse(missing));
        return;
      }
      if (needed && fields === undefined) {
        this.#become('native');
        return;
      }
      // Where there is no such index the server says so when the feed is opened.
      this.#indexes.set(keyOf(question), fields ?? null);
      this.#work.do(this.#job);
    });
  }

  /** Goes on when it is known what names the rows of the documents. */
  #name(parsed: StartQuery, recognized: Extract<Recognized, { readonly kind: 'refused' | 'live' }>): void {
    const table = recognized.kind === 'live' ? tableToAsk(recognized.live, this.#primaryKeys) : undefined;
    if (table === undefined) {
      this.#become(this.#begin(parsed, recognized));
      return;
    }
    this.#later ??= new AskingFeed(this.#io);
    const question: IndexQuestion = { table, index: undefined };
    this.#io.ask(indexQuery(question, parsed.globalOptargs), (body) => {
      // Where there is no such table the server says so when the feed is opened.
      this.#primaryKeys.set(table, readIndexAnswer(body, question)?.primaryKey);
      this.#work.do(this.#job);
    });
  }

  #native(): Feed {
    this.#io.opened('native', 'alone');
    return new PassFeed(this.#io, this.#query.body);
  }

  #begin(
    { term }: StartQuery,
    recognized: Extract<Recognized, { readonly kind: 'refused' | 'live' }>,
  ): Feed | undefined {
    if (recognized.kind === 'refused') return this.#refuse(recognized.error);
    const old = tooOld(this.#query.serverVersion, recognized.live.changes.origin);
    if (old !== undefined) return this.#refuse(old);
    try {
      return this.#watched(recognized);
    } catch (error) {
      const explained = explainedRewriting(error, term);
      if (explained instanceof ReqlError) return this.#refuse(explained);
      throw explained;
    }
  }

  #isRefused = false;

  #refuse(error: ReqlError): undefined {
    this.#isRefused = true;
    this.#io.toClient(errorBody(error));
    this.#io.ended(error);
  }

  /** The feed, which ends when an index that it reads is no more what it was. */
  #watched(recognized: RecognizedLive): Feed {
    let feed: Feed | undefined;
    const { globalOptargs } = recognized.live;
    // What is called back knows nothing of the query's terms, which are not kept.
    const lost = (error: ReqlError): void => feed?.abort(error);
    const releases: (() => void)[] = [];
    for (const read of indexesOf(recognized.live)) {
      if (!this.#isPrimaryKey(read)) releases.push(this.#watches().watch(read, globalOptargs, lost));
    }
    try {
      feed = this.#start(recognized);
    } catch (error) {
      for (const release of releases) release();
      throw error;
    }
    for (const release of releases) this.#io.whenOver(release);
    return feed;
  }

  /** Whether it is known to be the primary key, by its name. */
  #isPrimaryKey(read: IndexRead): boolean {
    return this.#indexes.get(keyOf(read))?.primaryKey === read.index;
  }

  #start(recognized: RecognizedLive): Feed {
    const { live } = recognized;
    const context = outsideContext(live.globalOptargs, this.#now, this.#settings.evaluation);
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
    const view = documentView(options, rowsNamed(live, this.#primaryKeys));
    const after = live.after.length === 0 ? undefined : new AfterChanges(live.after, context, view);
    return this.#shared.open({
      sharing: this.#sharing(live, options),
      identity: identityQuery(live),
      subscription: { io: this.#io, protocol, options, view, note: noteOf(live), after, origin: live.changes.origin },
      plan: () => {
        const planned = choosePlan(live, upstreamOptions(live, options), fresh, this.#settings.plan);
        return { plan: planned.plan, share: { openSource: this.#sourceOf(planned, live, context) } };
      },
    });
  }

  /** Whether the query is carried together with equal ones of its user, under which key. */
  #sharing(live: Live, options: FeedOptions): Sharing {
    const { user, protocol } = this.#query;
    if (this.#settings.share === false) return { why: 'nothing is, under --no-share' };
    // There, queries are answered one after the other: what others wait for would hold up the client's own.
    if (protocol === 'V0_3') return { why: 'the client speaks V0_3' };
    const sharing = sharingOf(live, options);
    return 'why' in sharing ? sharing : { key: JSON.stringify([user ?? null, [...this.#indexes], sharing.key]) };
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
    const { plan, query } = choosePlan(live, readFoldOptions(live.changes, context), fresh, 'server');
    if (plan === 'proxy')
      throw refusal(live.after[0] ?? live.changes, 'only the server could run it, and a fold cannot');
    const after = foldedBeside(live, (changes) => readFoldOptions(changes, context));
    const term = replaceChanges(after, query.term);
    const note = after.some(({ type }) => unitesFeeds(type)) ? ResponseNote.SEQUENCE_FEED : noteOf(live);
    const translate = translation(live, options, note, term);
    this.#io.opened('server', 'alone', 'RethinkDB runs the terms after `changes`');
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
