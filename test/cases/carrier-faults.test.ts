// Connections to RethinkDB that break at any byte: while a feed is opened, while it is read again, and while another connection
// takes it over. Whoever is still there is shown the truth, chained; upstream has one feed for each query, but while it is handed
// over, and none in the end. LIVEFOLD_RUNS says how densely the bytes lie.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { eventually } from '../support/checks/eventually.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import { UpstreamFeeds } from '../support/checks/upstream-feeds.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { type Fault, type FaultyLink, faultyLink } from '../support/servers/faulty-link.ts';
import { type Base, bases, proxyOver } from '../support/servers/servers.ts';
import { createTable } from '../support/servers/stage.ts';

const DB = 'carrier_faults';
/** Who follows, and does nothing else: what upstream runs for him is counted. */
const USER = 'carried';
const PLANS = ['server', 'proxy'] as const;
const ROWS = 40;
/** Readings that RethinkDB never ends are begun anew, each time with twice the patience. */
const DEADLINE_MS = 30_000;
/** How long RethinkDB may take to notice that a connection, or a feed, is over. */
const HAND_OVER_MS = 2_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly query: Query; readonly shows?: Shows }[] = [
  { query: (r) => T(r).sum('n') },
  { query: (r) => T(r).group('k').count(), shows: 'groups' },
  { query: (r) => T(r)('n').distinct().count() },
];

/** Bytes after which the connection that carries the feeds breaks: the handshake takes some 800 of them, the opening 10,000. */
const STEPS = 8 * Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const MOST_BYTES = 40_000;
const breaks = Array.from({ length: STEPS }, (_, at) => Math.round(100 + MOST_BYTES * (at / STEPS) ** 2));
const KINDS = ['reset', 'end', 'half'] as const;

for (const under of bases) {
  describe.skipIf(!under.there).each(PLANS)(`over ${under.name}, %s plan`, (plan) => {
    let base: Base;
    let writes: Connection;
    let looks: Connection;
    let link: FaultyLink;
    let proxy: RunningProxy;
    const upstream = new UpstreamFeeds(USER);
    /** What the next connection suffers. */
    let fault: Fault = { kind: 'none' };

    beforeAll(async () => {
      base = await under.start();
      writes = await official.connect(base.address, { db: DB });
      looks = await official.connect(base.address, { db: DB });
      await writes.run((r) => r.branch(r.dbList().contains(DB), r.dbDrop(DB), {}));
      await writes.run((r) => r.dbCreate(DB));
      await createTable(writes, 't');
      const users = (r: Reql): Reql => r.db('rethinkdb').table('users');
      await writes.run((r) => users(r).insert({ id: USER, password: '' }, { conflict: 'replace' }));
      await writes.run((r) => r.db(DB).grant(USER, { read: true }));
      link = await faultyLink(base.address, () => fault);
      // A queue that is soon full, so that feeds are read again.
      const settings = { plan, limits: DEFAULT_LIMITS, now: Date.now, upstreamQueueSize: 5 };
      proxy = await proxyOver(link.address, createOpenFeed(settings), { observers: [upstream] });
    });
    afterAll(async () => {
      await proxy.destroy();
      await link.close();
      await writes.run((r) => r.dbDrop(DB));
      await writes.run((r) => r.db('rethinkdb').table('users').get(USER).delete());
      await writes.close();
      await looks.close();
      await base.close();
    });

    const upstreamHas = async (count: number): Promise<void> => {
      const deadline = performance.now() + DEADLINE_MS;
      let has = await upstream.running(writes);
      while (has !== count && performance.now() < deadline) has = await upstream.running(writes);
      expect(has).toBe(count);
    };

    const connect = (suffers: Fault): Promise<Connection> => {
      fault = suffers;
      return official.connect(proxy.address, { db: DB, user: USER, password: '' });
    };

    const follow = async (connection: Connection): Promise<readonly Followed[]> =>
      Promise.all(
        watched.map(async ({ query, shows = 'value' }) => {
          const feed = await connection.feed((r) => query(r).changes({ includeInitial: true }));
          return { query, feed, state: new FeedState(shows) };
        }),
      );

    test.each(breaks.map((after, at) => [after, KINDS[at % KINDS.length] as (typeof KINDS)[number]] as const))(
      'a connection that breaks after %i bytes: %s',
      async (after, kind) => {
        await writes.run((r) => T(r).delete());
        await writes.run((r) => T(r).insert(r.range(ROWS).map((id: Reql) => ({ id, n: id.mod(9), k: id.mod(4) }))));
        const looking = upstream.watch(looks);
        // One carries, one takes over and breaks as well, one is there in the end.
        const breaking: Connection[] = [];
        for (const suffers of [after, after + 3000]) {
          const connection = await connect({ kind, after: suffers }).catch(() => undefined);
          if (connection === undefined) continue;
          breaking.push(connection);
          // Whoever breaks is told so, at whatever he does.
          follow(connection).catch(() => {});
        }
        const lasting = await connect({ kind: 'none' });
        const followed = await follow(lasting);
        for (let round = 0; round < 3; round++) {
          await writes.run((r) => T(r).update({ n: r.row('n').add(1) }, { durability: 'soft' }));
        }
        await writes.run((r) => T(r).get(1).delete());
        await restAll(followed, writes, DEADLINE_MS);
        await upstreamHas(watched.length);
        await lasting.close();
        for (const connection of breaking) await connection.close().catch(() => {});
        await upstreamHas(0);
        expect(await looking()).toBeLessThan(HAND_OVER_MS);
        await eventually('all connections are closed', () => link.open === 0);
      },
      120_000,
    );
  });
}
