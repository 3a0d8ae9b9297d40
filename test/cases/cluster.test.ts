// Three real servers: what a cluster does to a table never shows but as the net change. LIVEFOLD_ROUNDS says how often each drill
// is done, and LIVEFOLD_FIGURES names a file that gets a line for each time: milliseconds from the table being ready to the truth.

import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, inject, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { RunningProxy } from '../../proxy/listener.ts';
import { DriverError } from '../support/checks/driver-error.ts';
import { FeedState, type Shows } from '../support/checks/feed-state.ts';
import { type Followed, restAll } from '../support/checks/followed.ts';
import type { Query, Reql } from '../support/reql.ts';
import { type Cluster, startCluster } from '../support/servers/cluster.ts';
import { canHaveNetwork } from '../support/servers/cluster-network.ts';
import { type Connection, official } from '../support/servers/drivers.ts';
import { proxyOver } from '../support/servers/servers.ts';

const ROUNDS = Number(process.env['LIVEFOLD_ROUNDS'] ?? 1);
const FIGURES = process.env['LIVEFOLD_FIGURES'];
const PLANS = ['server', 'proxy'] as const;
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
  let proxies: readonly RunningProxy[];
  let clients: readonly Connection[];
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
    const { address } = first;
    proxies = await Promise.all(
      PLANS.map((plan) => proxyOver(address, createOpenFeed({ plan, limits: DEFAULT_LIMITS, now: Date.now }))),
    );
    clients = await Promise.all(proxies.map((proxy) => official.connect(proxy.address, { db: DB })));
    const opened = clients.flatMap((client) =>
      watched.map(async ({ query, shows = 'value' }) => {
        const feed = await client.feed((r) => query(r).changes({ includeInitial: true, includeHealing: true }));
        return { query, feed, state: new FeedState(shows) };
      }),
    );
    followed = await Promise.all(opened);
  }, 60_000);
  afterAll(async () => {
    for (const client of clients) await client.close();
    for (const proxy of proxies) await proxy.destroy();
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

  /** Plays while rows are written; gives the moment at which the table was ready. */
  const during = async (drill: () => Promise<unknown>): Promise<number> => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await write();
    })();
    await drill();
    await writes.run((r) => T(r).wait({ waitFor: 'all_replicas_ready', timeout: DEADLINE_MS / 1000 }));
    const ready = performance.now();
    isOver = true;
    await writing;
    await write();
    return ready;
  };

  const writeMany = async (): Promise<void> => {
    for (let count = 0; count < 20; count++) await write();
  };

  /** Waits until the table cannot be written to. */
  const outage = async (): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS;
    while (performance.now() < deadline) {
      const written = await writes.run((r) => T(r).get(1).update({ n: 1 })).catch((error: unknown) => error);
      if (written instanceof DriverError) return;
    }
    throw new Error('the table can still be written to');
  };

  const primaries =
    (primary: string): Query =>
    (r) =>
      T(r)
        .config()
        .update({ shards: [{ primary_replica: primary, replicas: ['a', 'b', 'c'] }] });

  /** Repairs by what one server has: until it knows that the others are gone RethinkDB refuses. */
  const repair = async (): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const done = await writes
        .run((r) => T(r).reconfigure({ emergencyRepair: 'unsafe_rollback' }))
        .catch((error: unknown) => error);
      if (!(done instanceof DriverError)) return;
      if (performance.now() > deadline) throw done;
    }
  };

  /** Waits until all three are known to each other again. */
  const rejoined = async (): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS;
    while ((await writes.run((r) => r.db('rethinkdb').table('server_status').count())) !== 3) {
      if (performance.now() > deadline) throw new Error('not all servers are back');
    }
  };

  const cut = (...pairs: readonly (readonly [string, string])[]): void => {
    for (const [one, other] of pairs) cluster.network?.cut(one, other);
  };

  interface Drill {
    readonly name: string;
    readonly play: () => Promise<number>;
  }

  /** What takes a network that can be cut: Linux and the rights of root. */
  const cuts: readonly Drill[] = [
    {
      name: 'the network cut between the primary and where clients are, and mended',
      async play() {
        await during(() => writes.run(primaries('b')));
        return during(async () => {
          cut(['a', 'b']);
          await outage();
          cluster.network?.mend();
        });
      },
    },
    {
      name: 'the network cut between the primary and all others, and mended',
      play: () =>
        during(async () => {
          cut(['a', 'b'], ['b', 'c']);
          await outage();
          await write();
          cluster.network?.mend();
        }),
    },
    {
      name: 'the network cut between a server and all others, and mended',
      play: () =>
        during(async () => {
          cut(['a', 'c'], ['b', 'c']);
          await writeMany();
          cluster.network?.mend();
        }),
    },
  ];

  const drills: readonly Drill[] = [
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
      name: 'a replica ended in good order, and back',
      play: () =>
        during(async () => {
          await cluster.members[2]?.kill('SIGTERM');
          await writeMany();
          await cluster.members[2]?.start();
        }),
    },
    {
      name: 'a replica that halts, and goes on',
      play: () =>
        during(async () => {
          cluster.members[2]?.halt('SIGSTOP');
          await writeMany();
          cluster.members[2]?.halt('SIGCONT');
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
    {
      name: 'an emergency repair after two of three were lost, who come back',
      play: () =>
        during(async () => {
          await Promise.all([cluster.members[1]?.kill(), cluster.members[2]?.kill()]);
          await outage();
          await repair();
          await write();
          for (const member of cluster.members.slice(1)) await member.start();
          await rejoined();
          await writes.run((r) => T(r).reconfigure({ shards: 1, replicas: 3 }));
        }),
    },
  ];

  const rounds = async ({ name, play }: Drill): Promise<void> => {
    for (let round = 0; round < ROUNDS; round++) {
      const ready = await play();
      await restAll(followed, writes);
      const ms = Math.round(performance.now() - ready);
      if (FIGURES !== undefined) appendFileSync(FIGURES, `${JSON.stringify({ name, round, ms })}\n`);
    }
  };

  test.each(drills)('$name', rounds, ROUNDS * 90_000);
  test.runIf(canHaveNetwork()).each(cuts)('$name', rounds, ROUNDS * 120_000);
});
