// A client's query that has become a feed: the one count of the answers that the client waits for, and the guard around the feed's
// code. Upstream a feed speaks under tokens of its own (`own-queries.ts`); what others see of it is its `feed-record.ts`.

import { clientError, type ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import type { LogFields } from '../log.ts';
import { after } from '../long-timer.ts';
import type { FeedEnding, HealingReport, ObservedShare } from '../observer/observer.ts';
import type { Party } from '../observer/outcomes.ts';
import type { Token } from '../wire/frame.ts';
import { isNoreply, queryType } from '../wire/query.ts';
import { duplicateToken, errorBody, tokenNotInCache } from '../wire/response.ts';
import { failedFeed } from './failed-feed.ts';
import { type FeedEnd, failureOf } from './feed-end.ts';
import { openingOf } from './feed-openings.ts';
import type {
  Carried,
  Explain,
  Feed,
  FeedIo,
  FeedMemory,
  FeedPlan,
  FollowedShare,
  ProcessResources,
  UpstreamPort,
  UpstreamQuery,
  UpstreamSink,
} from './feed-port.ts';
import { FeedRecord, type RecordedConnection, type RecordedFeed } from './feed-record.ts';
import { OwnQueries } from './own-queries.ts';
import type { QueryText } from './query-text.ts';
import type { UpstreamConnection } from './upstream-query.ts';

/** The part of its connection that a client's query needs. */
export interface ClientConnection extends UpstreamConnection, RecordedConnection {
  sendToClient(token: Token, response: string | Buffer): void;
  ask(query: string | Buffer, answer: (body: Buffer) => void): void;
  /** What its feeds share upstream. */
  readonly shared: UpstreamPort;
  /** Why the client may not have one more feed; `undefined` where it may. */
  refusal(): ReqlError | undefined;
  /** The feed is over: the client's token is free. */
  over(query: ClientQuery): void;
  /** Whether the client does not read what it was sent. */
  readonly isUnread: boolean;
}

/**
 * Queries of a client that may wait for an answer under one token: the server has this many of a connection's in hand
 * (server.cc, connection_loop). Each is answered at the latest when the feed ends, all at once.
 */
const MOST_ASKED = 1024;

/** A feed's place in the connection. */
export class ClientQuery implements FeedIo, RecordedFeed {
  readonly token: Token;
  readonly #connection: ClientConnection;
  readonly #record: FeedRecord;
  #feed: Feed | undefined;
  /** Queries upstream that are this feed's alone. Most have none, and there are many of those. */
  #upstream: OwnQueries | undefined;
  /** What is called once the feed is over. */
  #whenOver: (() => void)[] | undefined;
  /** Why the proxy itself ends the feed, once it does. */
  #aborted: string | undefined;
  /** Answers owed to the client under this token; the START is the first. */
  #asked = 1;
  #answered = 0;

  /** `query` and `user` are for the log. */
  constructor(token: Token, query: QueryText, user: string | undefined, connection: ClientConnection) {
    this.token = token;
    this.#connection = connection;
    this.#record = new FeedRecord(token, query, user, connection, this);
  }

  /** Whether the feed itself has said that it is over. */
  get isOver(): boolean {
    return this.#record.isOver;
  }

  /** Tells that the feed is over, or that the query was refused, and why. */
  tellEnd(): void {
    this.#record.tellEnd();
  }

  get text(): QueryText {
    return this.#record.text;
  }

  get memory(): FeedMemory {
    return this.#record;
  }

  /** Nothing is kept any more. */
  letGo(): void {
    this.#record.letGo();
  }

  /** Whether the client waits for an answer under the token. */
  get isAsked(): boolean {
    return this.#asked > 0;
  }

  get waitingBytes(): number {
    return this.#feed?.waitingBytes ?? 0;
  }

  /** The query has become this feed. */
  open(feed: Feed): void {
    this.#feed = feed;
  }

  /** A mistake of ours has kept the query from becoming a feed. */
  failToOpen(error: unknown): void {
    this.#record.tellMistake(error, 'feed failed to open');
    this.#fail(failureOf(error));
  }

  sameTextAs(text: QueryText): void {
    this.#record.sameTextAs(text);
  }

  parsed(term: Term): void {
    this.text.parsed(term);
  }

  admit(): ReqlError | undefined {
    return this.#connection.refusal();
  }

  opened(plan: FeedPlan, carried: Carried, why?: string, explain?: Explain): void {
    if (this.isOver) return;
    this.#record.opened(openingOf(plan, carried, why, explain));
  }

  follows(share: FollowedShare): void {
    this.#record.follows(share);
  }

  wrote(documents: number): void {
    this.#record.wrote(documents);
  }

  toClient(response: string | Buffer): void {
    if (this.isOver) return;
    this.#asked--;
    this.#answered++;
    this.#connection.sendToClient(this.token, response);
  }

  query(start: string | Buffer, sink: UpstreamSink): UpstreamQuery {
    this.#upstream ??= new OwnQueries();
    return this.#upstream.begin(this.#connection, start, {
      response: (body) => this.#guard(() => sink.response(body)),
      failed: (error) => this.#guard(() => sink.failed(error)),
      lost: () => {},
    });
  }

  ask(query: string, answer: (body: Buffer) => void): void {
    if (this.isOver) return;
    this.#connection.ask(query, (body) => {
      if (!this.isOver) this.#guard(() => answer(body));
    });
  }

  get shared(): UpstreamPort {
    return this.#connection.shared;
  }

  whenOver(callback: () => void): void {
    if (this.isOver) {
      callback();
      return;
    }
    this.#whenOver ??= [];
    this.#whenOver.push(callback);
  }

  ended(end: FeedEnd): void {
    if (this.isOver) return;
    this.#record.ended(this.#aborted === undefined ? endingOf(end) : { kind: 'aborted', reason: this.#aborted });
    this.#finish();
  }

  schedule(ms: number, callback: () => void): () => void {
    return after(ms, () => {
      if (!this.isOver) this.#guard(callback);
    });
  }

  run(work: () => void): void {
    if (!this.isOver) this.#guard(work);
  }

  mistake(error: unknown): void {
    this.#record.tellMistake(error, 'feed failed');
  }

  healed(share: ObservedShare, report: HealingReport): void {
    this.#record.tellHealed(share, report);
  }

  get process(): ProcessResources {
    return this.#connection;
  }

  warn(message: string, fields: LogFields, data: LogFields): void {
    this.#record.warn(message, fields, data);
  }

  get isUnread(): boolean {
    return this.#connection.isUnread;
  }

  /** The client has read all that it was sent. */
  resume(): void {
    if (!this.isOver) this.#guard(() => this.#feed?.resume?.());
  }

  shrink(): void {
    this.#guard(() => this.#feed?.shrink?.());
  }

  /** Ends the feed: memory is short, or somebody wants it. The client is told with the next thing that it asks. */
  end(error: ReqlError): void {
    this.#fail(error);
  }

  /** Ends the feed towards the client with an error; for the log it has not failed. */
  abort(error: ReqlError, reason: string): void {
    if (this.isOver) return;
    this.#aborted = reason;
    this.#guard(() => this.#feed?.abort(error));
  }

  /** The connection is gone, ended by somebody. Nothing the feed does from here on has an effect. */
  close(reason: string, by: Party | undefined): void {
    this.#record.ended({ kind: 'closed', by, reason });
    this.#closeFeed();
    this.#dropUpstream();
    this.letGo();
  }

  #closeFeed(): void {
    try {
      this.#feed?.close();
    } catch (error) {
      this.#record.tellMistake(error, 'feed failed while closing');
    }
  }

  /** The feed is over: whatever the client still waits for is answered. */
  #finish(): void {
    if (this.#asked > 0) this.#answerRest();
    this.#dropUpstream();
    this.#connection.over(this);
    this.letGo();
  }

  #answerRest(): void {
    // What waited behind an answer to the START finds no query any more, what waited behind a later one finds it ending.
    const text = this.#answered > 1 ? duplicateToken(this.token) : tokenNotInCache(this.token);
    const rest = errorBody(clientError(text));
    for (; this.#asked > 0; this.#asked--) this.#connection.sendToClient(this.token, rest);
  }

  #dropUpstream(): void {
    this.#upstream?.drop();
    this.#callWhenOver();
  }

  #callWhenOver(): void {
    const callbacks = this.#whenOver;
    this.#whenOver = undefined;
    for (const callback of callbacks ?? []) callback();
  }

  /** A query of the client's under its token. */
  asked(body: Buffer): void {
    const type = queryType(body);
    this.#asked++;
    switch (type) {
      case QueryType.CONTINUE:
        if (this.#asked > MOST_ASKED) this.refuseDuplicate();
        else this.#guard(() => this.#feed?.continue());
        break;
      case QueryType.STOP:
        this.#guard(() => this.#feed?.stop());
        break;
      case QueryType.START:
      case QueryType.NOREPLY_WAIT:
        if (isNoreply(body)) this.#asked--;
        else this.refuseDuplicate();
        break;
      case QueryType.SERVER_INFO:
      case undefined:
        // The server answers these whatever its token is in use for. Under another token, the answer cannot be taken for
        // the feed's.
        this.#asked--;
        this.#connection.ask(body, (answer) => this.#connection.sendToClient(this.token, answer));
        break;
    }
  }

  refuseDuplicate(): void {
    this.toClient(errorBody(clientError(duplicateToken(this.token))));
  }

  /** Runs the feed's code. If it throws, the mistake is ours: the client is told, and upstream's feed is stopped. */
  #guard(run: () => void): void {
    try {
      this.#record.time(run);
    } catch (error) {
      this.#record.tellMistake(error, 'feed failed');
      this.#fail(failureOf(error));
    }
  }

  #fail(error: ReqlError): void {
    if (this.isOver) return;
    const failed = failedFeed(this, error);
    this.#closeFeed();
    this.#upstream?.stop();
    this.#callWhenOver();
    this.#feed = failed;
    for (let more = this.#asked; more > 1; more--) this.toClient(errorBody(error));
    if (this.#asked > 0) failed.continue();
  }
}

function endingOf(end: FeedEnd): FeedEnding {
  return end === 'stopped' || end === 'complete' ? { kind: end } : { kind: 'failed', error: end };
}
