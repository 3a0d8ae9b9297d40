// A feed of which each query goes upstream and each response to the client, one for one: for queries that turned out to be
// RethinkDB's own business after the proxy had taken them over to ask about an index, and for those of which RethinkDB
// makes everything up to what the client gets.

import { ReqlError } from '../../../rewrite/reql/error.ts';
import { ResponseType } from '../../../rewrite/reql/protocol.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import type { FeedEnd } from '../../relay/feed-end.ts';
import type { Feed, FeedIo, UpstreamQuery } from '../../relay/feed-port.ts';
import { errorBody, readResponseHead, sequenceBody } from '../../wire/response.ts';
import { readResponse } from '../source/upstream-response.ts';

/** From a response of upstream's to one to the client. Both are of the same type, or the latter is an error. */
export type Translation = (body: Buffer) => string | Buffer;

/** For reading errors whose places do not matter. */
const NOTHING: Term = { kind: 'datum', value: null };

/** A feed that is upstream's. */
export class PassFeed implements Feed {
  readonly #io: FeedIo;
  readonly #translate: Translation;
  readonly #upstream: UpstreamQuery;
  /** Answers that the client waits for. */
  #asked = 1;
  #stopped = false;
  /** What the client is told when it asks next: the proxy has ended the feed. */
  #failure: ReqlError | undefined;

  /** `translate` makes what the client gets of a response. */
  constructor(io: FeedIo, query: string | Buffer, translate: Translation = (body) => body) {
    this.#io = io;
    this.#translate = translate;
    this.#upstream = io.query(query, {
      response: (body) => this.#response(body),
      failed: (error) => this.abort(error),
      lost: () => {},
    });
  }

  #response(body: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#asked--;
    this.#io.toClient(this.#translate(body));
    const more = readResponseHead(body).type === ResponseType.SUCCESS_PARTIAL;
    if (!more && this.#asked === 0) this.#io.ended(this.#stopped ? 'stopped' : endOf(body));
  }

  continue(): void {
    this.#asked++;
    if (this.#failure === undefined) this.#upstream.more();
    else this.#fail(this.#failure);
  }

  stop(): void {
    if (this.#failure !== undefined) {
      this.#io.toClient(sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
      this.#io.ended(this.#failure);
      return;
    }
    this.#asked++;
    this.#stopped = true;
    this.#upstream.stop();
  }

  close(): void {}

  abort(error: ReqlError): void {
    this.#upstream.stop();
    this.#failure = error;
    if (this.#asked > 0) this.#fail(error);
  }

  #fail(error: ReqlError): void {
    for (; this.#asked > 0; this.#asked--) this.#io.toClient(errorBody(error));
    this.#io.ended(error);
  }
}

/** What the last response says of the end. */
function endOf(body: Buffer): FeedEnd {
  const { type } = readResponseHead(body);
  if (type === ResponseType.SUCCESS_SEQUENCE || type === ResponseType.SUCCESS_ATOM) return 'complete';
  const response = readResponse(body, NOTHING);
  return response instanceof ReqlError ? response : 'complete';
}
