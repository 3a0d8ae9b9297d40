// A feed that waits for what the server says about an index, or about its tables, before it becomes a feed.

import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Feed, FeedIo } from '../../relay/feed-port.ts';
import { errorBody } from '../../wire/response.ts';
import { answerStop } from '../answer-stop.ts';

/** Stands for a feed until it is known what becomes of the query. */
export class AskingFeed implements Feed {
  readonly #io: FeedIo;
  #feed: Feed | undefined;
  #over = false;
  /** Times that the client has asked for more of what is not there yet. */
  #continues = 0;

  constructor(io: FeedIo) {
    this.#io = io;
  }

  /** Whether the client has lost interest meanwhile. */
  get isOver(): boolean {
    return this.#over;
  }

  get waitingBytes(): number {
    return this.#feed?.waitingBytes ?? 0;
  }

  /** The question is answered: this is the feed from here on, or there is none since the query was refused. */
  become(feed: Feed | undefined): void {
    if (this.#over) feed?.close();
    else this.#feed = feed;
    if (!this.#over && feed !== undefined) this.#io.open(feed);
    // Where the query was refused, they are answered with its end.
    for (; this.#continues > 0; this.#continues--) feed?.continue();
  }

  continue(): void {
    if (this.#feed !== undefined) this.#feed.continue();
    else this.#continues++;
  }

  stop(): void {
    if (this.#feed !== undefined) {
      this.#feed.stop();
      return;
    }
    this.#over = true;
    // The START, and what was asked after it.
    answerStop(this.#io, 1 + this.#continues);
    this.#io.ended('stopped');
  }

  resume(): void {
    this.#feed?.resume?.();
  }

  shrink(): void {
    this.#feed?.shrink?.();
  }

  close(): void {
    this.#over = true;
    this.#feed?.close();
  }

  abort(error: ReqlError): void {
    if (this.#feed !== undefined) {
      this.#feed.abort(error);
      return;
    }
    this.#over = true;
    this.#io.toClient(errorBody(error));
    this.#io.ended(error);
  }
}
