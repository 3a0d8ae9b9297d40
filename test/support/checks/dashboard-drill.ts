// A drill for dashboards in two phases: while rows are written, servers are killed at random, one at a time, and come back; then all
// are well, and every figure of every dashboard has to be right, on the screens that have been there from the start.

import { Line } from '../../../examples/follow.js';
import { DEFAULT_LIMITS } from '../../../proxy/feed/default-limits.ts';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import { type RunningProxy, startProxy } from '../../../proxy/listener.ts';
import { silent } from '../../../proxy/log.ts';
import type { Address } from '../../../proxy/upstream/address.ts';
import { createEmbeddedServer } from '../../../src/embedded/index.ts';
import type { Query } from '../reql.ts';
import { startCluster } from '../servers/cluster.ts';
import { type Connection, type Driver, drivers, official } from '../servers/drivers.ts';
import { faultyLink } from '../servers/faulty-link.ts';
import { Dashboard } from './dashboard.ts';

const DB = 'dashboard';
const KEYS = 200;
const RIGHT_MS = 60_000;

/** Something that dashboards depend on. */
export interface Victim {
  readonly name: string;
  kill(): Promise<void>;
  /** Starts it again where it was. */
  revive(): Promise<void>;
}

/** Where a drill takes place. */
export interface Ground {
  readonly victims: readonly Victim[];
  /** Where dashboards connect. */
  readonly proxy: Address;
  /** Where rows are written. */
  readonly writes: Address;
  /** Straight to the database: it is used while all are well. */
  database(): Promise<Connection>;
  close(): Promise<void>;
}

/** What there is to be told of a drill. */
export interface DrillReport {
  readonly kills: number;
  readonly writes: number;
  readonly dashboards: readonly {
    readonly driver: string;
    readonly connections: number;
    readonly differences: number;
    /** Figures that were still wrong when the time was over. */
    readonly wrong: readonly string[];
  }[];
  /** Milliseconds from the last revival until all figures were right. */
  readonly rightAfter: number;
}

/** How a drill goes. */
export interface DrillSettings {
  /** How long the first phase takes, in milliseconds. */
  readonly ms: number;
  /** The longest pause between a kill and a revival, and between a revival and the next kill. */
  readonly pauseMs: number;
  /** Numbers from 0 to below 1. */
  random(): number;
  /** Told of each kill. */
  tell(line: string): void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Plays a drill. */
export async function playDrill(ground: Ground, { ms, pauseMs, random, tell }: DrillSettings): Promise<DrillReport> {
  const owner = await ground.database();
  await owner.run((r) => r.table('t').insert(Array.from({ length: 20 }, (_, n) => rowOf(n, random))));
  await owner.close();
  const dashboards = drivers.map((driver) => new Dashboard(driver, ground.proxy, DB));
  const writer = new Writer(official, ground.writes, random);
  const end = performance.now() + ms;
  let kills = 0;
  while (performance.now() < end) {
    await pause(random() * pauseMs);
    const victim = ground.victims[Math.floor(random() * ground.victims.length)];
    if (victim === undefined) break;
    kills++;
    tell(`${victim.name} is killed`);
    await victim.kill();
    await pause(random() * pauseMs);
    await victim.revive();
  }
  const well = performance.now();
  tell('all are well');
  const writes = await writer.stop();
  const database = await ground.database();
  let wrong: readonly (readonly string[])[] = [];
  do {
    wrong = await Promise.all(dashboards.map((dashboard) => dashboard.wrong(database)));
  } while (wrong.flat().length > 0 && performance.now() - well < RIGHT_MS);
  const rightAfter = performance.now() - well;
  const told = dashboards.map(({ name, connections, differences }, index) => ({
    driver: name,
    connections: connections.length,
    differences: differences.length,
    wrong: wrong[index] ?? [],
  }));
  for (const dashboard of dashboards) await dashboard.close();
  await database.close();
  return { kills, writes, dashboards: told, rightAfter };
}

function rowOf(id: number, random: () => number): { id: number; n: number; k: string } {
  return { id, n: Math.floor(random() * 50), k: 'abcd'[Math.floor(random() * 4)] ?? 'a' };
}

/** Writes rows, one after the other, over one connection that is made again when it is lost. */
class Writer {
  readonly #line: Line;
  readonly #driver: Driver;
  readonly #random: () => number;
  readonly #ended: Promise<void>;
  #isOver = false;
  #writes = 0;

  constructor(driver: Driver, address: Address, random: () => number) {
    this.#driver = driver;
    this.#random = random;
    this.#line = new Line(() => driver.dial(address, { db: DB }));
    this.#ended = this.#write();
  }

  /** Resolves to how many writes were acknowledged. */
  async stop(): Promise<number> {
    this.#isOver = true;
    await this.#ended;
    await this.#line.close();
    return this.#writes;
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      try {
        await this.#driver.run(await this.#line.connection(), this.#next());
        this.#writes++;
      } catch {
        // Nobody knows whether it was written, and it does not matter: the rows in the end count.
        await pause(20);
      }
    }
  }

  #next(): Query {
    const id = Math.floor(this.#random() * KEYS);
    if (this.#random() < 0.3) return (r) => r.table('t').get(id).delete();
    return (r) => r.table('t').insert(rowOf(id, this.#random), { conflict: 'replace' });
  }
}

/** The in-memory database behind two ways to it, which die in the place of servers. */
export async function embeddedGround(): Promise<Ground> {
  const server = await createEmbeddedServer();
  const ways = [await way(server.address), await way(server.address)];
  const database = (): Promise<Connection> => official.connect(server.address, { db: DB });
  await prepare(await database(), (r) => r.tableCreate('t'));
  const proxy = await mortalProxy(ways.map(({ address }) => address));
  return {
    victims: [...ways.map(({ victim }, index) => ({ ...victim, name: `way ${index + 1}` })), proxy.victim],
    proxy: proxy.address,
    writes: server.address,
    database,
    async close() {
      await proxy.victim.kill();
      for (const { victim } of ways) await victim.kill();
      await server.close();
    },
  };
}

/** Three real servers, of programs on the PATH, with a table that each has whole. */
export async function clusterGround(): Promise<Ground> {
  const cluster = await startCluster(['a', 'b', 'c']);
  const [first] = cluster.members;
  if (first === undefined) throw new Error('no cluster');
  const database = (): Promise<Connection> => official.connect(first.address, { db: DB });
  await prepare(await database(), (r) => r.tableCreate('t', { shards: 1, replicas: 3 }));
  const proxy = await mortalProxy(cluster.members.map(({ address }) => address));
  return {
    victims: [
      ...cluster.members.map((member) => ({
        name: `server ${member.name}`,
        kill: () => member.kill(),
        revive: () => member.start(),
      })),
      proxy.victim,
    ],
    proxy: proxy.address,
    writes: proxy.address,
    async database() {
      const connection = await database();
      await connection.run((r) => r.table('t').wait({ waitFor: 'all_replicas_ready', timeout: RIGHT_MS / 1000 }));
      return connection;
    },
    async close() {
      await proxy.victim.kill();
      await cluster.stop();
    },
  };
}

async function prepare(connection: Connection, createTable: Query): Promise<void> {
  await connection.run((r) => r.dbCreate(DB));
  await connection.run(createTable);
  await connection.close();
}

async function way(target: Address): Promise<{ readonly address: Address; readonly victim: Omit<Victim, 'name'> }> {
  let link = await faultyLink(target, { kind: 'none' });
  const { address } = link;
  const revive = async (): Promise<void> => {
    link = await faultyLink(target, { kind: 'none' }, address.port);
  };
  return { address, victim: { kill: () => link.close(), revive } };
}

async function mortalProxy(
  upstreams: readonly Address[],
): Promise<{ readonly address: Address; readonly victim: Victim }> {
  const openFeed = createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now });
  const start = (port: number): Promise<RunningProxy> =>
    startProxy({ listen: { host: '127.0.0.1', port }, upstreams, openFeed, log: silent });
  let proxy = await start(0);
  const { address } = proxy;
  return {
    address,
    victim: {
      name: 'the proxy',
      kill: () => proxy.destroy(),
      async revive() {
        proxy = await start(address.port);
      },
    },
  };
}
