// Several upstream servers of which some die: the next connection goes to one that lives, within a second.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { type ProxySettings, type RunningProxy, startProxy } from '../../proxy/listener.ts';
import { silent } from '../../proxy/log.ts';
import { noFeeds } from '../../proxy/relay/feed-port.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import { type Outcome, startRace } from '../../proxy/upstream/race.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { text, word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { makeCertificate } from '../support/servers/certificate.ts';
import { startCluster } from '../support/servers/cluster.ts';
import { type Driver, drivers, type RawConnection } from '../support/servers/drivers.ts';
import { connectPeer, scriptedServer } from '../support/servers/peer.ts';
import { V0_4 } from '../support/servers/scene.ts';

/** What is promised, in milliseconds. */
const SOON_MS = 1000;
const HELLO = Buffer.concat([V0_4, word(0), word(0x7e6970c7)]);

/** A server that can die. */
interface Mortal {
  readonly address: Address;
  kill(): Promise<unknown>;
}

function proxyOver(upstreams: readonly Address[], settings: Partial<ProxySettings> = {}): Promise<RunningProxy> {
  const listen = { host: '127.0.0.1', port: 0 };
  return startProxy({ listen, upstreams, openFeed: noFeeds, log: silent, ...settings });
}

/** Connects by a driver, kills whatever server that is connected to, and connects again, until one server is left. */
async function outlive(servers: readonly Mortal[], driver: Driver): Promise<readonly number[]> {
  const proxy = await proxyOver(servers.map(({ address }) => address));
  const took: number[] = [];
  try {
    for (const left of servers.toReversed().slice(0, -1)) {
      const connections: RawConnection[] = [];
      // One for each server, so that one of them is connected to the one that dies.
      for (const _ of servers) connections.push(await driver.dial(proxy.address, { db: 'test' }));
      for (const connection of connections) Object(connection).on('error', () => {});
      await left.kill();
      await eventually('a connection is lost', () => connections.some(({ open }) => !open));
      const start = performance.now();
      const again = await driver.dial(proxy.address, { db: 'test' });
      took.push(performance.now() - start);
      for (const connection of [...connections, again]) await connection.close({ noreplyWait: false });
    }
    return took;
  } finally {
    await proxy.destroy();
  }
}

test.each(drivers.map((driver) => ({ name: driver.name, driver })))(
  '$name: of three servers two die, one after the other',
  async ({ driver }) => {
    const servers = [await createEmbeddedServer(), await createEmbeddedServer(), await createEmbeddedServer()];
    const mortals = servers.map((server) => ({ address: server.address, kill: () => server.close() }));
    const took = await outlive(mortals, driver);
    await servers[0]?.close();
    expect(took).toHaveLength(2);
    expect(Math.max(...took)).toBeLessThan(SOON_MS);
  },
);

const isThere = inject('rethinkdb') !== null && process.env['RETHINKDB_HOST'] === undefined;
describe.skipIf(!isThere)('three servers of RethinkDB', () => {
  test.each(drivers.map((driver) => ({ name: driver.name, driver })))(
    '$name: two die, one after the other',
    async ({ driver }) => {
      const cluster = await startCluster(['a', 'b', 'c']);
      try {
        const took = await outlive(cluster.members, driver);
        expect(took).toHaveLength(2);
        expect(Math.max(...took)).toBeLessThan(SOON_MS);
      } finally {
        await cluster.stop();
      }
    },
  );
});

test('no client waits long for a server that neither accepts nor refuses, though nobody has found that out yet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'livefold-failover-'));
  const authority = makeCertificate('authority');
  const { cert, key } = makeCertificate('local', ['127.0.0.1'], authority);
  const ca = join(folder, 'authority.cert');
  writeFileSync(ca, authority.cert);
  const hole = await scriptedServer();
  const good = createServer({ cert, key }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.write(text('SUCCESS')));
  });
  await new Promise<void>((resolve) => good.listen(0, '127.0.0.1', resolve));
  const bound = good.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const upstreams = [hole.address, { host: '127.0.0.1', port }];
  const proxy = await proxyOver(upstreams, { upstreamTls: { ca }, watchUpstreams: false });
  try {
    const start = performance.now();
    const client = await connectPeer(proxy.address);
    client.write(HELLO);
    expect(await client.text()).toBe('SUCCESS');
    expect(performance.now() - start).toBeLessThan(SOON_MS);
    expect(hole.accepted).toBe(1);
    const late = await hole.accept();
    client.socket.destroy();
    await proxy.destroy();
    await late.ended();
  } finally {
    await proxy.destroy();
    await hole.close();
    good.close();
    rmSync(folder, { recursive: true });
  }
});

describe('a race', () => {
  afterEach(() => void vi.useRealTimers());

  /** A race of servers that are settled by hand; what was told of it. */
  const race = (servers: readonly string[]) => {
    vi.useFakeTimers();
    const settles = new Map<string, (outcome: Outcome) => void>();
    const told: string[] = [];
    const end = startRace(
      servers,
      (server, settle) => {
        told.push(`try ${server}`);
        settles.set(server, settle);
        return () => told.push(`end ${server}`);
      },
      {
        reached: (_socket, server) => told.push(`reached ${server}`),
        failed: (reason) => told.push(`failed: ${reason}`),
      },
      () => told.push('over'),
    );
    return { end, told, settle: (server: string, outcome: Outcome) => settles.get(server)?.(outcome) };
  };

  const socketThat = async (): Promise<{ socket: Exclude<Outcome, string>; close: () => Promise<void> }> => {
    const server = await scriptedServer();
    const { socket } = await connectPeer(server.address);
    return { socket, close: () => server.close() };
  };

  test('one that fails is followed by the next at once, and the last reason is told', () => {
    const { told, settle } = race(['a', 'b']);
    settle('a', 'no a');
    settle('b', 'no b');
    expect(told).toEqual(['try a', 'try b', 'failed: no b', 'over']);
  });

  test('one that is slow is given up when another one is reached, and its connection is closed when it comes', async () => {
    const [first, late] = [await socketThat(), await socketThat()];
    const { told, settle } = race(['a', 'b', 'c']);
    vi.advanceTimersByTime(250);
    settle('b', first.socket);
    vi.advanceTimersByTime(10_000);
    settle('a', late.socket);
    expect(told).toEqual(['try a', 'try b', 'reached b', 'over']);
    expect([first.socket.destroyed, late.socket.destroyed]).toEqual([false, true]);
    first.socket.destroy();
    vi.useRealTimers();
    await Promise.all([first.close(), late.close()]);
  });

  test('all that are slow run together, and whoever is reached first counts', () => {
    const { told, settle } = race(['a', 'b', 'c']);
    vi.advanceTimersByTime(600);
    settle('c', 'no c');
    settle('a', 'no a');
    settle('b', 'no b');
    expect(told).toEqual(['try a', 'try b', 'try c', 'failed: no b', 'over']);
  });

  test('it can be ended, and nothing is told of it afterwards', () => {
    const { told, end } = race(['a', 'b', 'c']);
    vi.advanceTimersByTime(300);
    end();
    vi.advanceTimersByTime(10_000);
    expect(told).toEqual(['try a', 'try b', 'end a', 'end b', 'over']);
  });

  test('nobody to be tried is told of', () => {
    expect(race([]).told).toEqual(['failed: no upstream is configured']);
  });
});
