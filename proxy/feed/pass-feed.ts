// A query that turned out to be RethinkDB's own business after the proxy had taken it over to ask about an index: it goes
// upstream as the client wrote it, and what upstream says goes to the client.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType, ResponseType } from '../../rewrite/reql/protocol.ts';
import type { Feed, FeedIo } from '../feed-port.ts';
import { errorBody, readResponseHead } from '../wire/response.ts';

export class PassFeed implements Feed {
  readonly #io: FeedIo;
  /** Answers that the client waits for. */
  #asked = 1;

  constructor(io: FeedIo, query: Buffer) {
    this.#io = io;
    io.toUpstream(query);
  }

  response(body: Buffer): void {
    this.#asked--;
    this.#io.toClient(body);
    const more = readResponseHead(body).type === ResponseType.SUCCESS_PARTIAL;
    if (!more && this.#asked === 0) this.#io.ended();
  }

  continue(): void {
    this.#asked++;
    this.#io.toUpstream(`[${QueryType.CONTINUE}]`);
  }

  stop(): void {
    this.#asked++;
    this.#io.toUpstream(`[${QueryType.STOP}]`);
  }

  close(): void {}

  abort(error: ReqlError): void {
    this.#io.toUpstream(`[${QueryType.STOP}]`);
    for (; this.#asked > 0; this.#asked--) this.#io.toClient(errorBody(error));
    this.#io.ended();
  }
}
