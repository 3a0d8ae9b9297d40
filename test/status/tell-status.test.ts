// `livefold status` asks a livefold that runs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printAddress } from '../../proxy/upstream/address.ts';
import type { Status } from '../../src/admin/status.ts';
import { Client } from '../../src/client/client.ts';
import { run } from '../../src/command/run.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { displayWidth } from '../../src/terminal/display-width.ts';
import type { Size } from '../../src/terminal/terminal.ts';
import { eventually } from '../support/checks/eventually.ts';
import { recordedOutput } from '../support/servers/recorded-output.ts';

async function start(args: readonly string[], size?: Size) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const exits: number[] = [];
  const signals = new Map<string, () => void>();
  await run({
    args,
    env: { LIVEFOLD_LOG_LEVEL: 'silent' },
    part: { kind: 'alone' },
    print: (line) => printed.push(line),
    complain: (line) => complaints.push(line),
    output: recordedOutput(size),
    exit: (code) => exits.push(code),
    onSignal: (name, callback) => signals.set(name, callback),
    onTrouble: () => {},
  });
  return { printed, complaints, exits, stop: () => signals.get('SIGTERM')?.() };
}

test('status prints what a livefold does, and says what is wrong where it cannot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'livefold-'));
  const file = join(folder, 'address');
  const livefold = await start([
    ...['--embedded', '--listen', '127.0.0.1:0', '--address-file', file],
    ...['--admin', '127.0.0.1:0', '--admin-token', 'secret'],
  ]);
  const port = Number(/:(\d+), upstream/.exec(livefold.printed[0] ?? '')?.[1]);
  const client = await Client.connect({ host: '127.0.0.1', port });
  await client.run('[1,[60,["t"]]]');
  let isLive = false;
  const feed = client.watch(
    '[1,[152,[[42,[[170,[[15,["t"]],"x"]]]]],{"include_initial":true,"include_states":true}]]',
    (document) => {
      isLive ||= JSON.stringify(document).includes('ready');
    },
  );
  await eventually('the feed is live', () => isLive);
  const asked = ['status', '--address-file', file, '--admin-token', 'secret'];

  const told = await start(asked);
  expect([told.exits, told.complaints]).toEqual([[0], []]);
  expect(told.printed[0]).toMatch(
    /^livefold \d+\.\d+\.\d+ {2}ready {2}for .* 1 client {2}· {2}1 feed for 1 live query {2}·/,
  );
  expect(told.printed).toContainEqual(
    expect.stringMatching(/^0-1 .* proxy {2}admin {2}r\.table\('t'\)\('x'\)\.distinct\(\)\.changes\(/),
  );

  const narrow = await start(asked, { columns: 50, rows: 20 });
  for (const line of narrow.printed.slice(1)) expect(displayWidth(line)).toBeLessThanOrEqual(50);

  const json = await start([...asked, '--json']);
  const status: Status = JSON.parse(json.printed.join('\n'));
  expect([status.feeds.length, status.canEnd]).toEqual([1, true]);

  const without = await start(asked.slice(0, 3));
  expect([without.exits, without.complaints]).toEqual([
    [1],
    [expect.stringMatching(/^livefold: .* wants the right --admin-token$/)],
  ]);
  expect((await start(['status'])).exits).toEqual([2]);

  client.close();
  await feed.catch(() => {});
  livefold.stop();
  await eventually('it has ended', () => livefold.exits.length > 0);
  const gone = await createEmbeddedServer();
  await gone.close();
  const late = await start(['status', '--admin', printAddress(gone.address)]);
  expect([late.exits, late.complaints]).toEqual([[1], [expect.stringMatching(/cannot ask .*ECONNREFUSED/)]]);
  rmSync(folder, { recursive: true });
});
