// deploy/haproxy as it stands: HAProxy before two livefolds, with the PROXY protocol, before a cluster of three servers. Dashboards of all
// drivers go on while a livefold stops and a server dies, and the log shows where clients are.

import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { word } from '../support/checks/bytes.ts';
import { Dashboard, FIGURES } from '../support/checks/dashboard.ts';
import { eventually } from '../support/checks/eventually.ts';
import { type Cluster, freePort, startCluster } from '../support/servers/cluster.ts';
import { type Connection, drivers, official } from '../support/servers/drivers.ts';
import { Peer } from '../support/servers/peer.ts';
import { buildProgram, type Program, type Started } from '../support/servers/program.ts';
import { isOnPath } from '../support/servers/programs.ts';
import { V0_4 } from '../support/servers/scene.ts';

const CONFIG = fileURLToPath(new URL('../../deploy/haproxy/haproxy.cfg', import.meta.url));
const DB = 'balanced';
const ROWS = 60;
const START_MS = 60_000;
const isThere = isOnPath('haproxy') && inject('rethinkdb') !== null && process.env['RETHINKDB_HOST'] === undefined;

describe.skipIf(!isThere)('HAProxy before two livefolds before three servers', () => {
  let cluster: Cluster;
  let program: Program;
  let livefolds: readonly Started[];
  let balancer: ChildProcess;
  let front: { host: string; port: number };
  let database: Connection;
  let dashboards: readonly Dashboard[];

  beforeAll(async () => {
    cluster = await startCluster(['a', 'b', 'c']);
    program = await buildProgram();
    const upstreams = cluster.members.map(({ address: { host, port } }) => `${host}:${port}`).join(',');
    const ports = await Promise.all([freePort(), freePort(), freePort(), freePort(), freePort()]);
    const [one, oneAdmin, two, twoAdmin, port] = ports;
    const livefold = (own: number, admin: number): Started =>
      program.start([
        ...['--listen', `127.0.0.1:${own}`, '--upstream', upstreams, '--admin', `127.0.0.1:${admin}`],
        ...['--proxy-protocol', '--log-level', 'info'],
      ]);
    livefolds = [livefold(one, oneAdmin), livefold(two, twoAdmin)];
    for (const { out } of livefolds) await eventually('it listens', () => out().includes('listening'), START_MS);
    front = { host: '127.0.0.1', port };
    balancer = spawn('haproxy', ['-db', '-f', CONFIG], {
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        LIVEFOLD_BIND: `127.0.0.1:${port}`,
        ...{ LIVEFOLD_1: `127.0.0.1:${one}`, LIVEFOLD_1_ADMIN: String(oneAdmin) },
        ...{ LIVEFOLD_2: `127.0.0.1:${two}`, LIVEFOLD_2_ADMIN: String(twoAdmin) },
      },
    });
    const [first] = cluster.members;
    if (first === undefined) throw new Error('no cluster');
    database = await official.connect(first.address, { db: DB });
    await database.run((r) => r.dbCreate(DB));
    await database.run((r) => r.tableCreate('t', { shards: 1, replicas: 3 }));
    await database.run((r) => r.table('t').wait({ waitFor: 'all_replicas_ready' }));
    await database.run((r) => r.table('t').insert(Array.from({ length: ROWS }, (_, id) => rowOf(id, id))));
    dashboards = drivers.flatMap((driver) => [new Dashboard(driver, front, DB), new Dashboard(driver, front, DB)]);
    await right();
  }, 120_000);
  afterAll(async () => {
    for (const dashboard of dashboards ?? []) await dashboard.close();
    await database?.close();
    balancer?.kill('SIGKILL');
    await program?.close();
    await cluster?.stop();
  });

  /** Waits until all dashboards show the truth. */
  const right = async (): Promise<void> => {
    const deadline = performance.now() + 60_000;
    let wrong: readonly string[] = FIGURES.map(({ name }) => name);
    while (wrong.length > 0) {
      if (performance.now() > deadline) throw new Error(`still wrong: ${wrong}`);
      wrong = (await Promise.all(dashboards.map((dashboard) => dashboard.wrong(database)))).flat();
    }
  };

  const write = (n: number): Promise<unknown> =>
    database.run((r) => r.table('t').insert(rowOf(n, n + 7), { conflict: 'replace' }));

  const clientsOf = (livefold: Started): readonly unknown[] =>
    livefold.logged('client ready').map((line) => Object(line).client);

  test('both have clients, and each is where the client is', async () => {
    for (const livefold of livefolds) expect(clientsOf(livefold).length).toBeGreaterThan(0);
    const socket = connect({ ...front, localAddress: '127.0.0.77', allowHalfOpen: true });
    const client = new Peer(socket);
    client.write(Buffer.concat([V0_4, word(0), word(0x7e6970c7)]));
    expect(await client.text()).toBe('SUCCESS');
    socket.destroy();
    await eventually('the log shows it', () => livefolds.flatMap(clientsOf).includes('127.0.0.77'));
    for (const { logged } of livefolds) expect(logged('PROXY protocol header refused')).toEqual([]);
  });

  test('a livefold stops, and its clients are at the other one', async () => {
    const [going, staying] = livefolds;
    if (going === undefined || staying === undefined) throw new Error('there are two');
    const before = clientsOf(staying).length;
    going.child.kill('SIGTERM');
    await write(1);
    await eventually('it has stopped', () => going.code() !== undefined, START_MS);
    expect(going.code()).toBe(0);
    await write(2);
    await right();
    expect(clientsOf(staying).length).toBeGreaterThan(before);
  }, 120_000);

  test('a server dies and comes back, and all figures are right', async () => {
    const [, , victim] = cluster.members;
    await victim?.kill();
    await database.run((r) => r.table('t').wait({ waitFor: 'ready_for_writes', timeout: 60 }));
    await write(3);
    await victim?.start();
    await database.run((r) => r.table('t').wait({ waitFor: 'all_replicas_ready', timeout: 60 }));
    await write(4);
    await right();
    for (const { troubles } of dashboards) expect(troubles.every(({ isTriedAgain }) => isTriedAgain)).toBe(true);
  }, 120_000);
});

function rowOf(id: number, n: number): { id: number; n: number; k: string } {
  return { id, n: n % 9, k: 'abcd'[n % 4] ?? 'a' };
}
