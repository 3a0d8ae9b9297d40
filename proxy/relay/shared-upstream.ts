// What the feeds of one connection share upstream: queries, questions and timers that outlive each of them. A mistake in their
// code is logged, and ends nothing.

import type { Log } from '../log.ts';
import { after } from '../long-timer.ts';
import { mistakeFields } from './feed-end.ts';
import type { UpstreamPort, UpstreamQuery, UpstreamSink } from './feed-port.ts';
import { OwnQuery, type UpstreamConnection } from './upstream-query.ts';

/** What it needs of the connection. */
export interface SharedConnection extends UpstreamConnection {
  ask(query: string | Buffer, answer: (body: Buffer) => void): void;
  readonly log: Log;
}

/** The shared upstream of a connection. */
export class ConnectionUpstream implements UpstreamPort {
  readonly #connection: SharedConnection;
  readonly #queries = new Set<OwnQuery>();
  #isLost = false;

  constructor(connection: SharedConnection) {
    this.#connection = connection;
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
      this.#connection.log.error(mistakeFields(error, false), 'what feeds share upstream failed');
    }
  }
}
