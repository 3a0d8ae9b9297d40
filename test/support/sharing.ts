// A proxy whose clients share feeds, with a log that is kept and a table of its own: what was opened, and what upstream runs.

import { DEFAULT_LIMITS } from '../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../proxy/feed/opening/open-feed.ts';
import type { OpenFeedSettings } from '../../proxy/feed/opening/open-feed-settings.ts';
import { type ProxySettings, type RunningProxy, startProxy } from '../../proxy/listener.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import type { Reql } from './reql.ts';
import { type Connection, type Login, official } from './servers/drivers.ts';
import type { Feed } from './servers/fetch.ts';
import type { BaseUnderTest } from './servers/servers.ts';
import { writtenLog } from './servers/written-log.ts';

/** How a query was opened, as the log says. */
export interface OpenedLine {
  readonly carried: string;
  readonly why?: string;
  readonly user?: string;
}

/** What sharing is played on. */
export interface SharingStage {
  readonly proxy: RunningProxy;
  /** Connected straight to the database. */
  readonly writes: Connection;
  /** A client of the proxy. All are closed in the end. */
  connect(login?: Omit<Login, 'db'>): Promise<Connection>;
  /** A client of the database, without a proxy. */
  direct(login: Omit<Login, 'db'>): Promise<Connection>;
  /** A user with the right to read the database, who is gone in the end. */
  user(name: string): Promise<Omit<Login, 'db'>>;
  /** The queries that were opened, and how. */
  opened(): readonly OpenedLine[];
  /** Waits until upstream runs so many queries of a user's. */
  upstreamHas(user: string, count: number): Promise<void>;
}

/** How the proxy is set up. */
export interface SharingSettings {
  readonly feeds: Pick<OpenFeedSettings, 'plan'> & Partial<OpenFeedSettings>;
  readonly proxy?: Partial<ProxySettings>;
  /** Puts something between the proxy and the database, which is closed in the end. */
  readonly link?: (target: Address) => Promise<{ readonly address: Address; close(): Promise<void> }>;
}

const DEADLINE_MS = 5_000;

/** Sets the stage in a database with an empty table `t`, plays, and clears all away. */
export async function onSharingStage(
  under: BaseUnderTest,
  db: string,
  { feeds, proxy: more, link: linked }: SharingSettings,
  play: (stage: SharingStage) => Promise<void>,
): Promise<void> {
  const base = await under.start();
  const link = await linked?.(base.address);
  const { log, lines } = writtenLog('info');
  const openFeed = createOpenFeed({ limits: DEFAULT_LIMITS, now: Date.now, ...feeds });
  const proxy = await startProxy({
    listen: { host: '127.0.0.1', port: 0 },
    upstreams: [link?.address ?? base.address],
    openFeed,
    log,
    ...more,
  });
  const writes = await official.connect(base.address, { db });
  const clients: Connection[] = [];
  const users: string[] = [];
  const running = (user: string): Promise<unknown> =>
    writes.run((r) =>
      r
        .db('rethinkdb')
        .table('jobs')
        .filter((job: Reql) => job('type').eq('query').and(job('info')('user').eq(user)))
        .count(),
    );
  try {
    await writes.run((r) => r.branch(r.dbList().contains(db), r.dbDrop(db), {}));
    await writes.run((r) => r.dbCreate(db));
    await writes.run((r) => r.tableCreate('t'));
    await play({
      proxy,
      writes,
      async connect(login = {}) {
        const client = await official.connect(proxy.address, { db, ...login });
        clients.push(client);
        return client;
      },
      async direct(login) {
        const client = await official.connect(base.address, { db, ...login });
        clients.push(client);
        return client;
      },
      async user(name) {
        users.push(name);
        await writes.run((r) =>
          r.db('rethinkdb').table('users').insert({ id: name, password: '' }, { conflict: 'replace' }),
        );
        await writes.run((r) => r.db(db).grant(name, { read: true, write: null, config: null }));
        return { user: name, password: '' };
      },
      opened: () =>
        lines.map((line) => JSON.parse(line)).filter(({ msg }: { readonly msg: string }) => msg === 'feed opened'),
      async upstreamHas(user, count) {
        const deadline = performance.now() + DEADLINE_MS;
        let has = await running(user);
        while (has !== count && performance.now() < deadline) has = await running(user);
        if (has !== count) throw new Error(`upstream runs ${String(has)} queries of ${user}, not ${count}`);
      },
    });
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await proxy.destroy();
    await link?.close();
    for (const name of users) await writes.run((r) => r.db('rethinkdb').table('users').get(name).delete());
    await writes.run((r) => r.dbDrop(db));
    await writes.close();
    await base.close();
  }
}

/** Reads on until a document has this `new_val`, for values that no other document of the feed has. */
export async function until(feed: Feed, value: unknown): Promise<readonly unknown[]> {
  return await feed.takeUntil(
    `new_val ${JSON.stringify(value)}`,
    (document) =>
      typeof document === 'object' && document !== null && 'new_val' in document && document.new_val === value,
  );
}
