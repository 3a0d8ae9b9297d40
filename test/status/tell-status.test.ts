// `livefold status` asks a livefold that runs.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { printAddress } from '../../proxy/upstream/address.ts';
import type { Status } from '../../src/admin/status.ts';
import { Client } from '../../src/client/client.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { displayWidth } from '../../src/terminal/display-width.ts';
import { eventually } from '../support/checks/eventually.ts';
import { ran } from '../support/checks/ran.ts';

test('status prints what a livefold does, and says what is wrong where it cannot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'livefold-'));
  const file = join(folder, 'address');
  const livefold = await ran([
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

  const told = await ran(asked);
  expect([told.exits, told.complaints]).toEqual([[0], []]);
  expect(told.printed[0]).toMatch(
    /^livefold \d+\.\d+\.\d+ {2}ready {2}for .* 1 client {2}· {2}1 feed for 1 live query {2}·/,
  );
  expect(told.printed).toContainEqual(
    expect.stringMatching(/^0-1 .* proxy {2}admin {2}r\.table\('t'\)\('x'\)\.distinct\(\)\.changes\(/),
  );

  const narrow = await ran(asked, {}, { columns: 50, rows: 20 });
  for (const line of narrow.printed.slice(1)) expect(displayWidth(line)).toBeLessThanOrEqual(50);

  const json = await ran([...asked, '--json']);
  const status: Status = JSON.parse(json.printed.join('\n'));
  expect([status.feeds.length, status.canEnd]).toEqual([1, true]);

  const without = await ran(asked.slice(0, 3));
  expect([without.exits, without.complaints]).toEqual([
    [1],
    [expect.stringMatching(/^livefold: .* wants the right --admin-token$/)],
  ]);
  expect((await ran(['status'])).exits).toEqual([2]);

  client.close();
  await feed.catch(() => {});
  livefold.signal('SIGTERM');
  await eventually('it has ended', () => livefold.exits.length > 0);
  const gone = await createEmbeddedServer();
  await gone.close();
  const late = await ran(['status', '--admin', printAddress(gone.address)]);
  expect([late.exits, late.complaints]).toEqual([[1], [expect.stringMatching(/cannot ask .*ECONNREFUSED/)]]);
  rmSync(folder, { recursive: true });
});
