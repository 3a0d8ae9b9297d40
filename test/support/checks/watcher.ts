// One live query watched in one plan: its feed, the state that its documents tell of, and the documents themselves.

import type { LiveQuery } from '../queries/live-queries.ts';
import type { Connection } from '../servers/drivers.ts';
import { DEADLINE_MS, type Ending, type Feed } from '../servers/fetch.ts';
import { FeedState } from './feed-state.ts';
import type { Truth } from './oracle.ts';

/** A live query that is watched. */
export class Watcher {
  readonly told: LiveQuery;
  /** All that came until now. */
  readonly documents: unknown[] = [];
  readonly #feed: Feed;
  readonly #plan: string;
  readonly #state: FeedState;

  private constructor(told: LiveQuery, plan: string, feed: Feed) {
    this.told = told;
    this.#plan = plan;
    this.#feed = feed;
    this.#state = new FeedState(told.shows ?? 'value');
  }

  /** Opens a feed of a query with its initial values. */
  static async open(connection: Connection, plan: string, told: LiveQuery, options: object): Promise<Watcher> {
    const feed = await connection.feed((r) =>
      told.query(r).changes({ includeInitial: true, ...told.changes?.(r), ...options }),
    );
    return new Watcher(told, plan, feed);
  }

  /** Reads until the feed is ready, which may take `patience` milliseconds; it has to have been asked for states. */
  async ready(patience: number = DEADLINE_MS): Promise<void> {
    this.#add(await this.#feed.takeUntil('ready', isReady, patience));
  }

  /** Reads until the state is the truth, and on while there is more. The feed may be silent for `patience` milliseconds. */
  async rest(truth: Truth, patience: number = DEADLINE_MS): Promise<void> {
    await this.#drain();
    while (!truth.holds(this.#state)) {
      const documents = await this.#feed.take(1, patience).catch((error: Error) => {
        const given = JSON.stringify(truth.shown);
        throw new Error(
          `in the ${this.#plan} plan rests at ${this.#state}, the query gives ${given}: ${error.message}`,
        );
      });
      this.#add(documents);
      await this.#drain();
    }
    const { over } = this.#feed;
    if (over !== undefined) throw new Error(`the ${this.#plan} plan's feed is over: ${JSON.stringify(over)}`);
  }

  /** Reads until there are so many documents. */
  async reach(count: number): Promise<void> {
    while (this.documents.length < count) this.#add(await this.#feed.take(1));
  }

  /** How the feed ends. Rejects where it does not in time. */
  ending(): Promise<Ending> {
    return this.#feed.ending();
  }

  /** How the feed is over, if it is by now. */
  get over(): Ending | undefined {
    return this.#feed.over;
  }

  close(): Promise<void> {
    return this.#feed.close();
  }

  async #drain(): Promise<void> {
    this.#add(await this.#feed.take(this.#feed.waiting.length));
  }

  #take(document: unknown): void {
    try {
      this.#state.add(document);
    } catch (error) {
      throw new Error(`in the ${this.#plan} plan, ${error instanceof Error ? error.message : error}`);
    }
  }

  #add(documents: readonly unknown[]): void {
    for (const document of documents) {
      this.#take(document);
      this.documents.push(document);
    }
  }
}

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}
