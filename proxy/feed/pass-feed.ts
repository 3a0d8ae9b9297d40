// A feed of which each query goes upstream and each response to the client, one for one: for queries that turned out to be
// RethinkDB's own business after the proxy had taken them over to ask about an index, and for those of which RethinkDB
// makes everything up to what the client gets.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType, ResponseType } from '../../rewrite/reql/protocol.ts';
import type { Feed, FeedIo } from '../feed-port.ts';
import { errorBody, readResponseHead } from '../wire/response.ts';

/** From a response of upstream's to one to the client. Both are of the same type, or the latter is an error. */
export type Translation = (body: Buffer) => string | Buffer;

/** A feed that is upstream's. */
export class PassFeed implements Feed {
  readonly #io: FeedIo;
  readonly #translate: Translation;
  /** Answers that the client waits for. */
  #asked = 1;

  /** `translate` makes what the client gets of a response. */
  constructor(io: FeedIo, query: string | Buffer, translate: Translation = (body) => body) {
    this.#io = io;
    this.#translate = translate;
    io.toUpstream(query);
  }

  response(body: Buffer): void {
    this.#asked--;
    this.#io.toClient(this.#translate(body));
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
