// Three real servers: what a cluster does to a table never shows but as the net change. LIVEFOLD_ROUNDS says how often each drill
// is done.

import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { DriverError } from '../support/checks/driver-error.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Cluster, startCluster } from '../support/servers/cluster.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { proxyOver } from '../support/servers/servers.ts';

const ROUNDS = Number(process.env['LIVEFOLD_ROUNDS'] ?? 1);
const isThere = inject('rethinkdb') !== null && process.env['RETHINKDB_HOST'] === undefined;
const DB = 'cluster';
const ROWS = 60;
const DEADLINE_MS = 30_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly query: Query; readonly shows?: Shows }[] = [
  { query: (r) => T(r).count() },
  { query: (r) => T(r).sum('n') },
  { query: (r) => T(r).avg('n') },
  { query: (r) => T(r).max('n')('n') },
  { query: (r) => T(r).min('n')('n').add(T(r).count()) },
  { query: (r) => T(r).sum('n').div(T(r).count()) },
  { query: (r) => T(r)('n').distinct().count() },
  { query: (r) => T(r).group('k').sum('n'), shows: 'groups' },
  { query: (r) => T(r).group('k').count(), shows: 'groups' },
  { query: (r) => T(r).group('k').max('n')('n').ungroup(), shows: 'rows' },
  { query: (r) => T(r)('n').distinct(), shows: 'rows' },
  { query: (r) => T(r).group('k').count().ungroup().orderBy(r.desc('reduction')).limit(2), shows: 'rows' },
  { query: (r) => T(r)('n').reduce((a: Reql, b: Reql) => a.add(b)) },
];

describe.skipIf(!isThere)('three servers', () => {
  let cluster: Cluster;
  let writes: Connection;
  let proxy: RunningProxy;
  let client: Connection;
  let followed: readonly Followed[];
  let written = 0;

  beforeAll(async () => {
    cluster = await startCluster(['a', 'b', 'c']);
    const [first] = cluster.members;
    if (first === undefined) throw new Error('no cluster');
    writes = await official.connect(first.address, { db: DB });
    await writes.run((r) => r.dbCreate(DB));
    await writes.run((r) => r.tableCreate('t', { shards: 1, replicas: 3 }));
    await writes.run((r) => T(r).wait());
    await writes.run((r) => T(r).insert(Array.from({ length: ROWS }, (_, id) => ({ id, n: id % 7, k: `k${id % 4}` }))));
    proxy = await proxyOver(first.address, createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now }));
    client = await official.connect(proxy.address, { db: DB });
    followed = await Promise.all(
      watched.map(async ({ query, shows = 'value' }) => {
        const feed = await client.feed((r) => query(r).changes({ includeInitial: true }));
        return { query, feed, state: new FeedState(shows) };
      }),
    );
  }, 60_000);
  afterAll(async () => {
    await client.close();
    await proxy.destroy();
    await writes.close();
    await cluster.stop();
  });

  /** Writes, and tries again while the table is not ready. */
  const write = async (): Promise<void> => {
    const n = written++;
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      try {
        await writes.run((r) => T(r).insert({ id: n % 80, n: n % 9, k: `k${n % 5}` }, { conflict: 'replace' }));
        return;
      } catch (error) {
        if (!(error instanceof DriverError) || performance.now() > deadline) throw error;
      }
    }
  };

  const during = async (drill: () => Promise<unknown>): Promise<void> => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await write();
    })();
    await drill();
    await writes.run((r) => T(r).wait({ waitFor: 'all_replicas_ready', timeout: DEADLINE_MS / 1000 }));
    isOver = true;
    await writing;
    await write();
  };

  const primaries =
    (primary: string): Query =>
    (r) =>
      T(r)
        .config()
        .update({ shards: [{ primary_replica: primary, replicas: ['a', 'b', 'c'] }] });

  const drills: readonly { readonly name: string; readonly play: () => Promise<void> }[] = [
    { name: 'more shards', play: () => during(() => writes.run((r) => T(r).reconfigure({ shards: 3, replicas: 3 }))) },
    { name: 'a rebalance', play: () => during(() => writes.run((r) => T(r).rebalance())) },
    { name: 'fewer shards', play: () => during(() => writes.run((r) => T(r).reconfigure({ shards: 1, replicas: 3 }))) },
    { name: 'the primary moved', play: () => during(() => writes.run(primaries('b'))) },
    {
      name: 'a replica killed, and back',
      play: () =>
        during(async () => {
          await cluster.members[2]?.kill();
          await cluster.members[2]?.start();
        }),
    },
    {
      name: 'the primary killed, and back',
      play: () =>
        during(async () => {
          await cluster.members[1]?.kill();
          await write();
          await cluster.members[1]?.start();
        }),
    },
  ];

  test.each(drills)(
    '$name',
    async ({ play }) => {
      for (let round = 0; round < ROUNDS; round++) {
        await play();
        await restAll(followed, writes);
      }
    },
    ROUNDS * 90_000,
  );
});
