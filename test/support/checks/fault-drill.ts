// Feeds whose connections to RethinkDB suffer while they are opened, read again and handed over: one carries and suffers, one takes
// over and suffers as well, one is there in the end. Whoever is still there is shown the truth, chained; upstream has one feed for
// each query, but while it is handed over, and none in the end.

import { expect } from 'vitest';
import { DEFAULT_LIMITS } from '../../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import type { Address } from '../../../proxy/upstream/address.ts';
import type { Plan } from '../../../rewrite/plan/choose-plan.ts';
import type { Query, Reql } from '../reql.ts';
import { type Connection, official } from '../servers/drivers.ts';
import { type BaseUnderTest, proxyOver } from '../servers/servers.ts';
import { createTable } from '../servers/stage.ts';
import { eventually } from './eventually.ts';
import { FeedState, type Shows } from './feed-state.ts';
import { type Followed, restAll } from './followed.ts';
import { UpstreamFeeds } from './upstream-feeds.ts';

const ROWS = 40;
/** A queue that is soon full, so that feeds are read again. */
const QUEUE = 5;
/** A reading that says nothing is begun anew after some seconds, the next one after twice as many. */
const DEADLINE_MS = 30_000;
/** How long one drill may take. */
export const DRILL_MS = DEADLINE_MS * 4;
/** How long RethinkDB may take to notice that a connection, or a feed, is over. */
const HAND_OVER_MS = 2_000;
/** The driver *rethinkdb* raises an error that nobody can catch, so many seconds after a handshake that was cut off in good order. */
const NEVER_S = 1_000_000;
const T = (r: Reql): Reql => r.table('t');

const watched: readonly { readonly query: Query; readonly shows?: Shows }[] = [
  { query: (r) => T(r).sum('n') },
  { query: (r) => T(r).group('k').count(), shows: 'groups' },
  { query: (r) => T(r)('n').distinct().count() },
  // What the index holds is asked, and watched.
  { query: (r) => T(r).getAll(1, { index: 'k' }).count() },
];

/** A link that does to connections what they suffer. */
export interface SufferedLink {
  readonly address: Address;
  /** Sockets, on both sides, that are not closed. */
  readonly open: number;
  close(): Promise<void>;
}

/** Where the drill is played. */
export interface DrillSettings<Suffers> {
  readonly under: BaseUnderTest;
  readonly plan: Plan;
  /** The database, and the user who follows and does nothing else: what upstream runs for him is counted. */
  readonly name: string;
  /** Starts the link; a function is asked what each connection suffers, which is nothing for `undefined`. */
  readonly startLink: (target: Address, suffers: () => Suffers | undefined) => Promise<SufferedLink>;
  /** Whether the next connection waits until the one before it has opened its feeds, or was told that it cannot. */
  readonly inTurn: boolean;
}

/** A drill that can be played. */
export interface FaultDrill<Suffers> {
  /** Plays it once: what the first and the second connection suffer, and whether they outlive it; then no feed of theirs may end. */
  play(first: Suffers, second: Suffers, lives: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Starts a database, the link and a proxy. */
export async function faultDrill<Suffers>(settings: DrillSettings<Suffers>): Promise<FaultDrill<Suffers>> {
  const { under, plan, name, startLink, inTurn } = settings;
  const base = await under.start();
  const writes = await official.connect(base.address, { db: name });
  const looks = await official.connect(base.address, { db: name });
  await writes.run((r) => r.branch(r.dbList().contains(name), r.dbDrop(name), {}));
  await writes.run((r) => r.dbCreate(name));
  await createTable(writes, 't');
  const users = (r: Reql): Reql => r.db('rethinkdb').table('users');
  await writes.run((r) => users(r).insert({ id: name, password: '' }, { conflict: 'replace' }));
  await writes.run((r) => r.db(name).grant(name, { read: true }));
  const upstream = new UpstreamFeeds(name);
  /** What the next connection suffers. */
  let suffers: Suffers | undefined;
  const link = await startLink(base.address, () => suffers);
  const proxy = await proxyOver(
    link.address,
    createOpenFeed({ plan, limits: DEFAULT_LIMITS, now: Date.now, upstreamQueueSize: QUEUE }),
    { observers: [upstream] },
  );

  const connect = (suffering: Suffers | undefined): Promise<Connection> => {
    suffers = suffering;
    return official.connect(proxy.address, { db: name, user: name, password: '', timeout: NEVER_S });
  };

  const follow = (connection: Connection): Promise<readonly Followed[]> =>
    Promise.all(
      watched.map(async ({ query, shows = 'value' }) => {
        const feed = await connection.feed((r) => query(r).changes({ includeInitial: true }));
        return { query, feed, state: new FeedState(shows) };
      }),
    );

  const upstreamHas = async (count: number): Promise<void> => {
    const deadline = performance.now() + DEADLINE_MS;
    let has = await upstream.running(writes);
    while (has !== count && performance.now() < deadline) has = await upstream.running(writes);
    expect(has).toBe(count);
  };

  /** A connection that suffers, if it comes about at all, and what it follows: whoever suffers may be told so, at whatever he does. */
  const suffer = async (suffering: Suffers): Promise<Suffering> => {
    const connection = await connect(suffering).catch(() => undefined);
    const followed = connection === undefined ? Promise.resolve(NOBODY) : follow(connection).catch(() => NOBODY);
    if (inTurn) await followed;
    return { followed, close: async () => connection?.close().catch(() => {}) };
  };

  /** Who follows over a connection that goes is told so, and else the truth. */
  const restsOrEnds = async (one: Followed): Promise<void> => {
    await restAll([one], writes, DEADLINE_MS).catch((error: unknown) => {
      if (one.feed.over?.kind !== 'failed') throw error;
    });
  };

  const write = (id: number, n: number): Promise<unknown> =>
    writes.run((r) =>
      T(r)
        .get(id)
        .update({ n, k: id % 4 }),
    );

  return {
    async play(first, second, lives) {
      await writes.run((r) => T(r).delete());
      await writes.run((r) => T(r).insert(r.range(ROWS).map((id: Reql) => ({ id, n: id.mod(9), k: id.mod(4) }))));
      const looking = upstream.watch(looks);
      const one = await suffer(first);
      const two = await suffer(second);
      const lasting = await connect(undefined);
      const followed = await follow(lasting);
      for (let round = 0; round < 3; round++) {
        await writes.run((r) => T(r).update({ n: r.row('n').add(1) }, { durability: 'soft' }));
      }
      await writes.run((r) => T(r).get(1).delete());
      await restAll(followed, writes, DEADLINE_MS);
      for (const suffered of [one, two]) {
        const others = await suffered.followed;
        if (lives) await restAll(others, writes, DEADLINE_MS);
        else for (const other of others) await restsOrEnds(other);
        await suffered.close();
        await write(2, suffered === one ? 100 : 101);
        await restAll(followed, writes, DEADLINE_MS);
      }
      await upstreamHas(watched.length);
      await lasting.close();
      await upstreamHas(0);
      expect(await looking()).toBeLessThan(HAND_OVER_MS);
      await eventually('all connections are closed', () => link.open === 0);
    },
    async close() {
      await proxy.destroy();
      await link.close();
      await writes.run((r) => r.dbDrop(name));
      await writes.run((r) => users(r).get(name).delete());
      await writes.close();
      await looks.close();
      await base.close();
    },
  };
}

interface Suffering {
  readonly followed: Promise<readonly Followed[]>;
  close(): Promise<void>;
}

const NOBODY: readonly Followed[] = [];
