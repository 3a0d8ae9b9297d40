// One feed of one connection: the io that the feed acts through, and the route its responses and the client's queries
// take to it. Upstream it has a token of its own, so that no answer to anything else the client asks, or has asked, under
// the feed's token is ever taken for the feed's.

import { clientError, internalError, ReqlError } from '../rewrite/reql/error.ts';
import { QueryType, ResponseType } from '../rewrite/reql/protocol.ts';
import type { Term } from '../rewrite/term/term.ts';
import { errorFields, type FeedEnd, mistakeFields } from './feed-end.ts';
import type { Feed, FeedIo, FeedPlan } from './feed-port.ts';
import type { Log } from './log.ts';
import { after } from './long-timer.ts';
import type { Holder, Holding } from './memory/holding.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';
import type { QueryText } from './query-text.ts';
import type { Route } from './token-table.ts';
import type { Token } from './wire/frame.ts';
import { isNoreply, queryType } from './wire/query.ts';
import { duplicateToken, errorBody, sequenceBody, tokenNotInCache } from './wire/response.ts';

/** What a feed's route needs of the connection. */
export interface FeedConnection {
  sendToClient(token: Token, response: string | Buffer): void;
  sendToUpstream(token: Token, query: string | Buffer): void;
  ask(query: string | Buffer, answer: (body: Buffer) => void): void;
  /** Gives the route a token upstream. */
  claim(route: Route): Token;
  /** Upstream owes nothing more under a route's token. */
  release(token: Token, route: Route): void;
  /** The feed is over: the client's token is free. */
  over(route: FeedRoute): void;
  readonly log: Log;
  readonly memory: MemoryBudget;
  /** Whether the client does not read what it was sent. */
  readonly isUnread: boolean;
}

/**
 * Queries of a client that may wait for an answer under one token: the server has this many of a connection's in hand
 * (server.cc, connection_loop). Each is answered at the latest when the feed ends, all at once.
 */
const MOST_ASKED = 1024;
const STOP_QUERY = `[${QueryType.STOP}]`;
/** A query is kept for the life of its feed, as terms that take several times its length: eight for many short arguments. */
const TERMS_PER_BYTE = 8;

/** A feed's place in the connection. */
export class FeedRoute implements Route, FeedIo, Holder {
  readonly name: string = 'feed';
  readonly token: Token;
  readonly memory: Holding;
  readonly #query: QueryText;
  readonly #user: string | undefined;
  readonly #connection: FeedConnection;
  readonly #openedAt: number = performance.now();
  /** Calls made while the feed is opening; `undefined` when it has opened. */
  #opening: (() => void)[] | undefined = [];
  #feed: Feed | undefined;
  /** The feed's token upstream, once it has sent something there. */
  #upstreamToken: Token | undefined;
  /** Where the feed is made; `undefined` while the query has not become one. */
  #plan: FeedPlan | undefined;
  /** How the feed ended, as fields of a log line; `undefined` while it is open. */
  #end: Readonly<Record<string, string>> | undefined;
  /** Why the proxy itself ends the feed, once it does. */
  #aborted: string | undefined;
  /** Answers upstream still owes under this token. */
  #owed = 0;
  /** Answers owed to the client under this token; the START is the first. */
  #asked = 1;

  /** `query` and `user` are for the log. */
  constructor(token: Token, query: QueryText, user: string | undefined, connection: FeedConnection) {
    this.token = token;
    this.#query = query;
    this.#user = user;
    this.#connection = connection;
    this.memory = connection.memory.open(this);
    this.memory.addState(0, TERMS_PER_BYTE * query.bytes);
  }

  /** Whether the feed itself has said that it is over. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Says in the log that the feed is over, or that the query was refused, and why. */
  logEnd(): void {
    const fields = { token: this.token, user: this.#user, ms: Math.round(this.age) };
    const end = this.#end ?? {};
    if (!('error' in end)) this.log.info({ ...fields, ...end }, 'feed ended');
    else if (this.#plan === undefined) this.log.info({ ...fields, query: this.#query, ...end }, 'feed refused');
    else this.log.warn({ ...fields, query: this.#query, reason: 'it failed', ...end }, 'feed ended');
  }

  /** Whether the client waits for an answer under the token. */
  get isAsked(): boolean {
    return this.#asked > 0;
  }

  /** Milliseconds since the query came. */
  get age(): number {
    return performance.now() - this.#openedAt;
  }

  get log(): Log {
    return this.#connection.log;
  }

  /** Lets the feed, or the refusal where there is none, take effect. */
  open(feed: Feed | undefined): void {
    this.#feed = feed;
    const calls = this.#opening ?? [];
    this.#opening = undefined;
    for (const call of calls) call();
    if (this.isOver) this.#finish();
  }

  parsed(term: Term): void {
    this.#query.parsed(term);
  }

  opened(plan: FeedPlan): void {
    this.#act(() => {
      this.#plan = plan;
      this.log.info({ token: this.token, user: this.#user, plan, query: this.#query }, 'feed opened');
    });
  }

  toClient(response: string | Buffer): void {
    this.#act(() => {
      this.#asked--;
      this.#connection.sendToClient(this.token, response);
    });
  }

  toUpstream(query: string | Buffer): void {
    this.#act(() => {
      this.#owed++;
      this.#upstreamToken ??= this.#connection.claim(this);
      this.#connection.sendToUpstream(this.#upstreamToken, query);
    });
  }

  ask(query: string, answer: (body: Buffer) => void): void {
    this.#act(() => {
      this.#connection.ask(query, (body) => {
        if (!this.isOver) this.#guard(() => answer(body));
      });
    });
  }

  ended(end: FeedEnd): void {
    if (this.isOver) return;
    this.#end = this.#aborted === undefined ? fieldsOf(end, this.#query.showsData) : { reason: this.#aborted };
    if (this.#opening === undefined) this.#finish();
  }

  schedule(ms: number, callback: () => void): () => void {
    return after(ms, () => {
      if (!this.isOver) this.#guard(callback);
    });
  }

  warn(message: string, fields: Readonly<Record<string, string>>, data: Readonly<Record<string, string>>): void {
    const shown = this.#query.showsData ? data : {};
    this.log.warn({ token: this.token, query: this.#query, ...fields, ...shown }, message);
  }

  response(body: Buffer): void {
    this.#owed--;
    if (!this.isOver) this.#guard(() => this.#feed?.response(body));
    else this.#release();
    this.#connection.memory.check();
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

  /** Ends the feed because the memory of the process is short. The client is told with the next thing that it asks. */
  end(error: ReqlError): void {
    this.#fail(error);
    this.memory.close();
  }

  /** Ends the feed towards the client with an error; for the log it has not failed. */
  abort(error: ReqlError, reason: string): void {
    if (this.isOver) return;
    this.#aborted = reason;
    this.#guard(() => this.#feed?.abort(error));
  }

  /** The connection is gone. Nothing the feed does from here on has an effect. */
  close(reason: string): void {
    this.#end ??= { reason };
    this.#closeFeed();
    this.memory.close();
  }

  /** Drops a feed that may not be opened; what it said while opening is not done. */
  discard(feed: Feed): void {
    this.#feed = feed;
    this.#opening = undefined;
    this.close('not opened');
  }

  #closeFeed(): void {
    try {
      this.#feed?.close();
    } catch (error) {
      this.#logMistake(error, 'feed failed while closing');
    }
  }

  /** The feed is over: whatever the client still waits for is answered. */
  #finish(): void {
    const rest = errorBody(clientError(tokenNotInCache(this.token)));
    for (; this.#asked > 0; this.#asked--) this.#connection.sendToClient(this.token, rest);
    this.#connection.over(this);
    this.#release();
    this.memory.close();
  }

  #release(): void {
    if (this.#owed === 0 && this.#upstreamToken !== undefined) this.#connection.release(this.#upstreamToken, this);
  }

  #act(call: () => void): void {
    if (this.isOver) return;
    if (this.#opening === undefined) call();
    else this.#opening.push(call);
  }

  /** A query of the client's under its token. */
  query(body: Buffer): void {
    const type = queryType(body);
    this.#asked++;
    switch (type) {
      case QueryType.CONTINUE:
        if (this.#asked > MOST_ASKED) this.#sayDuplicate();
        else this.#guard(() => this.#feed?.continue());
        break;
      case QueryType.STOP:
        this.#guard(() => this.#feed?.stop());
        break;
      case QueryType.START:
      case QueryType.NOREPLY_WAIT:
        if (isNoreply(body)) this.#asked--;
        else this.#sayDuplicate();
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

  #sayDuplicate(): void {
    this.toClient(errorBody(clientError(duplicateToken(this.token))));
  }

  /** Runs the feed's code. If it throws, the mistake is ours: the client is told, and upstream's feed is stopped. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#logMistake(error, 'feed failed');
      this.#fail(error instanceof ReqlError ? error : internalError(`Livefold failed: ${String(error)}`));
    }
  }

  #logMistake(error: unknown, message: string): void {
    const { showsData } = this.#query;
    this.log.error({ token: this.token, query: this.#query, ...mistakeFields(error, showsData) }, message);
  }

  #fail(error: ReqlError): void {
    if (this.isOver) return;
    const failed = failedFeed(this, error);
    this.#closeFeed();
    if (this.#upstreamToken !== undefined) this.toUpstream(STOP_QUERY);
    this.#feed = failed;
    for (let more = this.#asked; more > 1; more--) this.toClient(errorBody(error));
    if (this.#asked > 0) failed.continue();
  }
}

function fieldsOf(end: FeedEnd, showsData: boolean): Readonly<Record<string, string>> {
  if (end === 'stopped') return { reason: 'the client stopped it' };
  return end === 'complete' ? { reason: 'complete' } : errorFields(end, showsData);
}

/** What a feed is replaced with when it failed while the client was not asking: the next thing asked gets the error. */
function failedFeed(io: FeedIo, error: ReqlError): Feed {
  return {
    response() {},
    continue() {
      io.toClient(errorBody(error));
      io.ended(error);
    },
    stop() {
      io.toClient(sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
      io.ended(error);
    },
    close() {},
    abort() {},
  };
}
