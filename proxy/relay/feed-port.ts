// The port where the session and the feeds meet: what the session tells a feed and what a feed may ask of it. The session knows
// bytes, tokens and sockets, a feed knows ReQL; neither knows the other's.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import type { LogFields } from '../log.ts';
import type { Holding } from '../memory/holding.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { HealingReport, ObservedShare, Observer } from '../observer/observer.ts';
import type { Tally } from '../observer/tally.ts';
import type { Schedule } from '../work/schedule.ts';
import type { Stopwatch } from '../work/stopwatch.ts';
import type { FeedEnd } from './feed-end.ts';
import type { QueryText } from './query-text.ts';

/** A START query that may hold CHANGES and is not `noreply`. */
export interface FeedQuery {
  /** The query as the client wrote it: `[1,term]` or `[1,term,optargs]`, not checked in any way. */
  readonly body: Buffer;
  /** What the server called itself in the handshake, e.g. `2.4.4`; older protocols do not say. */
  readonly serverVersion: string | undefined;
  /** The user the client authenticated as; older protocols have none. */
  readonly user: string | undefined;
  readonly protocol: 'V0_3' | 'V0_4' | 'V1_0';
}

/**
 * Where a feed is made: by a fold inside RethinkDB, in the proxy, or, `native`, by RethinkDB alone, which turned out when it
 * had been asked about an index.
 */
export type FeedPlan = 'server' | 'proxy' | 'native';

/**
 * How a feed is carried: by a feed upstream that others may join, by one that others have opened, or by one of its own.
 */
export type Carried = 'shared' | 'joined' | 'alone';

/** How somebody looks at a feed: whether data may be shown, and why the feed is alone, if it is. */
export interface Looked {
  readonly showsData: boolean;
  readonly alone: string | undefined;
}

/** Says what becomes of a query, in lines. Called when somebody asks. */
export type Explain = (looked: Looked) => readonly string[];

/** The taker of upstream's answers to a query of the proxy's own. */
export interface UpstreamSink {
  /** A response of upstream's: one for the START, and one for each `more` and `stop`. */
  response(body: Buffer): void;
  /** A response cannot be kept, since memory is short: the query is of no use any more. */
  failed(error: ReqlError): void;
  /** The connection that carries the query goes: no answer comes any more, and the query is over. */
  lost(): void;
}

/** A query of the proxy's own upstream. Each call but `drop` is answered by one response. After `drop` all of them do nothing. */
export interface UpstreamQuery {
  /** Asks for more (CONTINUE). */
  more(): void;
  /** Ends the query (STOP). */
  stop(): void;
  /** What upstream still answers is nobody's. */
  drop(): void;
}

/** The upstream side of a connection, as feeds use it. */
export interface UpstreamPort {
  /** Sends a START under a token that never meets a client's. */
  query(start: string | Buffer, sink: UpstreamSink): UpstreamQuery;
  /** Sends a query under such a token, and gives its one response. Never called back where the connection goes first. */
  ask(query: string, answer: (body: Buffer) => void): void;
  /** Calls back after so many milliseconds, unless the function returned is called first, or the connection goes. */
  schedule(ms: number, callback: () => void): () => void;
  /** The id of the server, once that is known: it is asked for when somebody wants to know. Absent where nobody does. */
  readonly server?: string | undefined;
}

/** A state that feeds follow: what is worked for one of them counts for it. */
export interface FollowedShare extends ObservedShare {
  readonly spent: Stopwatch;
}

/** The resources that all feeds of a process share. */
export interface ProcessResources {
  /** The memory of all. */
  readonly memory: MemoryBudget;
  /** The work of all, in turns. */
  readonly work: Schedule;
  /** Who is told what happens, and where is counted what is not told one by one. */
  readonly observer: Observer;
  readonly tally: Tally;
}

/**
 * The client's side of a feed, as the feed sees it. After `ended`, and after the feed's `close` was called, all of it does nothing. What it
 * asks upstream ends with it: a query still open is stopped where the feed fails, and what comes late is dropped.
 */
export interface FeedIo extends UpstreamPort {
  /**
   * The upstream side of the client's connection for what outlives this feed; the same object for all feeds of the connection.
   */
  readonly shared: UpstreamPort;
  /** Calls back once the feed is over, in whatever way. */
  whenOver(callback: () => void): void;
  /** The query as logs print it. */
  readonly text: QueryText;
  /** It has the same text as another's, which is printed for both. */
  sameTextAs(text: QueryText): void;
  /** The query as it was parsed: what logs print of it. */
  parsed(term: Term): void;
  /** Asked before the query becomes a feed: the error, if the client may not have one more. */
  admit(): ReqlError | undefined;
  /**
   * The query has become a feed; one that ends before was refused. `why`: why it is alone. `explain` says what becomes of the query;
   * absent where that is said of what it joins, or there is nothing to say. For those who look on.
   */
  opened(plan: FeedPlan, carried: Carried, why?: string, explain?: Explain): void;
  /** The query is this feed from here on, in the place of the one that asked what would become of it. */
  open(feed: Feed): void;
  /** The feed follows this state. */
  follows(share: FollowedShare): void;
  /** So many documents are in what is sent next. */
  wrote(documents: number): void;
  /** What the feed follows has been read again. */
  healed(share: ObservedShare, report: HealingReport): void;
  /** Sends a response under the client's token. Exactly one for each START, CONTINUE and STOP of the client's. */
  toClient(response: string | Buffer): void;
  /** Answers a query that waited behind another one under the client's token, for a feed that is over. */
  refuseDuplicate(): void;
  /**
   * The feed is over, and why; the client's token is free again: later frames under it pass untouched. Answers upstream
   * still owes the feed are dropped as they come.
   */
  ended(end: FeedEnd): void;
  /** Logs a warning with the query. `data` are fields with data of the client's: left out unless logs may show it. */
  warn(message: string, fields: LogFields, data: LogFields): void;
  /** Runs code of the feed's own that somebody else calls: what it throws ends this feed, and nothing else. */
  run(work: () => void): void;
  /** Logs a mistake of ours in what the feed shares with others. */
  mistake(error: unknown): void;
  /** What all feeds of the process have in common. */
  readonly process: ProcessResources;
  /** Where the feed says what it keeps. It is told when that is too much, and ended with an error where it cannot keep less. */
  readonly memory: FeedMemory;
  /** Whether the client does not read what it was sent: answers had better wait. `resume` is called when it has read all. */
  readonly isUnread: boolean;
}

/** The memory that a feed says it takes. */
export type FeedMemory = Pick<Holding, 'addState' | 'setWaiting'>;

/** A feed as the session sees it. What it throws is logged and ends it with an internal error. */
export interface Feed {
  /** Bytes of documents that wait for the client to ask for them; absent where none ever do. */
  readonly waitingBytes?: number;
  /** The client asks for more (CONTINUE). */
  continue(): void;
  /** The client ends the feed (STOP). The feed answers it, and a CONTINUE still out, and calls `ended`. */
  stop(): void;
  /** The connection is gone: let go of everything. */
  close(): void;
  /** The client has read all that it was sent; absent where answers never wait for that. */
  resume?(): void;
  /** Makes what it keeps smaller, where the client loses nothing by it; absent where there is never anything to be made smaller. */
  shrink?(): void;
  /** Ends the feed towards the client with an error, now or with the client's next CONTINUE, and calls `ended`. */
  abort(error: ReqlError): void;
}

/**
 * Looks at a query and takes it over or leaves it alone. `undefined` without a call of `io`: the frame goes upstream
 * untouched. `'native'`: the same, and it is a feed of RethinkDB's own, which never ends by itself. `undefined` after
 * `io.toClient` and `io.ended`: the query is refused.
 */
export type OpenFeed = (query: FeedQuery, io: FeedIo) => Feed | 'native' | undefined;

/** Leaves every query alone: a proxy without rewriting. */
export const noFeeds: OpenFeed = () => undefined;
