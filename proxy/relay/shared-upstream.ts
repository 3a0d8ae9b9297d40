// The upstream that the feeds of one connection share: queries, questions and timers that outlive each of them. A mistake in their
// code is logged, and ends nothing.

import { QueryType } from '../../rewrite/reql/protocol.ts';
import { after } from '../long-timer.ts';
import type { Observer } from '../observer/observer.ts';
import { readServerId } from '../wire/response.ts';
import type { UpstreamPort, UpstreamQuery, UpstreamSink } from './feed-port.ts';
import { OwnQuery, type UpstreamConnection } from './upstream-query.ts';

/** The part of the connection that it needs. */
export interface SharedConnection extends UpstreamConnection {
  ask(query: string | Buffer, answer: (body: Buffer) => void): void;
  /** Its number. */
  readonly connection: number;
  readonly observer: Pick<Observer, 'connectionFailed'>;
}

/** The shared upstream of a connection. */
export class ConnectionUpstream implements UpstreamPort {
  readonly #connection: SharedConnection;
  readonly #queries = new Set<OwnQuery>();
  #isLost = false;
  /** Which server it is, once it has been asked and has answered. */
  #server: string | undefined;
  #isServerAsked = false;

  constructor(connection: SharedConnection) {
    this.#connection = connection;
  }

  get server(): string | undefined {
    if (!this.#isServerAsked && !this.#isLost) {
      this.#isServerAsked = true;
      this.ask(`[${QueryType.SERVER_INFO}]`, (body) => {
        this.#server = readServerId(body);
      });
    }
    return this.#server;
  }

  query(start: string | Buffer, sink: UpstreamSink): UpstreamQuery {
    const guarded: UpstreamSink = {
      response: (body) => this.#guard(() => sink.response(body)),
      failed: (error) => this.#guard(() => sink.failed(error)),
      lost: () => this.#guard(() => sink.lost()),
    };
    const query: OwnQuery = new OwnQuery(this.#connection, start, guarded, () => this.#queries.delete(query));
    this.#queries.add(query);
    return query;
  }

  ask(query: string, answer: (body: Buffer) => void): void {
    this.#connection.ask(query, (body) => this.#guard(() => answer(body)));
  }

  schedule(ms: number, callback: () => void): () => void {
    return after(ms, () => {
      if (!this.#isLost) this.#guard(callback);
    });
  }

  /** The connection goes, or is about to: its queries are over, and nothing is called back any more. */
  lost(): void {
    this.#isLost = true;
    const queries = [...this.#queries];
    this.#queries.clear();
    for (const query of queries) query.lost();
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#connection.observer.connectionFailed(this.#connection.connection, error);
    }
  }
}
