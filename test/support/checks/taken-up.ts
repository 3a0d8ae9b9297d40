// A client that follows many queries by merges over one connection, remembers what it was told, and takes its feeds up again.

import { expect } from 'vitest';
import { readRev } from '../../../proxy/feed/revisions/rev.ts';
import type { RunningProxy } from '../../../proxy/listener.ts';
import type { LiveQuery } from '../queries/live-queries.ts';
import type { Query } from '../reql.ts';
import { type Connection, official } from '../servers/drivers.ts';
import type { Feed } from '../servers/fetch.ts';
import { driverError } from './driver-error.ts';
import { MergeState } from './merge-state.ts';
import { truthOf } from './oracle.ts';

/** A query that can be watched by merges. */
export interface RevQuery extends LiveQuery {
  /** What the merges lead to, where that is not what the query gives. */
  readonly truth?: Query;
}

/** A document with its revision. */
interface Told {
  readonly rev: string;
  readonly state?: string;
  readonly reverse?: unknown;
}

/** What became of a feed that was to be taken up. */
export type TakenUp = 'taken up' | 'refused';

/** Digits of a revision that tell a place in the history. */
const PLACE = 11;

/** The client. */
export class RevClient {
  readonly #db: string;
  readonly #proxy: RunningProxy;
  #connection: Connection;
  readonly #followed: readonly Followed[];
  #isClosed = false;

  private constructor(db: string, proxy: RunningProxy, connection: Connection, followed: readonly Followed[]) {
    this.#db = db;
    this.#proxy = proxy;
    this.#connection = connection;
    this.#followed = followed;
  }

  /** Opens all queries. */
  static async open(
    proxy: RunningProxy,
    db: string,
    queries: readonly RevQuery[],
    options: object,
  ): Promise<RevClient> {
    const connection = await official.connect(proxy.address, { db });
    const followed = queries.map((told) => new Followed(told));
    await Promise.all(followed.map((one) => one.open(connection, options)));
    return new RevClient(db, proxy, connection, followed);
  }

  /** Reads until what it was told adds up to what each query gives. */
  async rest(writes: Connection): Promise<void> {
    for (const one of this.#followed) await one.rest(writes);
  }

  /** It loses so many of the last documents of each feed; what it was shown first it keeps. */
  forget(count: number): void {
    for (const one of this.#followed) one.forget(count);
  }

  /** Takes all feeds up where they stopped, over another connection. What is refused begins anew, where that is wanted. */
  async takeUp(
    options: object,
    beginsAnew: boolean,
    proxy: RunningProxy = this.#proxy,
  ): Promise<ReadonlyMap<string, TakenUp>> {
    this.#connection = await official.connect(proxy.address, { db: this.#db });
    const outcomes = new Map<string, TakenUp>();
    for (const one of this.#followed) {
      const outcome = await one.takeUp(this.#connection, options);
      outcomes.set(one.told.name, outcome);
      if (outcome === 'refused' && beginsAnew) await one.open(this.#connection, { ...options, includeInitial: true });
    }
    return outcomes;
  }

  /** A client that remembers the same. */
  twin(): RevClient {
    const followed = this.#followed.map((one) => one.twin());
    return new RevClient(this.#db, this.#proxy, this.#connection, followed);
  }

  /** The place of what it was told last of a query. */
  placeOf(name: string): string {
    return this.#followed.find(({ told }) => told.name === name)?.place ?? '';
  }

  /** Takes in what has come. */
  async drain(): Promise<void> {
    for (const one of this.#followed) await one.drain();
  }

  /** Its connection is closed without a word. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection.close();
  }

  /** Follows no more; the connection stays, which may carry the queries. */
  async leave(): Promise<void> {
    await Promise.all(this.#followed.map((one) => one.leave()));
  }

  /** Follows over another connection, and then closes the one that it had. */
  async reconnect(): Promise<void> {
    const before = this.#connection;
    this.#connection = await official.connect(this.#proxy.address, { db: this.#db });
    await Promise.all(this.#followed.map((one) => one.open(this.#connection, {})));
    if (!this.#isClosed) await before.close();
    this.#isClosed = false;
  }
}

/** One query of a client's. */
class Followed {
  readonly told: RevQuery;
  readonly #documents: Told[] = [];
  /** How many it keeps in any case: up to those that tell that all is shown which was there at first, or has changed since. */
  #kept = 0;
  /** Where the feed was opened last. */
  #opened = 0;
  #feed: Feed | undefined;

  constructor(told: RevQuery) {
    this.told = told;
  }

  get place(): string {
    return this.#documents.at(-1)?.rev.slice(0, PLACE) ?? '';
  }

  /** Opens the feed from the beginning. */
  async open(connection: Connection, options: object): Promise<void> {
    this.#documents.length = 0;
    await this.#watch(connection, options);
    this.#kept = this.#documents.length;
  }

  /** Takes the feed up by the last revision that it knows. */
  async takeUp(connection: Connection, options: object): Promise<TakenUp> {
    const since = this.#documents.at(-1)?.rev;
    try {
      await this.#watch(connection, { since, ...options });
    } catch (error) {
      if (!driverError(error).text.includes('Cannot take the feed up from `since`')) throw error;
      return 'refused';
    }
    // Out of the midst of a net change another one follows, of which only the end can be taken up.
    if (typeof readRev(since ?? '')?.told.extent === 'object') this.#kept = this.#documents.length;
    const net = this.#documents.slice(this.#opened, -1).map((document) => nameOf(document));
    expect([this.told.name, new Set(net).size]).toEqual([this.told.name, net.length]);
    return 'taken up';
  }

  async rest(writes: Connection): Promise<void> {
    const { truth = this.told.query } = this.told;
    const { shown } = await truthOf(writes, { ...this.told, query: truth });
    await this.drain();
    while (!this.#state().equals(shown)) {
      await this.#take(1).catch((error: Error) => {
        throw new Error(
          `${this.told.name}: rests at ${this.#state()}, the query gives ${JSON.stringify(shown)}: ${error.message}`,
        );
      });
      await this.drain();
    }
    this.#state().check();
    const revs = this.#documents.map(({ rev }) => rev);
    const grow = revs.every((rev, at) => at === 0 || rev > (revs[at - 1] ?? ''));
    expect([this.told.name, grow]).toEqual([this.told.name, true]);
  }

  forget(count: number): void {
    this.#documents.splice(Math.max(this.#kept, this.#documents.length - count));
  }

  twin(): Followed {
    const twin = new Followed(this.told);
    twin.#documents.push(...this.#documents);
    twin.#kept = this.#kept;
    return twin;
  }

  async drain(): Promise<void> {
    await this.#take(this.#feed?.waiting.length ?? 0);
  }

  async leave(): Promise<void> {
    await this.#feed?.close();
  }

  /** Opens the feed, and reads until it tells that it is ready. */
  async #watch(connection: Connection, options: object): Promise<void> {
    const { query, changes } = this.told;
    const asked = { format: 'merge', includeRevs: true, includeStates: true, ...options };
    this.#feed = await connection.feed((r) => query(r).changes({ ...asked, ...changes?.(r) } as never));
    this.#opened = this.#documents.length;
    for (const document of await this.#feed.takeUntil('ready', isReady)) this.#documents.push(document as Told);
  }

  async #take(count: number): Promise<void> {
    for (const document of (await this.#feed?.take(count)) ?? []) this.#documents.push(document as Told);
  }

  #state(): MergeState {
    const state = new MergeState(this.told.shows ?? 'value');
    try {
      for (const document of this.#documents) state.add(document);
    } catch (error) {
      throw new Error(`${this.told.name}: ${error instanceof Error ? error.message : error}`);
    }
    return state;
  }
}

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}

function nameOf(document: object): string {
  const { key, group } = document as { readonly key?: unknown; readonly group?: unknown };
  return JSON.stringify([key, group]);
}
