// One feed of one connection: the io that the feed acts through, and the route its responses and the client's queries
// take to it. It keeps count of the answers that upstream owes, so that none of them ever reaches the client by mistake.

import { clientError, internalError, ReqlError } from '../rewrite/reql/error.ts';
import { QueryType, ResponseType } from '../rewrite/reql/protocol.ts';
import type { Feed, FeedIo } from './feed-port.ts';
import type { Log } from './log.ts';
import type { QueryText } from './query-text.ts';
import type { Route } from './token-table.ts';
import type { Token } from './wire/frame.ts';
import { isNoreply, queryType } from './wire/query.ts';
import { duplicateToken, errorBody, sequenceBody } from './wire/response.ts';

/** What a feed's route needs of the connection. */
export interface FeedConnection {
  sendToClient(token: Token, response: string | Buffer): void;
  sendToUpstream(token: Token, query: string | Buffer): void;
  ask(query: string | Buffer, answer: (body: Buffer) => void): void;
  clientBacklog(): number;
  onClientDrain(callback: () => void): void;
  /** The route has nothing more to say: the token is free. */
  free(token: Token, route: FeedRoute): void;
  readonly log: Log;
}

const STOP_QUERY = `[${QueryType.STOP}]`;

/** A feed's place in the connection. */
export class FeedRoute implements Route, FeedIo {
  readonly token: Token;
  readonly #query: QueryText;
  readonly #connection: FeedConnection;
  readonly #openedAt: number = performance.now();
  /** Calls made while the feed is opening; `undefined` when it has opened. */
  #opening: (() => void)[] | undefined = [];
  #feed: Feed | undefined;
  #ended = false;
  /** Answers upstream still owes under this token. */
  #owed = 0;
  /** Answers owed to the client under this token; the START is the first. */
  #asked = 1;

  /** `query`: what is logged with a mistake of ours. */
  constructor(token: Token, query: QueryText, connection: FeedConnection) {
    this.token = token;
    this.#query = query;
    this.#connection = connection;
  }

  /** Whether the feed itself has said that it is over. */
  get isOver(): boolean {
    return this.#ended;
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
    if (this.#ended && this.#owed === 0) this.#connection.free(this.token, this);
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
      this.#connection.sendToUpstream(this.token, query);
    });
  }

  ask(query: string, answer: (body: Buffer) => void): void {
    this.#act(() => {
      this.#connection.ask(query, (body) => {
        if (!this.#ended) this.#guard(() => answer(body));
      });
    });
  }

  ended(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#opening === undefined && this.#owed === 0) this.#connection.free(this.token, this);
  }

  clientBacklog(): number {
    return this.#connection.clientBacklog();
  }

  onClientDrain(callback: () => void): void {
    this.#connection.onClientDrain(() => {
      if (!this.#ended) this.#guard(callback);
    });
  }

  schedule(ms: number, callback: () => void): () => void {
    const timer = setTimeout(() => {
      if (!this.#ended) this.#guard(callback);
    }, ms);
    return () => clearTimeout(timer);
  }

  warn(message: string, fields: Readonly<Record<string, string>>, data: Readonly<Record<string, string>>): void {
    const shown = this.#query.showsData ? data : {};
    this.log.warn({ token: this.token, query: this.#query, ...fields, ...shown }, message);
  }

  response(body: Buffer): void {
    this.#owed--;
    if (!this.#ended) this.#guard(() => this.#feed?.response(body));
    else if (this.#owed === 0) this.#connection.free(this.token, this);
  }

  get query(): ((body: Buffer) => void) | undefined {
    return this.#ended ? undefined : (body) => this.#asks(body);
  }

  /** Ends the feed towards the client. */
  abort(error: ReqlError): void {
    if (!this.#ended) this.#guard(() => this.#feed?.abort(error));
  }

  /** The connection is gone. Nothing the feed does from here on has an effect. */
  close(): void {
    this.#ended = true;
    try {
      this.#feed?.close();
    } catch (error) {
      this.log.error({ token: this.token, query: this.#query, err: error }, 'feed failed while closing');
    }
  }

  /** Drops a feed that may not be opened; what it said while opening is not done. */
  discard(feed: Feed): void {
    this.#feed = feed;
    this.#opening = undefined;
    this.close();
  }

  #act(call: () => void): void {
    if (this.#ended) return;
    if (this.#opening === undefined) call();
    else this.#opening.push(call);
  }

  #asks(body: Buffer): void {
    const type = queryType(body);
    this.#asked++;
    switch (type) {
      case QueryType.CONTINUE:
        this.#guard(() => this.#feed?.continue());
        break;
      case QueryType.STOP:
        this.#guard(() => this.#feed?.stop());
        break;
      case QueryType.START:
      case QueryType.NOREPLY_WAIT:
        if (isNoreply(body)) this.#asked--;
        else this.toClient(errorBody(clientError(duplicateToken(this.token))));
        break;
      case QueryType.SERVER_INFO:
      case undefined:
        // The server answers these whatever its token is in use for. Under another token, the answer cannot be taken for
        // the feed's.
        this.#connection.ask(body, (answer) => {
          this.#asked--;
          this.#connection.sendToClient(this.token, answer);
        });
        break;
    }
  }

  /** Runs the feed's code. If it throws, the mistake is ours: the client is told, and upstream's feed is stopped. */
  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.log.error({ token: this.token, query: this.#query, err: error }, 'feed failed');
      this.#fail(error instanceof ReqlError ? error : internalError(`Livefold failed: ${String(error)}`));
    }
  }

  #fail(error: ReqlError): void {
    if (this.#ended) return;
    const failed = failedFeed(this, error);
    this.toUpstream(STOP_QUERY);
    this.#feed = failed;
    for (let more = this.#asked; more > 1; more--) this.toClient(errorBody(error));
    if (this.#asked > 0) failed.continue();
  }
}

/** What a feed is replaced with when it failed while the client was not asking: the next thing asked gets the error. */
function failedFeed(io: FeedIo, error: ReqlError): Feed {
  return {
    response() {},
    continue() {
      io.toClient(errorBody(error));
      io.ended();
    },
    stop() {
      io.toClient(sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
      io.ended();
    },
    close() {},
    abort() {},
  };
}
