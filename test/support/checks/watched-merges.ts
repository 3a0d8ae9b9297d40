// A feed of merges that is watched: its documents are added up, and held to the laws at rest.

import type { Feed } from '../servers/fetch.ts';
import type { Shows } from './feed-state.ts';
import { MergeState } from './merge-state.ts';

/** One feed, and the state that its documents tell of. */
export class WatchedMerges {
  readonly #name: string;
  readonly #feed: Feed;
  readonly #state: MergeState;

  constructor(name: string, feed: Feed, shows: Shows) {
    this.#name = name;
    this.#feed = feed;
    this.#state = new MergeState(shows);
  }

  /** Reads until the state is what the query gives, and on while there is more. */
  async rest(shown: unknown): Promise<void> {
    await this.#drain();
    while (!this.#state.equals(shown)) {
      await this.#take(1).catch((error: Error) => {
        const given = JSON.stringify(shown);
        throw new Error(`${this.#name}: rests at ${this.#state}, the query gives ${given}: ${error.message}`);
      });
      await this.#drain();
    }
    this.#state.check();
  }

  close(): Promise<void> {
    return this.#feed.close();
  }

  #drain(): Promise<void> {
    return this.#take(this.#feed.waiting.length);
  }

  async #take(count: number): Promise<void> {
    for (const document of await this.#feed.take(count)) {
      try {
        this.#state.add(document);
      } catch (error) {
        throw new Error(`${this.#name}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}
