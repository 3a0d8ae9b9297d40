// The program as processes: what is printed where, exit codes, signals, workers.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleProgram } from '../../scripts/bundle-program.mjs';
import { Client } from '../../src/client/client.ts';
import { eventually } from '../support/eventually.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder = '';
const running: ChildProcess[] = [];

beforeAll(async () => {
  // Below node_modules, so that what is built finds the packages.
  folder = await mkdtemp(join(root, 'node_modules', '.livefold-'));
  await bundleProgram(join(folder, 'src', 'main.js'));
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly code: () => number | null | undefined;
}

function start(...args: readonly string[]): Started {
  const child = spawn(process.execPath, [join(folder, 'src', 'main.js'), ...args], {
    env: { PATH: process.env['PATH'], LIVEFOLD_LOG_LEVEL: 'error' },
  });
  running.push(child);
  let out = '';
  let err = '';
  let code: number | null | undefined;
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  child.on('exit', (exit) => {
    code = exit;
  });
  return { child, out: () => out, err: () => err, code: () => code };
}

/** The log lines with a message. */
function logged({ err }: Started, message: string): readonly { readonly worker?: number }[] {
  const lines = err().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}

const READY = /^livefold listening on 127\.0\.0\.1:(\d+), upstream 127\.0\.0\.1:\d+\n$/;

async function readyPort({ out }: Started): Promise<number> {
  await eventually('it is ready', () => READY.test(out()));
  return Number(READY.exec(out())?.[1]);
}

test('the ready line is all of standard output; SIGTERM ends with 0', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0');
  await readyPort(started);
  started.child.kill('SIGTERM');
  await eventually('it has ended', () => started.code() !== undefined);
  expect(started.code()).toBe(0);
  expect(started.err()).toBe('');
});

test('a reader that goes before it has read all does not make it fail', async () => {
  const started = start('explain', '--full', "r.table('t').sum('x').changes()");
  started.child.stdout?.destroy();
  await eventually('it has ended', () => started.code() !== undefined);
  expect(started.code()).toBe(0);
  expect(started.err()).toBe('');
});

test('a mistake is one line on standard error and exit code 2, with workers or without', async () => {
  const holder = start('--embedded', '--listen', '127.0.0.1:0');
  const busy = `127.0.0.1:${await readyPort(holder)}`;
  for (const args of [
    ['--listen', busy, '--embedded'],
    ['--listen', busy, '--embedded', '--workers', '2'],
    ['--workers', '0'],
  ]) {
    const started = start(...args);
    await eventually('it has ended', () => started.code() !== undefined);
    expect(started.code()).toBe(2);
    expect(started.err()).toMatch(/^livefold: .+\n$/);
    expect(started.out()).toBe('');
  }
  holder.child.kill('SIGTERM');
});

test('workers share the address and the embedded database, and one that dies is replaced', async () => {
  const started = start('--embedded', '--listen', '127.0.0.1:0', '--workers', '2', '--log-level', 'info');
  const port = await readyPort(started);
  const address = { host: '127.0.0.1', port };
  const [one, two] = [await Client.connect(address), await Client.connect(address)];
  await one.run('[1,[60,["t"]]]');
  const counts: unknown[] = [];
  const feed = two.watch('[1,[152,[[43,[[15,["t"]]]]],{"include_initial":true}]]', (document) => counts.push(document));
  await eventually('the count is known', () => counts.length === 1);
  await one.run('[1,[56,[[15,["t"]],{"id":1}]]]');
  await eventually('the count is new', () => counts.length === 2);
  expect(counts).toEqual([{ new_val: 0 }, { old_val: 0, new_val: 1 }]);

  const pids = (): readonly number[] => logged(started, 'worker started').map(({ worker }) => Number(worker));
  expect(pids()).toHaveLength(2);
  process.kill(pids()[0] ?? 0, 'SIGKILL');
  await eventually('there is another', () => pids().length === 3);
  expect(logged(started, 'a worker died and is replaced')).toHaveLength(1);
  const again = await Client.connect(address);
  expect(await again.run('[1,[43,[[15,["t"]]]]]')).toEqual([1]);
  for (const client of [one, two, again]) client.close();
  await feed.catch(() => {});
  started.child.kill('SIGTERM');
  await eventually('it has ended', () => started.code() !== undefined);
  expect(started.code()).toBe(0);
});

test.each([
  ['import "./none.mjs";', 'mjs', /: it imports '[^']*none\.mjs', which is not there\n$/],
  ['import "no-such-package";', 'mjs', /: it imports 'no-such-package', which is not there\n$/],
  ['[]', 'json', /: it is no JavaScript module: /],
  ['hello', 'txt', /: it is no JavaScript module: /],
  ['export const = 5', 'mjs', /: Unexpected token '='\n$/],
])('of a module %j nothing is told that is inside the program or Node', async (text, ending, complaint) => {
  const path = join(folder, `module.${ending}`);
  await writeFile(path, text);
  const started = start('--embedded', '--aggregates', path);
  await eventually('it has ended', () => started.code() !== undefined);
  expect(started.code()).toBe(2);
  expect(started.err()).toMatch(complaint);
  expect(started.err().replaceAll(path, '')).not.toMatch(/aggregates-file|node:|file:|imported from| at |\n./);
});
