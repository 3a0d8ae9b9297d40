// A connection over which a feed reads the tables that it is to read, and no others. A name may come to mean another table at any
// time, also for a moment: each query holds the question which they are, and RethinkDB refuses it where they are others. Where
// nobody knows yet which they are, the server is asked first.

import type { StartQuery } from '../../../rewrite/reql/term/term.ts';
import type { UpstreamQuery, UpstreamSink } from '../../relay/feed-port.ts';
import { readIdentity, readOtherTable, sureQuery, type TableQuestions } from '../sharing/table-identity.ts';
import type { SourcePort } from '../source/feed-source.ts';

/** A connection, and which tables are read over it. */
export interface SurePort extends SourcePort {
  /** Which they are; `undefined` where the server has not been asked, or does not say. */
  readonly identity: string | undefined;
}

/** How many times the server is asked where the answer was true no more when the query came. */
const MOST_TRIES = 3;

/** A port whose feeds read certain tables. `known`: which they are to be; where that is `undefined`, those that they are now. */
export function surePort(port: SourcePort, tables: TableQuestions, known: string | undefined): SurePort {
  const sure = { identity: known };
  return {
    ...port,
    get identity() {
      return sure.identity;
    },
    feed: (query, sink) => new SureFeed(port, tables, sure, query, sink),
  };
}

/** A query whose tables are asked for, before it is sent and where it holds the question. */
class SureFeed implements UpstreamQuery {
  readonly #port: SourcePort;
  readonly #tables: TableQuestions;
  readonly #sure: { identity: string | undefined };
  readonly #query: StartQuery;
  readonly #sink: UpstreamSink;
  #tries = 0;
  /** The query, once it has been sent. */
  #sent: UpstreamQuery | undefined;
  /** Ends what is waited for before. */
  #drop: () => void = () => {};
  #isDropped = false;

  constructor(
    port: SourcePort,
    tables: TableQuestions,
    sure: { identity: string | undefined },
    query: StartQuery,
    sink: UpstreamSink,
  ) {
    this.#port = port;
    this.#tables = tables;
    this.#sure = sure;
    this.#query = query;
    this.#sink = sink;
    if (sure.identity === undefined) this.#ask();
    else this.#send(sure.identity, false);
  }

  more(): void {
    this.#sent?.more();
  }

  stop(): void {
    this.#sent?.stop();
  }

  drop(): void {
    this.#isDropped = true;
    this.#drop();
    this.#sent?.drop();
  }

  /** A query like any other, so that the feed hears of it where the connection goes. */
  #ask(): void {
    this.#tries++;
    const sink = this.#sink;
    let isAnswered = false;
    const asked = this.#port.query(this.#tables.question, {
      response: (body) => {
        isAnswered = true;
        this.#drop();
        if (!this.#isDropped) this.#send(readIdentity(body), true);
      },
      failed: (error) => sink.failed(error),
      lost: () => sink.lost(),
    });
    this.#drop = () => asked.drop();
    if (isAnswered) asked.drop();
  }

  /** `mayAsk`: whether other tables are as good. */
  #send(identity: string | undefined, mayAsk: boolean): void {
    const sink = this.#sink;
    const query = identity === undefined ? this.#query : sureQuery(this.#query, this.#tables, identity);
    let isAccepted = identity === undefined;
    this.#sent = this.#port.feed(query, {
      response: (body) => {
        if (isAccepted) {
          sink.response(body);
          return;
        }
        const other = readOtherTable(body);
        if (other === undefined) {
          isAccepted = true;
          this.#sure.identity = identity;
          sink.response(body);
        } else {
          this.#sent?.drop();
          this.#sent = undefined;
          if (!mayAsk) sink.failed(other);
          else if (this.#tries < MOST_TRIES) this.#ask();
          else this.#send(undefined, false);
        }
      },
      failed: (error) => sink.failed(error),
      lost: () => sink.lost(),
    });
  }
}
