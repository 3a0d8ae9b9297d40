// After any history of writes, a live query at rest shows what the one-shot query gives; on the way each `old_val` is what
// was shown before. Both plans tell the same. LIVEFOLD_RUNS sets the number of histories for each query; with LIVEFOLD_SHRINK a
// failure is made small, which takes its time.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DriverError } from '../support/driver-error.ts';
import { type Connection, official } from '../support/drivers.ts';
import { exactSum } from '../support/exact-double.ts';
import { FeedState } from '../support/feed-state.ts';
import type { Feed } from '../support/fetch.ts';
import { anyHistory, type History, singleHistory, writeQuery } from '../support/histories.ts';
import { type LiveQuery, liveQueries } from '../support/live-queries.ts';
import { type Base, bases, proxyOver, rewriting } from '../support/servers.ts';
import { createTable, TABLES } from '../support/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 2);
const PARAMETERS = { numRuns: RUNS, endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined };
const DB = 'oracle';
const PLANS = ['server', 'proxy'] as const;
const ULP = 2 ** -52;

interface Watcher {
  readonly feed: Feed;
  readonly state: FeedState;
  readonly documents: unknown[];
}

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let base: Base;
    let writes: Connection;
    let readers: readonly Connection[];
    const closing: (() => Promise<unknown>)[] = [];
    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      for (const table of TABLES) await createTable(writes, table);
      const proxies = await Promise.all(PLANS.map((plan) => proxyOver(base.address, rewriting(plan))));
      readers = await Promise.all(proxies.map(({ address }) => official.connect(address, { db: DB })));
      closing.push(...readers.map((reader) => () => reader.close()), ...proxies.map((proxy) => () => proxy.destroy()));
      closing.push(
        () => writes.run((r) => r.dbDrop(DB)),
        () => writes.close(),
        () => base.close(),
      );
    });
    afterAll(async () => {
      for (const close of closing) await close();
    });

    const begin = async ({ rows }: History): Promise<void> => {
      for (const table of TABLES) await writes.run((r) => r.table(table).delete({ durability: 'soft' }));
      if (rows.length > 0) await writes.run((r) => r.table('t').insert([...rows], { durability: 'soft' }));
    };

    const watch = async (told: LiveQuery, options: object): Promise<readonly Watcher[]> =>
      Promise.all(
        readers.map(async (reader) => ({
          feed: await reader.feed((r) => told.query(r).changes({ includeInitial: true, ...options })),
          state: new FeedState(told.shows ?? 'value'),
          documents: [],
        })),
      );

    const play = async (
      told: LiveQuery,
      history: History,
      options: object,
      opened: (watcher: Watcher) => Promise<void> = async () => {},
    ): Promise<readonly Watcher[]> => {
      await begin(history);
      const watchers = await watch(told, options);
      await Promise.all(watchers.map(opened));
      for (const { table, write } of history.writes) await writes.run(writeQuery(table, write));
      const now = await oracle(writes, told);
      await Promise.all(watchers.map((watcher) => rest(watcher, told, now)));
      return watchers;
    };

    describe.each(liveQueries.map((told) => ({ name: `${told.shows ?? 'value'}: ${told.name}`, told })))(
      '$name',
      ({ told }) => {
        test('at rest the feed shows what the query gives', async () => {
          const options = fc.record({ includeStates: fc.boolean(), squash: fc.boolean() });
          await fc.assert(
            fc.asyncProperty(anyHistory, options, async (history, asked) => {
              const watchers = await play(told, history, asked);
              for (const { feed } of watchers) await feed.close();
            }),
            PARAMETERS,
          );
        });

        test('both plans show the same documents', async () => {
          await fc.assert(
            fc.asyncProperty(singleHistory, async (history) => {
              // Changes that come before a feed is ready are in its initial value or not, as it happens.
              const watchers = await play(told, history, { includeStates: true }, (watcher) => readyOf(watcher));
              await restEvenly(watchers, told, await oracle(writes, told));
              const [server, proxy] = watchers.map(({ documents }) => inOrder(told, documents));
              if (told.exact === undefined) expect(proxy).toStrictEqual(server);
              else expect(proxy).toHaveLength(server?.length ?? 0);
              for (const { feed } of watchers) await feed.close();
            }),
            PARAMETERS,
          );
        });
      },
    );
  });
}

/** The truth of now. */
interface Oracle {
  readonly holds: (state: FeedState) => boolean;
  readonly shown: unknown;
}

/** Whether a state is the truth of now. Sums are added up exactly here: the server's own depends on the order of rows. */
async function oracle(writes: Connection, told: LiveQuery): Promise<Oracle> {
  const shown = await valueNow(writes, told);
  if (told.exact === undefined) return { holds: (state) => state.equals(shown), shown };
  const numbers = numbersOf(await writes.run((r) => r.table('t')('x').coerceTo('array')));
  const sum = exactSum(numbers);
  const exact = told.exact === 'sum' ? sum : numbers.length === 0 ? null : sum / numbers.length;
  return { holds: (state) => withinUlp(state.value, exact), shown: exact };
}

async function valueNow(connection: Connection, { query }: LiveQuery): Promise<unknown> {
  try {
    return await connection.run(query);
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'NON_EXISTENCE') return null;
    throw error;
  }
}

async function rest(watcher: Watcher, told: LiveQuery, now: Oracle): Promise<void> {
  while (!now.holds(watcher.state)) {
    await one(watcher).catch((error: Error) => {
      throw new Error(
        `${told.name} rests at ${watcher.state}, the query gives ${JSON.stringify(now.shown)}: ${error.message}`,
      );
    });
  }
}

async function one({ feed, state, documents }: Watcher): Promise<void> {
  const [document] = await feed.take(1);
  state.add(document);
  documents.push(document);
}

/** Reads until a feed is ready. */
async function readyOf(watcher: Watcher): Promise<void> {
  for (const document of await watcher.feed.takeUntil('ready', isReady)) {
    watcher.state.add(document);
    watcher.documents.push(document);
  }
}

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}

/** Reads until all watchers are at rest and have seen equally much: the first rest may be in the middle of things. */
async function restEvenly(watchers: readonly Watcher[], told: LiveQuery, now: Oracle): Promise<void> {
  const most = Math.max(...watchers.map(({ documents }) => documents.length));
  for (const watcher of watchers) {
    while (watcher.documents.length < most) await one(watcher);
    await rest(watcher, told, now);
  }
  if (watchers.some(({ documents }) => documents.length > most)) await restEvenly(watchers, told, now);
}

/** Documents in an order that does not depend on how the rows of one write come: within each group, or sorted as rows. */
function inOrder({ shows = 'value' }: LiveQuery, documents: readonly unknown[]): readonly unknown[] {
  if (shows === 'value') return documents;
  if (shows === 'rows') return documents.map((document) => JSON.stringify(document)).sort();
  return documents
    .map((document, at) => ({ group: JSON.stringify(groupOf(document)), at, document }))
    .sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : a.at - b.at))
    .map(({ document }) => document);
}

function groupOf(document: unknown): unknown {
  return typeof document === 'object' && document !== null && 'group' in document ? document.group : null;
}

function numbersOf(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'number') : [];
}

function withinUlp(value: unknown, exact: number | null): boolean {
  if (typeof value !== 'number' || exact === null) return value === exact;
  return Math.abs(value - exact) <= Math.max(Math.abs(exact) * ULP, Number.MIN_VALUE);
}
