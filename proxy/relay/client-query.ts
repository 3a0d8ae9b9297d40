// A client's query that has become a feed: the one count of the answers that the client waits for under its token, and how the feed
// ends towards it. What the feed does is in its guard, `guarded-feed.ts`.

import { clientError, type ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import type { FeedEnding } from '../observer/observer.ts';
import type { Party } from '../observer/outcomes.ts';
import type { Token } from '../wire/frame.ts';
import { isNoreply, queryType } from '../wire/query.ts';
import { duplicateToken, errorBody, tokenNotInCache } from '../wire/response.ts';
import { failedFeed } from './failed-feed.ts';
import type { FeedEnd } from './feed-end.ts';
import type { FeedIo } from './feed-port.ts';
import { type FeedConnection, GuardedFeed } from './guarded-feed.ts';
import type { QueryText } from './query-text.ts';

/** The part of its connection that a client's query needs. */
export interface ClientConnection extends FeedConnection {
  sendToClient(token: Token, response: string | Buffer): void;
  /** The feed is over: the client's token is free. */
  over(query: ClientQuery): void;
}

/**
 * Queries of a client that may wait for an answer under one token: the server has this many of a connection's in hand
 * (server.cc, connection_loop). Each is answered at the latest when the feed ends, all at once.
 */
const MOST_ASKED = 1024;

/** A feed's place in the connection. */
export class ClientQuery extends GuardedFeed<ClientConnection> implements FeedIo {
  readonly token: Token;
  /** Why the proxy itself ends the feed, once it does. */
  #aborted: string | undefined;
  /** Answers owed to the client under this token; the START is the first. */
  #asked = 1;
  #answered = 0;

  constructor(token: Token, query: QueryText, user: string | undefined, connection: ClientConnection) {
    super(token, query, user, connection);
    this.token = token;
  }

  /** Whether the client waits for an answer under the token. */
  get isAsked(): boolean {
    return this.#asked > 0;
  }

  toClient(response: string | Buffer): void {
    if (this.isOver) return;
    this.#asked--;
    this.#answered++;
    this.connection.sendToClient(this.token, response);
  }

  /** A query of the client's under its token. */
  asked(body: Buffer): void {
    const type = queryType(body);
    this.#asked++;
    switch (type) {
      case QueryType.CONTINUE:
        if (this.#asked > MOST_ASKED) this.refuseDuplicate();
        else this.guard(() => this.feed?.continue());
        break;
      case QueryType.STOP:
        this.guard(() => this.feed?.stop());
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
        this.connection.ask(body, (answer) => this.connection.sendToClient(this.token, answer));
        break;
    }
  }

  refuseDuplicate(): void {
    this.toClient(errorBody(clientError(duplicateToken(this.token))));
  }

  ended(end: FeedEnd): void {
    if (this.isOver) return;
    this.record.ended(this.#aborted === undefined ? endingOf(end) : { kind: 'aborted', reason: this.#aborted });
    this.#finish();
  }

  end(error: ReqlError): void {
    if (this.isOver) return;
    const failed = failedFeed(this, error);
    this.replace(failed);
    for (let more = this.#asked; more > 1; more--) this.toClient(errorBody(error));
    if (this.#asked > 0) failed.continue();
  }

  /** Ends the feed towards the client with an error; for the log it has not failed. */
  abort(error: ReqlError, reason: string): void {
    if (this.isOver) return;
    this.#aborted = reason;
    this.guard(() => this.feed?.abort(error));
  }

  /** The connection is gone, ended by somebody. Nothing the feed does from here on has an effect. */
  close(reason: string, by: Party | undefined): void {
    this.record.ended({ kind: 'closed', by, reason });
    this.closeFeed();
    this.leaveUpstream('drop');
    this.letGo();
  }

  /** The feed is over: whatever the client still waits for is answered. */
  #finish(): void {
    if (this.#asked > 0) this.#answerRest();
    this.leaveUpstream('drop');
    this.connection.over(this);
    this.letGo();
  }

  #answerRest(): void {
    // What waited behind an answer to the START finds no query any more, what waited behind a later one finds it ending.
    const text = this.#answered > 1 ? duplicateToken(this.token) : tokenNotInCache(this.token);
    const rest = errorBody(clientError(text));
    for (; this.#asked > 0; this.#asked--) this.connection.sendToClient(this.token, rest);
  }
}

function endingOf(end: FeedEnd): FeedEnding {
  return end === 'stopped' || end === 'complete' ? { kind: end } : { kind: 'failed', error: end };
}
