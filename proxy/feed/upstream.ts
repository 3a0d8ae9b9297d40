// The upstream end of a feed: one query under the feed's token, asked for more as long as it has more.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import { serializeQuery } from '../../rewrite/term/serialize.ts';
import type { StartQuery } from '../../rewrite/term/term.ts';
import type { FeedIo } from '../feed-port.ts';
import { type Batch, readResponse } from './upstream-response.ts';

const CONTINUE_QUERY = `[${QueryType.CONTINUE}]`;
const STOP_QUERY = `[${QueryType.STOP}]`;

/** The query of a feed upstream. */
export class Upstream {
  readonly #io: FeedIo;
  readonly #query: StartQuery;
  #open = true;

  /** Sends the query. */
  constructor(io: FeedIo, query: StartQuery) {
    this.#io = io;
    this.#query = query;
    io.toUpstream(serializeQuery({ term: query.term, globalOptargs: query.globalOptargs }));
  }

  /**
   * Reads a response; `undefined` for those that come after `stop`. Where there is more it is asked for at once, so that
   * upstream works while the batch is worked on.
   */
  read(body: Buffer): Batch | ReqlError | undefined {
    if (!this.#open) return undefined;
    const response = readResponse(body, this.#query.term);
    this.#open = 'more' in response && response.more;
    if (this.#open) this.#io.toUpstream(CONTINUE_QUERY);
    return response;
  }

  /** Stops the query. What upstream answers to that is nobody's. */
  stop(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#io.toUpstream(STOP_QUERY);
  }
}
