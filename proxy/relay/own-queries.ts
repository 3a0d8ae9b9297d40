// The queries upstream that belong to one feed alone, while they are open. Most feeds follow what others have asked for and have none.

import type { UpstreamQuery, UpstreamSink } from './feed-port.ts';
import { OwnQuery, type UpstreamConnection } from './upstream-query.ts';

/** The open queries of a feed. */
export class OwnQueries {
  readonly #open = new Set<OwnQuery>();

  /** Sends a START. */
  begin(connection: UpstreamConnection, start: string | Buffer, sink: UpstreamSink): UpstreamQuery {
    const query: OwnQuery = new OwnQuery(connection, start, sink, () => this.#open.delete(query));
    this.#open.add(query);
    return query;
  }

  /** Ends all of them: what upstream still answers is nobody's. */
  stop(): void {
    for (const query of [...this.#open]) {
      query.stop();
      query.drop();
    }
  }

  /** What upstream still answers to any of them is nobody's. */
  drop(): void {
    for (const query of [...this.#open]) query.drop();
  }
}
