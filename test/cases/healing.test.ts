// What RethinkDB ends or spoils for reasons of its own is read again, and feeds go on with the net change: an overflow of its
// queue, a table that is cut into other shards. What is final ends them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import { error, expectError } from '../support/checks/matchers.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { REAL } from '../support/servers/server-names.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';

const DB = 'healing';
const ROWS = 150;
const PLANS = ['server', 'proxy'] as const;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly name: string; readonly query: Query; readonly shows?: Shows }[] = [
  { name: 'a count', query: (r) => T(r).count() },
  { name: 'a sum', query: (r) => T(r).sum('n') },
  { name: 'an average', query: (r) => T(r).avg('n') },
  { name: 'a maximum', query: (r) => T(r).max('n')('n') },
  { name: 'an expression', query: (r) => T(r).sum('n').div(T(r).count()) },
  { name: 'a list', query: (r) => T(r)('n').distinct().count() },
  { name: 'groups', query: (r) => T(r).group('k').sum('n'), shows: 'groups' },
  { name: 'counts of groups', query: (r) => T(r).group('k').count(), shows: 'groups' },
  { name: 'rows of groups', query: (r) => T(r).group('k').sum('n').ungroup(), shows: 'rows' },
  { name: 'distinct values', query: (r) => T(r)('k').distinct(), shows: 'rows' },
  {
    name: 'a leaderboard',
    query: (r) => T(r).group('k').sum('n').ungroup().orderBy(r.desc('reduction')).limit(2),
    shows: 'rows',
  },
  { name: 'a reduction', query: (r) => T(r)('n').reduce((a: Reql, b: Reql) => a.add(b)) },
];

for (const base of bases) {
  describe.skipIf(!base.there).each(PLANS)(`${base.name}, %s plan`, (plan) => {
    let running: Base;
    let writes: Connection;
    let proxy: RunningProxy;
    let client: Connection;
    beforeAll(async () => {
      running = await base.start();
      writes = await official.connect(running.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      proxy = await proxyOver(running.address, createOpenFeed({ plan, limits: DEFAULT_LIMITS, now: Date.now }));
      client = await official.connect(proxy.address, { db: DB });
    });
    afterAll(async () => {
      await client.close();
      await proxy.destroy();
      await writes.run((r) => r.dbDrop(DB));
      await writes.close();
      await running.close();
    });

    /** A table with rows in it, and feeds of everything that is watched. */
    const begin = async (options: object): Promise<readonly Followed[]> => {
      await writes.run((r) => r.branch(r.tableList().contains('t'), r.tableDrop('t'), {}));
      await writes.run((r) => r.tableCreate('t'));
      await writes.run((r) => T(r).wait());
      await writes.run((r) =>
        T(r).insert(
          Array.from({ length: ROWS }, (_, id) => ({ id, n: id % 7, k: `k${id % 5}` })),
          { durability: 'soft' },
        ),
      );
      return Promise.all(
        watched.map(async ({ query, shows = 'value' }) => {
          const feed = await client.feed((r) =>
            query(r).changes({ includeInitial: true, includeStates: true, ...options }),
          );
          const state = new FeedState(shows);
          for (const document of await feed.takeUntil('ready', isReady)) state.add(document);
          return { query, feed, state };
        }),
      );
    };

    const rest = async (followed: readonly Followed[]): Promise<void> => {
      await restAll(followed, writes);
      for (const { feed } of followed) await feed.close();
    };

    test('a queue that runs over is nothing that a client sees', async () => {
      const followed = await begin({ changefeedQueueSize: 20 });
      await writes.run((r) => T(r).update({ n: r.row('n').add(1), k: 'k1' }, { durability: 'soft' }));
      await writes.run((r) => T(r).get(3).update({ n: 100 }));
      await rest(followed);
    });

    test.runIf(base.name === REAL)(
      'a table that is cut into other shards goes on',
      async () => {
        const followed = await begin({});
        for (const shards of [3, 1]) {
          await writes.run((r) =>
            T(r)
              .get(1)
              .update({ n: r.row('n').add(10) }),
          );
          await writes.run((r) => T(r).reconfigure({ shards, replicas: 1 }));
          await writes.run((r) => T(r).wait());
          await writes.run((r) =>
            T(r)
              .get(2)
              .update({ k: `k${shards}`, n: 5 }),
          );
        }
        await rest(followed);
      },
      60_000,
    );

    test.runIf(base.name === REAL)('who wants to know is told that a feed is being healed', async () => {
      const [first, ...more] = await begin({ includeHealing: true });
      for (const { feed } of more) await feed.close();
      await writes.run((r) => T(r).reconfigure({ shards: 2, replicas: 1 }));
      await writes.run((r) => T(r).wait());
      const told = (await first?.feed.takeUntil('healed', (document) => isState(document, 'healed'))) ?? [];
      expect(told.filter((document) => isState(document, 'healing'))).toHaveLength(1);
      await first?.feed.close();
    });

    test('a table that is dropped ends its feeds', async () => {
      const followed = await begin({});
      await writes.run((r) => r.tableDrop('t'));
      for (const { feed } of followed) {
        const ending = await feed.ending();
        if (ending.kind !== 'failed') throw new Error('no error');
        expectError(ending.error, error('OP_FAILED', /Changefeed aborted|does not exist/));
      }
    });

    test('a sign of life comes while nothing changes', async () => {
      const followed = await begin({ heartbeat: 0.05 });
      for (const { feed } of followed) {
        await feed.takeUntil('a sign of life', (document) => isState(document, 'alive'));
        await feed.takeUntil('another one', (document) => isState(document, 'alive'));
        await feed.close();
      }
    });
  });
}

function isState(document: unknown, state: string): boolean {
  return typeof document === 'object' && document !== null && 'state' in document && document.state === state;
}

function isReady(document: unknown): boolean {
  return isState(document, 'ready');
}
