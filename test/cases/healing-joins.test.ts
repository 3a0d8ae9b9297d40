// Joins, look-ups, parts of orders and selections that follow a row are read again as all else is: where the queue of RethinkDB
// runs over, where tables are cut into other shards, and where the connection goes that carries them. LIVEFOLD_RUNS says how
// densely they are chosen.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { FeedState } from '../support/checks/feed-state.ts';
import { truthOf } from '../support/checks/oracle.ts';
import { Watcher } from '../support/checks/watcher.ts';
import { liveFollows } from '../support/queries/live-follows.ts';
import { liveJoins } from '../support/queries/live-joins.ts';
import { liveOrders } from '../support/queries/live-orders.ts';
import type { LiveQuery } from '../support/queries/live-queries.ts';
import type { Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { REAL } from '../support/servers/server-names.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { createTable, TABLES } from '../support/servers/stage.ts';

const DB = 'healing_joins';
/** Rows of each table: more changes than the queue of RethinkDB holds, when all are changed. */
const ROWS = 40;
const QUEUE = 10;
/** Each so-manieth query of the lists is watched. */
const EVERY = Math.max(1, Math.round(9 / Number(process.env['LIVEFOLD_RUNS'] ?? 1)));
const SLOW_MS = 60_000;

const watched: readonly LiveQuery[] = [liveJoins, liveOrders, liveFollows].flatMap((list) =>
  list.filter((_, at) => at % EVERY === 0),
);

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let base: Base;
    let writes: Connection;
    let proxy: RunningProxy;
    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      for (const table of TABLES) {
        await createTable(writes, table);
        await writes.run((r) => r.table(table).indexCreate('v'));
        await writes.run((r) => r.table(table).indexWait());
      }
      const settings = { plan: 'auto', limits: DEFAULT_LIMITS, upstreamQueueSize: QUEUE, now: Date.now } as const;
      proxy = await proxyOver(base.address, createOpenFeed(settings));
    }, SLOW_MS);
    afterAll(async () => {
      await proxy.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await base.close();
    });

    const connect = (): Promise<Connection> => official.connect(proxy.address, { db: DB });

    const fill = async (): Promise<void> => {
      for (const table of TABLES) {
        await writes.run((r) => r.table(table).delete());
        await writes.run((r) => r.table(table).insert(rowsOf(r), { durability: 'soft' }));
      }
    };

    /** Feeds of all that is watched, which are ready. */
    const watch = async (connection: Connection): Promise<readonly Watcher[]> => {
      const watchers = await Promise.all(
        watched.map((told) => Watcher.open(connection, 'auto', told, { includeStates: true })),
      );
      await Promise.all(watchers.map((watcher) => watcher.ready()));
      return watchers;
    };

    const changeAll = async (table: (typeof TABLES)[number], by: number): Promise<void> => {
      await writes.run((r) =>
        r.table(table).update((row: Reql) => ({ n: row('n').default(0).add(by).mod(5), k: 'b' }), {
          durability: 'soft',
        }),
      );
    };

    const changeSome = async (): Promise<void> => {
      await writes.run((r) => r.table('t').get(2).update({ n: 3, k: 'a' }));
      await writes.run((r) => r.table('u').get(3).delete());
      await writes.run((r) => r.table('u').insert({ id: 100, n: 2, k: 'c', x: 1, v: 'v', tags: ['c'] }, REPLACE));
    };

    /** Reads until each feed shows what its query gives, and says of which it does not. */
    const rest = async (watchers: readonly Watcher[]): Promise<void> => {
      const wrong: string[] = [];
      for (const watcher of watchers) {
        await watcher
          .rest(await truthOf(writes, watcher.told), SLOW_MS / 4)
          .catch((error: Error) => void wrong.push(`${watcher.told.name}: ${error.message}`));
        if (watcher.documents.filter(isReady).length !== 1) wrong.push(`${watcher.told.name}: it is ready twice`);
      }
      expect(wrong).toEqual([]);
    };

    test(
      'the queue of RethinkDB runs over',
      async () => {
        await fill();
        const client = await connect();
        const watchers = await watch(client);
        for (const table of TABLES) await changeAll(table, 1);
        await changeSome();
        await rest(watchers);
        // One after the other, so that a table overflows while the other is read again.
        await Promise.all(TABLES.map((table) => changeAll(table, 2)));
        await rest(watchers);
        await client.close();
      },
      SLOW_MS * 2,
    );

    test.runIf(under.name === REAL)(
      'the tables are cut into other shards',
      async () => {
        await fill();
        const client = await connect();
        const watchers = await watch(client);
        for (const [table, shards] of [
          ['t', 2],
          ['u', 3],
          ['t', 1],
        ] as const) {
          await writes.run((r) => r.table(table).reconfigure({ shards, replicas: 1 }));
          await writes.run((r) => r.table(table).wait());
          await changeSome();
          await rest(watchers);
        }
        await writes.run((r) => r.table('u').reconfigure({ shards: 1, replicas: 1 }));
        await writes.run((r) => r.table('u').wait());
        await client.close();
      },
      SLOW_MS * 2,
    );

    test(
      'the connection that carries them goes, while all rows change',
      async () => {
        await fill();
        const [carrier, other] = [await connect(), await connect()];
        const [, watchers] = [await watch(carrier), await watch(other)];
        const changed = changeAll('t', 1);
        await carrier.close();
        await changed;
        await changeSome();
        await rest(watchers);
        await other.close();
      },
      SLOW_MS * 2,
    );

    test(
      'who has left meanwhile takes up what has been read again since',
      async () => {
        await fill();
        const [keeper, client] = [await connect(), await connect()];
        const told = watched.filter(({ shows, changes }) => shows !== 'rows' && changes === undefined);
        const kept = await Promise.all(told.map((one) => Watcher.open(keeper, 'auto', one, { includeStates: true })));
        await Promise.all(kept.map((watcher) => watcher.ready()));
        const left = await Promise.all(
          told.map(async ({ query, shows = 'value' }) => {
            const state = new FeedState(shows);
            const feed = await client.feed((r) =>
              query(r).changes({ includeInitial: true, includeStates: true, includeRevs: true }),
            );
            const documents = await feed.takeUntil('ready', isReady);
            for (const document of documents) state.add(document);
            await feed.close();
            return { query, shows, state, since: revOf(documents.at(-1)) };
          }),
        );
        for (const table of TABLES) await changeAll(table, 1);
        await changeSome();
        await rest(kept);
        for (const [at, { query, state, since }] of left.entries()) {
          const one = told[at];
          if (one === undefined) continue;
          const feed = await client.feed((r) => query(r).changes({ since, includeStates: true }));
          for (const document of await feed.takeUntil('ready', isReady)) state.add(document);
          const truth = await truthOf(writes, one);
          expect(truth.holds(state), `${one.name}: ${state}, not ${JSON.stringify(truth.shown)}`).toBe(true);
          await feed.close();
        }
        await Promise.all([keeper.close(), client.close()]);
      },
      SLOW_MS * 2,
    );
  });
}

const REPLACE = { conflict: 'replace' } as const;

/** Rows with keys of each other's table, of which some miss a field. */
function rowsOf(r: Reql): Reql {
  return r.range(ROWS).map((id: Reql) => {
    const row = { id, n: id.mod(4), x: id.mod(7), v: id.mod(3), tags: ['a', 'b'] };
    return r.branch(id.mod(9).eq(8), row, r.expr(row).merge({ k: r.expr(['a', 'b', 'c']).nth(id.mod(3)) }));
  });
}

function isReady(document: unknown): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === 'ready';
}

function revOf(document: unknown): string {
  if (typeof document === 'object' && document !== null && 'rev' in document) return String(document.rev);
  throw new Error(`there is no revision in ${JSON.stringify(document)}`);
}
