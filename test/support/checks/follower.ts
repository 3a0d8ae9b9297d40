// One who follows a live query together with others: what he is told, with what he was shown before each change, so that two who
// follow the same can be held to each other.

import { expect } from 'vitest';
import type { Feed } from '../servers/fetch.ts';
import { FeedState, type Shows } from './feed-state.ts';
import type { Truth } from './oracle.ts';

/** Options of `changes`. */
export interface FollowerOptions {
  readonly includeStates?: boolean;
  readonly includeTypes?: boolean;
  readonly squash?: boolean;
}

/** What is followed, over which connection, and how it is told. */
export interface Following {
  readonly query: number;
  readonly connection: number;
  readonly shows: Shows;
  readonly options: FollowerOptions;
}

/** A feed that is read, and what it has told so far. */
export class Follower {
  readonly feed: Feed;
  readonly following: Following;
  readonly state: FeedState;
  /** Changes, each behind what was shown before it. */
  readonly told: string[] = [];

  constructor(feed: Feed, following: Following) {
    this.feed = feed;
    this.following = following;
    this.state = new FeedState(following.shows);
  }

  /** Reads what was there when he joined. Callers owe: he asked for states. */
  async readFirst(): Promise<void> {
    for (const document of await this.feed.takeUntil('ready', isReady)) this.#add(document);
  }

  /** Reads until what has been told is the truth. */
  async readTo(truth: Truth): Promise<void> {
    await this.#readWaiting();
    while (!truth.holds(this.state)) {
      const [document] = await this.feed.take(1).catch((error: Error) => {
        throw new Error(`rests at ${this.state}, not ${JSON.stringify(truth.shown)}: ${error.message}`);
      });
      this.#add(document);
      await this.#readWaiting();
    }
  }

  /** Holds what he was told to what another was who follows the same: the end of that. */
  expectSuffixOf(first: Follower): void {
    expect(this.told).toEqual(first.told.slice(first.told.length - this.told.length));
  }

  async #readWaiting(): Promise<void> {
    for (const document of await this.feed.take(this.feed.waiting.length)) this.#add(document);
  }

  #add(document: unknown): void {
    if (isChange(document)) {
      this.told.push(JSON.stringify([this.state.shown, document.group, document.old_val, document.new_val]));
    }
    this.state.add(document);
  }
}

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}

interface ChangeDocument {
  readonly group?: unknown;
  readonly old_val: unknown;
  readonly new_val: unknown;
}

function isChange(document: unknown): document is ChangeDocument {
  return typeof document === 'object' && document !== null && 'old_val' in document;
}
