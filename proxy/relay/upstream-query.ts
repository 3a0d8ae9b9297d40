// A query of the proxy's own upstream, under a token of its own, so that no answer to anything that the client asks, or
// has asked, is ever taken for one to this. It owes its token until upstream owes it nothing more.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import type { Token } from '../wire/frame.ts';
import type { UpstreamQuery, UpstreamSink } from './feed-port.ts';
import type { Route } from './token-table.ts';

/** The part of its connection that a query upstream needs. */
export interface UpstreamConnection {
  sendToUpstream(token: Token, query: string | Buffer): void;
  /** Gives the route a token upstream. */
  claim(route: Route): Token;
  /** Upstream owes nothing more under a route's token. */
  release(token: Token, route: Route): void;
}

const CONTINUE_QUERY = `[${QueryType.CONTINUE}]`;
const STOP_QUERY = `[${QueryType.STOP}]`;

/** A query, from its START to the last answer that upstream owes. */
export class OwnQuery implements UpstreamQuery, Route {
  readonly #connection: UpstreamConnection;
  readonly #token: Token;
  /** Who takes the answers; `undefined` once they are nobody's. */
  #sink: UpstreamSink | undefined;
  /** Answers upstream still owes. */
  #owed = 0;

  readonly #dropped: () => void;

  /** Sends the START. `dropped` is called when the answers are nobody's any more. */
  constructor(connection: UpstreamConnection, start: string | Buffer, sink: UpstreamSink, dropped: () => void) {
    this.#connection = connection;
    this.#sink = sink;
    this.#dropped = dropped;
    this.#token = connection.claim(this);
    this.#send(start);
  }

  more(): void {
    if (this.#sink !== undefined) this.#send(CONTINUE_QUERY);
  }

  stop(): void {
    if (this.#sink !== undefined) this.#send(STOP_QUERY);
  }

  drop(): void {
    if (this.#sink === undefined) return;
    this.#sink = undefined;
    this.#dropped();
    this.#releaseIfDone();
  }

  response(body: Buffer): void {
    this.#owed--;
    if (this.#sink !== undefined) this.#sink.response(body);
    else this.#releaseIfDone();
  }

  fail(error: ReqlError): void {
    this.#sink?.failed(error);
  }

  /** The connection is gone, or about to go. */
  lost(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    sink?.lost();
  }

  #send(query: string | Buffer): void {
    this.#owed++;
    this.#connection.sendToUpstream(this.#token, query);
  }

  #releaseIfDone(): void {
    if (this.#owed === 0) this.#connection.release(this.#token, this);
  }
}
