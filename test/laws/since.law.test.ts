// A client that takes its feed up by the `rev` of the last document that it has seen gets the net change since, once for each thing,
// wherever it stopped: killed, its carrier killed so that the feed is read again, while nobody followed. LIVEFOLD_RUNS says how often.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { driverError } from '../support/checks/driver-error.ts';
import { MergeState } from '../support/checks/merge-state.ts';
import { truthOf } from '../support/checks/oracle.ts';
import { anyHistories, type Step, writeQuery } from '../support/queries/histories.ts';
import type { LiveQuery } from '../support/queries/live-queries.ts';
import type { Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import type { Feed } from '../support/servers/fetch.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { createTable, TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const DB = 'sinces';
const HOURS = 6 * 3_600_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly LiveQuery[] = [
  { name: 'a count', query: (r) => T(r).count() },
  {
    name: 'a list',
    query: (r) =>
      T(r)('n')
        .coerceTo('array')
        .orderBy((n: Reql) => n),
  },
  { name: 'sums of groups', shows: 'groups', query: (r) => T(r).group('k').sum('n') },
  { name: 'distinct values', shows: 'rows', query: (r) => T(r)('n').distinct() },
  {
    name: 'rows that are there several times',
    shows: 'rows',
    query: (r) => T(r).concatMap((row: Reql) => row('tags').default([])),
  },
  {
    name: 'a leaderboard',
    shows: 'rows',
    query: (r) => T(r).group('k').count().ungroup().orderBy(r.desc('reduction'), 'group').limit(2),
  },
  { name: 'a page of rows', shows: 'rows', query: (r) => T(r).orderBy({ index: 'id' }).skip(1).limit(2) },
];

/** How a client comes to take its feed up again. */
const cut = fc.record({
  how: fc.constantFrom('client killed', 'carrier killed', 'nobody followed'),
  /** Of what it has seen it has forgotten so many of the last documents. */
  forgets: fc.nat(3),
  squash: fc.boolean(),
});

for (const under of bases) {
  describe.skipIf(!under.there).each(['server', 'proxy'] as const)(`over ${under.name}, %s plan`, (plan) => {
    let base: Base;
    let proxy: RunningProxy;
    let writes: Connection;
    let taken = 0;
    let refused = 0;
    beforeAll(async () => {
      base = await under.start();
      const settings = { plan, limits: DEFAULT_LIMITS, now: Date.now, lingerMs: 60_000 };
      proxy = await proxyOver(base.address, createOpenFeed(settings));
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      for (const table of TABLES) await createTable(writes, table);
    });
    afterAll(async () => {
      // Nearly all are taken up.
      expect(refused).toBeLessThan(Math.max(taken / 4, 2));
      await proxy.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await base.close();
    });

    const write = async (steps: readonly Step[]): Promise<void> => {
      for (const { table, write: one } of steps) await writes.run(writeQuery(table, one), { durability: 'soft' });
    };

    test.each(watched)(
      '$name',
      async (told) => {
        const play = async (
          histories: readonly (readonly Step[])[],
          cuts: readonly { readonly how: string; readonly forgets: number; readonly squash: boolean }[],
        ): Promise<void> => {
          await writes.run((r) => T(r).delete());
          const keeper = await Client.connect(proxy, told, {});
          let client = await Client.connect(proxy, told, { includeInitial: true });
          await client.rest(writes);
          for (const [index, { how, forgets, squash }] of cuts.entries()) {
            await write(histories[2 * index] ?? []);
            await client.rest(writes);
            client.forget(forgets);
            if (how === 'nobody followed') {
              await client.leave();
              await keeper.leave();
            } else {
              await client.close();
            }
            // What is read again on another connection is told as one net change.
            if (how === 'carrier killed') await keeper.reconnect();
            await write(histories[2 * index + 1] ?? []);
            // The share may be over: it has not been read again yet when nobody follows any more, or the client is its only one.
            const next = await client.takeUp({ squash }).catch((error: unknown) => {
              if (!driverError(error).text.includes('Cannot take the feed up from `since`')) throw error;
              refused++;
              return Client.connect(proxy, told, { includeInitial: true });
            });
            taken++;
            await next.rest(writes);
            if (how === 'nobody followed') {
              await keeper.reconnect();
              await client.close();
            }
            client = next;
          }
          await client.close();
          await keeper.close();
        };
        await fc.assert(
          fc.asyncProperty(anyHistories(6), fc.array(cut, { minLength: 3, maxLength: 3 }), ({ histories }, cuts) =>
            play(histories, cuts),
          ),
          { numRuns: RUNS, endOnFailure: true },
        );
      },
      HOURS,
    );
  });
}

/** A client that follows one query by merges. */
class Client {
  readonly #proxy: RunningProxy;
  readonly #told: LiveQuery;
  #connection: Connection;
  #feed: Feed;
  readonly #documents: { readonly rev: string }[];
  /** The state at the beginning, before the documents. */
  #isNet: boolean;

  private constructor(
    proxy: RunningProxy,
    told: LiveQuery,
    connection: Connection,
    feed: Feed,
    documents: { readonly rev: string }[],
    isNet: boolean,
  ) {
    this.#proxy = proxy;
    this.#told = told;
    this.#connection = connection;
    this.#feed = feed;
    this.#documents = documents;
    this.#isNet = isNet;
  }

  static async connect(
    proxy: RunningProxy,
    told: LiveQuery,
    options: object,
    seen: { readonly rev: string }[] = [],
  ): Promise<Client> {
    const connection = await official.connect(proxy.address, { db: DB });
    const feed = await connection.feed((r) =>
      told.query(r).changes({ format: 'merge', includeRevs: true, ...told.changes?.(r), ...options }),
    );
    return new Client(proxy, told, connection, feed, seen, seen.length > 0);
  }

  /** Reads until the state is what the query gives; what was taken up tells each thing once at first. */
  async rest(writes: Connection): Promise<void> {
    const { shown } = await truthOf(writes, this.#told);
    const told = this.#documents.length;
    await this.#take(this.#feed.waiting.length);
    while (!this.#state().equals(shown)) {
      await this.#take(1).catch((error: Error) => {
        throw new Error(`rests at ${this.#state()}, the query gives ${JSON.stringify(shown)}: ${error.message}`);
      });
    }
    this.#state().check();
    const revs = this.#documents.map(({ rev }) => rev);
    expect(revs.every((rev, at) => at === 0 || rev > (revs[at - 1] ?? ''))).toBe(true);
    if (!this.#isNet) return;
    const names = this.#documents.slice(told).map((document) => nameOf(document));
    expect(new Set(names).size).toBe(names.length);
    this.#isNet = false;
  }

  /** The client has lost what it has seen last; what it has seen first it keeps. */
  forget(count: number): void {
    const first = this.#documents.findLastIndex((document) => !('reverse' in document)) + 1;
    this.#documents.splice(Math.max(first, this.#documents.length - count, 1));
  }

  /** Takes the feed up where it stopped; from the beginning where it has seen nothing. */
  async takeUp(options: object): Promise<Client> {
    const since = this.#documents.at(-1)?.rev;
    const begins = since === undefined ? { includeInitial: true } : { since };
    return await Client.connect(this.#proxy, this.#told, { ...begins, ...options }, this.#documents);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Follows no more; the connection stays, which may carry the query. */
  async leave(): Promise<void> {
    await this.#feed.close();
  }

  /** Follows on another connection, and then closes the one that it had. */
  async reconnect(): Promise<void> {
    const before = this.#connection;
    const again = await Client.connect(this.#proxy, this.#told, {});
    this.#connection = again.#connection;
    this.#feed = again.#feed;
    await before.close();
  }

  async #take(count: number): Promise<void> {
    for (const document of await this.#feed.take(count)) this.#documents.push(document as { readonly rev: string });
  }

  #state(): MergeState {
    const state = new MergeState(this.#told.shows ?? 'value');
    for (const document of this.#documents) state.add(document);
    return state;
  }
}

function nameOf(document: object): string {
  const { key, group } = document as { readonly key?: unknown; readonly group?: unknown };
  return JSON.stringify([key, group]);
}
