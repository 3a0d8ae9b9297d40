// The program as processes: what is printed where, exit codes, signals, workers.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { STOPPING } from '../../proxy/stopping.ts';
import type { Address } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { word } from '../support/checks/bytes.ts';
import { eventually } from '../support/checks/eventually.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { buildProgram, type Program, type Started } from '../support/servers/program.ts';
import { binaryHeader } from '../support/servers/proxy-header.ts';
import { V0_4 } from '../support/servers/scene.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let program: Program;

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.close());

function start(...args: readonly string[]): Started {
  return program.start(args);
}

function startWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Started {
  return program.start(args, [], env);
}

/** A process of the program takes its time to start where others want the machine. */
const START_MS = 60_000;

/** Resolves when the program has ended. */
function end({ code }: Started): Promise<void> {
  return eventually('it has ended', () => code() !== undefined, START_MS);
}

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly worker?: number;
  readonly pid?: number;
  readonly [field: string]: unknown;
}

/** The lines of the log, each of which is JSON; with a message, if one is given. */
function logged({ err }: Started, message?: string): readonly Line[] {
  const lines = err().split('\n').slice(0, -1);
  return lines.map((line): Line => JSON.parse(line)).filter(({ msg }) => message === undefined || msg === message);
}

const READY = /^livefold listening on 127\.0\.0\.1:(\d+), upstream 127\.0\.0\.1:\d+\n$/;

async function readyPort({ out }: Started): Promise<number> {
  await eventually('it is ready', () => READY.test(out()), START_MS);
  return Number(READY.exec(out())?.[1]);
}

const at = (port: number): Address => ({ host: '127.0.0.1', port });
const COUNT = '[1,[152,[[43,[[15,["t"]]]]],{"include_initial":true}]]';
const NATIVE = '[1,[152,[[15,["t"]]]]]';

test('the ready line is all of standard output; SIGTERM ends with 0', async () => {
  for (const workers of ['0', '1']) {
    const started = start('--embedded', '--listen', '127.0.0.1:0', '--workers', workers);
    await readyPort(started);
    started.child.kill('SIGTERM');
    await end(started);
    expect(started.code()).toBe(0);
    expect(started.err()).toBe('');
  }
});

test('a reader that goes before it has read all does not make it fail', async () => {
  const started = start('explain', '--full', "r.table('t').sum('x').changes()");
  started.child.stdout?.destroy();
  await end(started);
  expect(started.code()).toBe(0);
  expect(started.err()).toBe('');
});

test('a mistake is one line on standard error and exit code 2, with workers or without', async () => {
  const holder = start('--embedded', '--listen', '127.0.0.1:0');
  const busy = `127.0.0.1:${await readyPort(holder)}`;
  for (const args of [
    ['--listen', busy, '--embedded', '--workers', '0'],
    ['--listen', busy, '--embedded'],
    ['--listen', busy, '--embedded', '--workers', '2'],
    ['--listen', '127.0.0.1:0', '--upstream', busy, '--tls-cert', '/nowhere', '--tls-key', '/nowhere'],
    ['--listen', '127.0.0.1:0', '--embedded', '--embedded-listen', busy],
    ['--workers', '-1'],
    [],
  ]) {
    const started = start(...args);
    await end(started);
    expect(started.code()).toBe(2);
    expect(started.err()).toMatch(/^livefold: .+\n$/);
    expect(started.out()).toBe('');
  }
  holder.child.kill('SIGTERM');
  await end(holder);
});

test('workers share the address and the embedded database, and one that dies is replaced', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--workers', '2', '--log-level', 'info');
  const port = await readyPort(started);
  const [one, two] = [await Client.connect(at(port)), await Client.connect(at(port))];
  await one.run('[1,[60,["t"]]]');
  const counts: unknown[] = [];
  const feed = two.watch(COUNT, (document) => counts.push(document));
  await eventually('the count is known', () => counts.length === 1, START_MS);
  await one.run('[1,[56,[[15,["t"]],{"id":1}]]]');
  await eventually('the count is new', () => counts.length === 2, START_MS);
  expect(counts).toEqual([{ new_val: 0 }, { old_val: 0, new_val: 1 }]);
  // Clients are given out in turn, and lines say by whom they are served.
  expect(new Set(logged(started, 'client ready').map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  expect(logged(started, 'feed opened')).toMatchObject([{ worker: expect.any(Number), plan: 'server' }]);

  const workers = (): readonly Line[] => logged(started, 'worker started');
  expect(workers().map(({ worker }) => worker)).toEqual([1, 2]);
  process.kill(workers()[0]?.pid ?? 0, 'SIGKILL');
  await eventually('there is another', () => workers().length === 3, START_MS);
  expect(logged(started, 'a worker died and is replaced')).toMatchObject([
    { worker: 1, reason: 'SIGKILL', ms: expect.any(Number), pause: 0 },
  ]);
  const again = await Client.connect(at(port));
  expect(await again.run('[1,[43,[[15,["t"]]]]]')).toEqual([1]);
  for (const client of [one, two, again]) client.close();
  await feed.catch(() => {});
  started.child.kill('SIGTERM');
  await end(started);
  expect(started.code()).toBe(0);
});

test('a client that comes while there is no worker is served by the next', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--log-level', 'info');
  const port = await readyPort(started);
  const workers = (): readonly Line[] => logged(started, 'worker started');
  for (let death = 1; death <= 2; death++) {
    await eventually('there is a worker', () => workers().length === death, START_MS);
    process.kill(workers().at(-1)?.pid ?? 0, 'SIGKILL');
    await eventually('it is dead', () => logged(started, 'a worker died and is replaced').length === death, START_MS);
    const client = await Client.connect(at(port));
    expect(await client.run('[1,[24,[1,1]]]')).toEqual([2]);
    client.close();
  }
  expect(logged(started, 'a worker died and is replaced').map(({ pause }) => pause)).toEqual([0, 250]);
  started.child.kill('SIGTERM');
  await end(started);
});

test('SIGHUP brings new workers: feeds end with an error that says to connect again, and no attempt to connect is lost', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--workers', '2', '--log-level', 'info');
  const port = await readyPort(started);
  const setUp = await Client.connect(at(port));
  await setUp.run('[1,[60,["t"]]]');
  setUp.close();
  const watchers = await Promise.all(Array.from({ length: 20 }, () => Client.connect(at(port))));
  let initial = 0;
  const feeds = watchers.map((client, index) =>
    client
      .watch(index % 2 === 0 ? COUNT : NATIVE, () => initial++)
      .then(
        () => 'complete',
        (error: Error) => error.message,
      ),
  );
  await eventually('the live ones are open', () => initial === watchers.length / 2, START_MS);

  const problems: string[] = [];
  let attempts = 0;
  const attempt = async (): Promise<void> => {
    attempts++;
    try {
      const client = await Client.connect(at(port));
      expect(await client.run('[1,[24,[1,1]]]')).toEqual([2]);
      client.close();
    } catch (error) {
      problems.push(String(error));
    }
  };
  const all: Promise<void>[] = [];
  const timer = setInterval(() => all.push(attempt()), 10);
  await eventually('clients come', () => attempts > 20, START_MS);
  started.child.kill('SIGHUP');
  await eventually('the workers are new', () => logged(started, 'the workers are new').length === 1, START_MS);
  const ends = await Promise.all(feeds);
  const before = attempts;
  await eventually('clients still come', () => attempts > before + 20, START_MS);
  clearInterval(timer);
  await Promise.all(all);
  expect(problems).toEqual([]);
  expect(new Set(ends)).toEqual(new Set([STOPPING.message]));
  expect(logged(started, 'worker started').map(({ worker }) => worker)).toEqual([1, 2, 3, 4]);
  for (const client of watchers) client.close();
  started.child.kill('SIGTERM');
  await end(started);
  expect(started.code()).toBe(0);
});

test('new workers that cannot start leave the old ones where they are', async () => {
  const module = join(program.folder, 'restarted.mjs');
  await writeFile(module, 'export const a = { name: "a", base: 0, apply: (t, acc, x) => t.add(acc, x) };');
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--aggregates', module, '--log-level', 'info');
  const port = await readyPort(started);
  await writeFile(module, 'export const a = 5;');
  started.child.kill('SIGHUP');
  const stay = 'the workers are not restarted; the old ones stay';
  await eventually('it has said so', () => logged(started, stay).length === 1, START_MS);
  expect(logged(started, stay)).toMatchObject([{ reason: expect.stringContaining('cannot use the aggregates of') }]);
  const client = await Client.connect(at(port));
  expect(await client.run('[1,[24,[1,1]]]')).toEqual([2]);
  client.close();
  started.child.kill('SIGTERM');
  await end(started);
  expect(started.code()).toBe(0);
});

test('SIGTERM is heard whatever runs: a worker that does not stop is killed after the drain time', async () => {
  const started = start(
    ...['--embedded', '--listen', '127.0.0.1:0', '--workers', '2', '--log-level', 'info', '--drain-seconds', '0.1'],
  );
  await readyPort(started);
  const [stuck] = logged(started, 'worker started');
  process.kill(stuck?.pid ?? 0, 'SIGSTOP');
  started.child.kill('SIGTERM');
  await end(started);
  expect(logged(started, 'a worker does not stop and is killed')).toMatchObject([{ worker: 1, ms: 2100 }]);
  expect(started.code()).toBe(1);
});

test('a worker that is stuck keeps no client from the other', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--workers', '2', '--log-level', 'info');
  const port = await readyPort(started);
  const [stuck] = logged(started, 'worker started');
  process.kill(stuck?.pid ?? 0, 'SIGSTOP');
  let served = 0;
  const ask = async (): Promise<void> => {
    const client = await Client.connect(at(port));
    expect(await client.run('[1,[24,[1,1]]]')).toEqual([2]);
    served++;
    client.close();
  };
  const clients = Array.from({ length: 10 }, ask);
  await eventually('all but the one that it was given are served', () => served === 9, START_MS);
  // When it dies, so is that one.
  process.kill(stuck?.pid ?? 0, 'SIGKILL');
  await Promise.all(clients);
  started.child.kill('SIGTERM');
  await end(started);
});

test.each([[[]], [['--workers', '0']]])('what Node has to say is JSON as well: %j', async (args) => {
  const code = `const timer = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return;
    clearInterval(timer);
    process.emitWarning('odd');
    setTimeout(() => { throw new Error(['sec', 'ret'].join('')); }, 100);
  }, 20);`;
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
  const started = startWith(
    env,
    '--upstream',
    '127.0.0.1:1',
    '--listen',
    '127.0.0.1:0',
    '--log-level',
    'info',
    ...args,
  );
  await end(started);
  expect(started.code()).toBe(1);
  expect(logged(started, 'a mistake of the program: the process ends')[0]).toMatchObject({
    level: 60,
    error: 'Error',
    stack: expect.stringContaining('at '),
  });
  expect(started.err()).not.toContain('secret');
  expect(logged(started, 'a warning of Node')[0]?.['err']).toMatchObject({ message: 'odd' });
});

test('for people, lines are text', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--log-level', 'info', '--log-format', 'text');
  await readyPort(started);
  await eventually('upstream is known', () => started.err().includes('upstream reached'), START_MS);
  started.child.kill('SIGTERM');
  await end(started);
  expect(started.err()).toMatch(
    /^\d\d:\d\d:\d\d\.\d\d\d INFO {2}\[1\] upstream reached upstream=127\.0\.0\.1:\d+ version=2\.4\.4$/m,
  );
  expect(started.err()).toMatch(/^\S+ INFO {2}stopping signal=SIGTERM$/m);
});

test.each([
  ['import "./none.mjs";', 'mjs', /: it imports '[^']*none\.mjs', which is not there\n$/],
  ['import "no-such-package";', 'mjs', /: it imports 'no-such-package', which is not there\n$/],
  ['[]', 'json', /: it is no JavaScript module: /],
  ['hello', 'txt', /: it is no JavaScript module: /],
  ['export const = 5', 'mjs', /: Unexpected token '='\n$/],
])('of a module %j nothing is told that is inside the program or Node', async (text, ending, complaint) => {
  const path = join(program.folder, `module.${ending}`);
  await writeFile(path, text);
  const started = start('--embedded', '--aggregates', path);
  await end(started);
  expect(started.code()).toBe(2);
  expect(started.err()).toMatch(complaint);
  expect(started.err().replaceAll(path, '')).not.toMatch(/aggregates-file|node:|file:|imported from| at |\n./);
});

test('workers know where clients of a load balancer are', async () => {
  const args = ['--embedded', '--listen', '127.0.0.1:0', '--proxy-protocol', '--workers', '2', '--log-level', 'info'];
  const started = start(...args);
  const address = at(await readyPort(started));
  const hello = Buffer.from('PROXY TCP4 203.0.113.7 192.0.2.1 1 2\r\n', 'latin1');
  for (const header of [hello, binaryHeader({ family: 2, origin: { host: '2001:db8::7', port: 3 } })]) {
    const client = await connectPeer(address);
    await client.writeApart([
      header.subarray(0, 9),
      Buffer.concat([header.subarray(9), V0_4, word(0), word(0x7e6970c7)]),
    ]);
    expect(await client.text()).toBe('SUCCESS');
    client.socket.destroy();
  }
  const stranger = await connectPeer(address);
  stranger.write(V0_4);
  await stranger.ended();
  await eventually('it is told', () => logged(started, 'PROXY protocol header refused').length === 1, START_MS);
  // Two workers write their lines, each when it comes to it.
  await eventually('both clients are told of', () => logged(started, 'client ready').length === 2, START_MS);
  const clients = logged(started, 'client ready').map(({ client, worker }) => ({ client, worker }));
  expect(clients.map(({ client }) => client).sort()).toEqual(['2001:db8::7', '203.0.113.7']);
  expect(new Set(clients.map(({ worker }) => worker)).size).toBe(2);
});
