// Opens feeds: looks at a query, leaves it alone, refuses it, or takes it over by one of the two plans.

import { isUtf8 } from 'node:buffer';
import type { AggregateDefinition } from '../../../rewrite/analyze/define-aggregate.ts';
import type { FeedOptions } from '../../../rewrite/analyze/feed-options.ts';
import { replaceChanges } from '../../../rewrite/analyze/find-changes.ts';
import { readFeedOptions, readFoldOptions } from '../../../rewrite/analyze/read-feed-options.ts';
import { foldedBeside, unitesFeeds } from '../../../rewrite/analyze/united.ts';
import type { Live, Source } from '../../../rewrite/live.ts';
import { choosePlan, type Plan, type Planned } from '../../../rewrite/plan/choose-plan.ts';
import { readOneTable } from '../../../rewrite/plan/settling.ts';
import { upstreamOptions, upstreamQueueSize } from '../../../rewrite/plan/upstream-options.ts';
import { type Knowledge, type Recognized, recognize, recognizeAt } from '../../../rewrite/recognize.ts';
import { refusal } from '../../../rewrite/refusal.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { escapedSurrogates, utf8Text } from '../../../rewrite/reql/data/utf8.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { DEFAULT_EVALUATION, type EvaluationLimits } from '../../../rewrite/reql/eval/core/evaluation-limits.ts';
import { outsideContext } from '../../../rewrite/reql/eval/core/outside-context.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import { Meter } from '../../../rewrite/reql/meter.ts';
import { ResponseNote, ResponseType } from '../../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../../rewrite/reql/term/serialize.ts';
import type { Entry, StartQuery, Term } from '../../../rewrite/reql/term/term.ts';
import type { FreshVars } from '../../../rewrite/reql/term/vars.ts';
import { containsTerm } from '../../../rewrite/reql/term/walk.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { explainedRewriting, tooMuchToRewrite } from '../../../rewrite/rewriting-steps.ts';
import { type Sharing, sharingOf } from '../../../rewrite/sharing.ts';
import { type IndexRead, indexesRead } from '../../../rewrite/sources/indexes-read.ts';
import type { IndexQuestion, KnownIndexes } from '../../../rewrite/sources/known-index.ts';
import { subjectOf } from '../../../rewrite/subject.ts';
import type { Feed, FeedIo, FeedQuery, OpenFeed, UpstreamPort } from '../../relay/feed-port.ts';
import { errorBody } from '../../wire/response.ts';
import type { ClientWork } from '../../work/schedule.ts';
import type { Job, Turn } from '../../work/turn.ts';
import { workClock } from '../../work/work-clock.ts';
import { HEAL_MS } from '../healing/heal-ms.ts';
import { type IndexLost, IndexWatches } from '../index-watch/index-watches.ts';
import { keyToAsk, openMerged } from '../native/open-merged.ts';
import type { StateLimits } from '../operator/gauge.ts';
import { HISTORY_DOCUMENTS } from '../revisions/history.ts';
import { revisionsOf } from '../revisions/revisions-of.ts';
import type { ShareSettings } from '../share.ts';
import { SharedFeeds } from '../sharing/shared-feeds.ts';
import { identityQuery } from '../sharing/table-identity.ts';
import { ConstantSource } from '../source/constant-source.ts';
import type { OpenSource } from '../source/feed-source.ts';
import { type FollowingSettings, FollowingSource } from '../source/following-source.ts';
import { withOwnBatches } from '../source/own-batches.ts';
import { ProxyPlanSource } from '../source/proxy-plan-source.ts';
import { ServerPlanSource } from '../source/server-plan-source.ts';
import { AfterChanges, runsOnDocuments } from '../subscription/after.ts';
import { documentView } from '../subscription/document-view.ts';
import { AskingFeed } from './asking-feed.ts';
import { constantState } from './constant-state.ts';
import { IndexAnswers } from './index-answers.ts';
import { indexQuery, missingIndex, readIndexAnswer } from './index-status.ts';
import { PassFeed } from './pass-feed.ts';
import { Reading } from './reading.ts';
import { type ReplannedQuery, Replanning } from './replanning.ts';
import { PrimaryKeys, rowsNamed, tableToAsk } from './rows-named.ts';

import { tooOld } from './server-version.ts';
import { translation } from './translation.ts';

type RecognizedLive = Extract<Recognized, { readonly kind: 'live' }>;
type Asks = Extract<Recognized, { readonly kind: 'asks' }>;
/** What becomes a feed, or is refused. */
type Becoming = Extract<Recognized, { readonly kind: 'refused' | 'merged' | 'live' }>;

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
  /** Changes that a share keeps for clients that take up their feeds; `HISTORY_DOCUMENTS` if absent. */
  readonly historyDocuments?: number | undefined;
  /** Milliseconds for which a feed upstream goes on when nobody follows it any more; 0 if absent. */
  readonly lingerMs?: number | undefined;
  /** Changes that RethinkDB keeps for a feed while they are not fetched; what clients ask for beyond its default if absent. */
  readonly upstreamQueueSize?: number | undefined;
  /** Milliseconds from one look at the indexes that a client's feeds read to the next; `CHECK_INDEXES_MS` if absent. */
  readonly checkIndexesEvery?: number | undefined;
  /** Milliseconds since 1970. `r.now()` in what the proxy evaluates is the time when the query came. */
  readonly now: () => number;
}

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
  const timed = { ...settings, evaluation };
  const shared = new SharedFeeds({
    lingerMs: settings.lingerMs ?? 0,
    healMs: settings.healMs ?? HEAL_MS,
    historyDocuments: settings.historyDocuments ?? HISTORY_DOCUMENTS,
  });
  return (query, io) =>
    new Opening(timed, query, {
      io,
      shared,
      work: io.process.work.open(io.shared),
      watches: (port) => watchesOf(port, query),
    }).open();
}

/** How long an index that feeds read may be gone before they end, in milliseconds. */
const CHECK_INDEXES_MS = 5_000;

/** How feeds are opened, where all is said. */
type TimedSettings = OpenFeedSettings & { readonly evaluation: EvaluationLimits };

/** What the connection gives to the opening of a query. */
interface Surroundings {
  /** The shares of the process. */
  readonly shared: SharedFeeds;
  readonly io: FeedIo;
  /** The openings of the client, which take turns with those of others. */
  readonly work: ClientWork;
  readonly watches: (port: UpstreamPort) => IndexWatches;
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
  readonly #watches: Surroundings['watches'];
  readonly #indexes = new IndexAnswers();
  readonly #primaryKeys = new PrimaryKeys();
  readonly #work: ClientWork;
  readonly #job: Job = { work: (turn) => this.#goOn(turn) };
  /** When the query came. */
  readonly #now: DatumObject;
  /** The query as it came; `undefined` where it is no text. */
  readonly #text: string | undefined;
  readonly #reading: Reading | undefined;
  #isParsed = false;
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
    this.#text = decode(query.body);
    this.#reading = this.#text === undefined ? undefined : new Reading(this.#text);
  }

  open(): Feed | 'native' | undefined {
    if (this.#reading === undefined) return undefined;
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
    const parsed = this.#reading?.go(turn);
    if (parsed === undefined) return false;
    if (parsed === 'other') {
      this.#become(undefined);
      return true;
    }
    if (!this.#isParsed) {
      this.#isParsed = true;
      this.#io.parsed(parsed.term);
      // What took turns to be read is long: taking it apart takes another, and so does writing it anew.
      if (this.#later !== undefined) return false;
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

  #recognize(parsed: StartQuery): Recognized {
    return recognize(parsed, { ...knowledgeOf(this.#settings), indexes: this.#indexes.known, asks: true });
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
      this.#indexes.set(question, fields);
      this.#work.do(this.#job);
    });
  }

  /** Goes on when it is known what names the rows of the documents. */
  #name(parsed: StartQuery, recognized: Becoming): void {
    const table = this.#tableToAsk(recognized);
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

  #tableToAsk(recognized: Becoming): Term | undefined {
    if (recognized.kind === 'merged') return keyToAsk(recognized.feed, this.#primaryKeys);
    return recognized.kind === 'live' ? tableToAsk(recognized.live, this.#primaryKeys) : undefined;
  }

  #native(): Feed {
    this.#io.opened('native', 'alone');
    return new PassFeed(this.#io, this.#query.body);
  }

  #begin({ term }: StartQuery, recognized: Becoming): Feed | undefined {
    if (recognized.kind === 'refused') return this.#refuse(recognized.error);
    const { changes } = recognized.kind === 'live' ? recognized.live : recognized.feed;
    const old = tooOld(this.#query.serverVersion, changes.origin);
    if (old !== undefined) return this.#refuse(old);
    try {
      return recognized.kind === 'live' ? this.#start(recognized) : this.#merged(recognized);
    } catch (error) {
      const explained = explainedRewriting(error, term);
      if (explained instanceof ReqlError) return this.#refuse(explained);
      throw explained;
    }
  }

  #merged({ feed, fresh }: Extract<Recognized, { readonly kind: 'merged' }>): Feed {
    const { protocol } = this.#query;
    const context = outsideContext(feed.globalOptargs, this.#now, this.#settings.evaluation);
    return openMerged(feed, { io: this.#io, protocol, context, fresh, keys: this.#primaryKeys });
  }

  #isRefused = false;

  #refuse(error: ReqlError): undefined {
    this.#isRefused = true;
    this.#io.toClient(errorBody(error));
    this.#io.ended(error);
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
    const revisions = revisionsOf(live, options, this.#query.user);
    const view = documentView(options, rowsNamed(live, this.#primaryKeys), revisions.writer);
    const after = live.after.length === 0 ? undefined : new AfterChanges(live.after, context, view);
    return this.#shared.open({
      sharing: this.#sharing(live, options),
      identity: identityQuery({ sources: sourcesOf(live), globalOptargs: live.globalOptargs }),
      subscription: {
        io: this.#io,
        protocol,
        options,
        view,
        revisions,
        note: noteOf(live),
        after,
        origin: live.changes.origin,
      },
      plan: () => {
        const planning = { ...this.#settings, protocol, options, context, indexes: this.#indexes.known };
        const { plan, openSource } = planOf(planning, live, fresh);
        return { plan, share: { openSource, ...this.#onIndexes(live, planning) } };
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
    return 'why' in sharing ? sharing : { key: JSON.stringify([user ?? null, this.#indexes.all, sharing.key]) };
  }

  /** How a query that reads secondary indexes is watched over, and planned anew when one of them is another. */
  #onIndexes(live: Live, planning: Planning): Pick<ShareSettings, 'watch' | 'replan'> {
    const reads = this.#secondary(live);
    const text = this.#text;
    if (reads.length === 0 || text === undefined) return {};
    const watches = this.#watches;
    const { globalOptargs } = live;
    const replanned: ReplannedQuery = {
      text,
      knowledge: () => knowledgeOf(planning),
      plan: (now, fresh, indexes) => planOf({ ...planning, indexes }, now, fresh).openSource,
    };
    return {
      watch: (port, lost) => watchAll(watches(port), reads, globalOptargs, lost),
      replan: (port, then) => new Replanning(replanned, port, then).begin(),
    };
  }

  #secondary(live: Live): readonly IndexRead[] {
    return indexesOf(live).filter((read) => !this.#indexes.isPrimaryKey(read));
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
    return this.#watched(live, () => {
      const start = serializeQuery(withOwnBatches({ ...query, term }, context));
      return new PassFeed(this.#io, start, translate);
    });
  }

  /** A feed that ends when an index that it reads is no more what it was. */
  #watched(live: Live, open: () => Feed): Feed {
    const watched: { feed?: Feed } = {};
    // What is called back knows nothing of the query's terms, which are not kept.
    const release = watchAll(this.#watches(this.#io.shared), this.#secondary(live), live.globalOptargs, (error) =>
      watched.feed?.abort(error),
    );
    this.#io.whenOver(release);
    watched.feed = open();
    return watched.feed;
  }
}

/** What a live query is planned with, beside itself. */
interface Planning extends TimedSettings {
  readonly protocol: FeedQuery['protocol'];
  readonly options: FeedOptions;
  readonly context: EvalContext;
  readonly indexes: KnownIndexes;
}

/** Where a live query is folded, and how it is opened. */
interface Plans {
  readonly plan: Planned['plan'];
  readonly openSource: OpenSource;
}

/** Plans a live query. */
function planOf(planning: Planning, live: Live, fresh: FreshVars): Plans {
  const { follows } = live;
  if (follows === undefined) return planWritten(planning, live, fresh);
  const { context, indexes, protocol } = planning;
  const openAt = (followed: Datum): OpenSource => {
    const boxes = Array.isArray(followed) ? followed : [];
    const at = recognizeAt(live, boxes, fresh, { ...knowledgeOf(planning), indexes, asks: true });
    if (at.kind === 'refused') throw at.error;
    if (at.kind === 'live') return planOf(planning, at.live, at.fresh).openSource;
    const state = constantState(subjectOf(live.watched), at.term, context);
    return (port, sink) => new ConstantSource(port, sink, state);
  };
  const settings: FollowingSettings = {
    openFollowed: planOf(planning, follows.of.live, follows.of.fresh).openSource,
    openAt,
    isOneTable: readOneTable(sourcesOf(follows.of.live), live.sources),
    protocol,
    origin: live.changes.origin,
  };
  return {
    plan: 'proxy',
    openSource: (port, sink, memory) => new FollowingSource(port, sink, memory, settings),
  };
}

/** What a live query reads, and what it follows. */
function sourcesOf({ sources, follows }: Live): readonly Source[] {
  return follows === undefined ? sources : [...sources, ...sourcesOf(follows.of.live)];
}

/** Plans a live query whose selections are written out. */
function planWritten(
  { plan, limits, protocol, options, context, upstreamQueueSize: queueSize = upstreamQueueSize(options) }: Planning,
  live: Live,
  fresh: FreshVars,
): Plans {
  const planned = choosePlan(live, upstreamOptions(live, queueSize), fresh, plan);
  const query = withOwnBatches(planned.query, context);
  if (planned.plan === 'server') {
    const { watched } = planned;
    const openSource: OpenSource = (port, sink, memory) =>
      new ServerPlanSource(port, sink, { live, watched, query, memory });
    return { plan: 'server', openSource };
  }
  const { readies } = planned.feed;
  const openSource: OpenSource = (port, sink, memory) =>
    new ProxyPlanSource(port, sink, { live, query, readies, context, limits, protocol, memory });
  return { plan: 'proxy', openSource };
}

/** What is known of any query. */
function knowledgeOf({ aggregates, evaluation }: TimedSettings): Omit<Knowledge, 'indexes' | 'asks'> {
  const meter = new Meter(evaluation.maxSteps, tooMuchToRewrite);
  return { aggregates, meter };
}

/** Watches indexes from now on; returns what ends it. */
function watchAll(
  watches: IndexWatches,
  reads: readonly IndexRead[],
  globalOptargs: readonly Entry[],
  lost: IndexLost,
): () => void {
  const releases = reads.map((read) => watches.watch(read, globalOptargs, lost));
  return () => {
    for (const release of releases) release();
  };
}

/** The secondary indexes that a live query and those beside it read. */
function indexesOf({ changes, beside, globalOptargs }: Live): readonly IndexRead[] {
  const [watched] = changes.args;
  const own = watched === undefined ? [] : indexesRead(watched, globalOptargs);
  return [...own, ...[...beside.values()].flatMap(({ live }) => indexesOf(live))];
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
