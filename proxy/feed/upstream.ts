// The upstream end of a feed: one query, asked for more as long as it has more and the feed keeps up.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { StartQuery } from '../../rewrite/reql/term/term.ts';
import type { UpstreamQuery, UpstreamSink } from '../relay/feed-port.ts';
import type { SourcePort } from './source/feed-source.ts';
import { UNREADABLE } from './source/response-json.ts';
import { type Batch, readLongResponse, readResponse, saysMore } from './source/upstream-response.ts';

/** Batches that a feed may have in hand before upstream waits for it. */
const MOST_IN_HAND = 2;

/** A response of so many bytes, more than RethinkDB makes of small rows, is read in steps. */
const LONG_BYTES = 1.5 * 1024 * 1024;

/** A response in hand. */
export interface Arrival {
  /** What is to be read. */
  body: Buffer | undefined;
  /** What was read. */
  response: Batch | ReqlError | undefined;
}

/** A listener that is told when upstream owes an answer. */
export interface OwedWatch {
  /** It does from now on. */
  waits(): void;
  /** It has answered. */
  came(): void;
  /** The query is over. */
  stop(): void;
}

/** The query of a feed upstream. */
export class Upstream {
  readonly #query: StartQuery;
  readonly #port: Pick<SourcePort, 'rests' | 'heard'>;
  readonly #sent: UpstreamQuery;
  readonly #watch: OwedWatch | undefined;
  #open = true;
  /** Batches that came and are not done. */
  #inHand = 0;
  /** Whether upstream owes an answer. */
  #isAsked = true;

  /** Sends the query. */
  constructor(
    port: Pick<SourcePort, 'feed' | 'rests' | 'heard'>,
    query: StartQuery,
    sink: UpstreamSink,
    watch?: OwedWatch,
  ) {
    this.#query = query;
    this.#port = port;
    this.#watch = watch;
    this.#sent = port.feed(query, sink);
    watch?.waits();
  }

  /**
   * Takes a response in hand, and reads it unless it is long; `undefined` for those that come after `stop`. Callers owe a `done` for
   * each.
   */
  take(body: Buffer): Arrival | undefined {
    if (!this.#open) return undefined;
    this.#isAsked = false;
    this.#watch?.came();
    this.#port.rests(1);
    this.#inHand++;
    if (body.length >= LONG_BYTES) return { body, response: undefined };
    // Upstream works while the response is read.
    if (saysMore(body)) this.#ask();
    return { body: undefined, response: this.#heard(readResponse(body, this.#query.term), body.length) };
  }

  /** Reads a response that was not read when it was taken. */
  *read(arrival: Arrival): Generator<void, Batch | ReqlError> {
    const { body, response = UNREADABLE } = arrival;
    if (body === undefined) return response;
    arrival.response = this.#heard(yield* readLongResponse(body, this.#query.term), body.length);
    arrival.body = undefined;
    return arrival.response;
  }

  /**
   * Where there is more it is asked for at once, so that upstream works while the batch is worked on, but not while the one before it is
   * as well.
   */
  #heard(response: Batch | ReqlError, bytes: number): Batch | ReqlError {
    if ('documents' in response) this.#port.heard(response.documents.length, bytes);
    if (!this.#open) return response;
    this.#open = 'more' in response && response.more;
    if (this.#open) {
      this.#ask();
    } else {
      // It was asked for more of what cannot be read.
      if (this.#isAsked) this.#sent.stop();
      this.#over();
    }
    return response;
  }

  /** A response has been worked on. */
  done(): void {
    this.#inHand--;
    this.#ask();
  }

  /** Stops the query. What upstream answers to that is nobody's. */
  stop(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#sent.stop();
    this.#over();
  }

  #over(): void {
    if (!this.#isAsked) this.#port.rests(-1);
    this.#watch?.stop();
    this.#sent.drop();
  }

  #ask(): void {
    if (!this.#open || this.#isAsked || this.#inHand >= MOST_IN_HAND) return;
    this.#isAsked = true;
    this.#port.rests(-1);
    this.#sent.more();
    this.#watch?.waits();
  }
}
