// The answers on one connection under its tokens, as RethinkDB 2.4.4 gives them; only the depth of a query has a limit here.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { WireClient } from './wire-client.ts';

const RANGE = [173, [10]];
const TABLE = [15, ['rows']];
const FEED = [152, [TABLE]];
const BAD_LIMITS = [
  { max_batch_rows: 0 },
  { min_batch_rows: 0 },
  { max_batch_bytes: -1 },
  { first_batch_scaledown_factor: 0 },
  { max_batch_seconds: -1 },
  { max_batch_seconds: 86_400 },
];

let server: EmbeddedServer;
let client: WireClient;

beforeAll(async () => {
  server = await createEmbeddedServer();
  client = await WireClient.connect(server.address);
  await client.run([60, ['rows']]);
});

afterAll(() => {
  client.close();
  server.close();
});

test('a stream comes in batches of max_batch_rows, CONTINUE by CONTINUE', async () => {
  client.send(1n, [1, RANGE, { max_batch_rows: 4, first_batch_scaledown_factor: 1 }]);
  const first = await client.receive(1n);
  client.send(1n, [2]);
  const second = await client.receive(1n);
  client.send(1n, [2]);
  const third = await client.receive(1n);
  expect([first.t, second.t, third.t]).toEqual([3, 3, 2]);
  expect([first.r, second.r, third.r].flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('batch optargs of the wrong type are refused for a stream, and unread for an atom', async () => {
  client.send(2n, [1, TABLE, { max_batch_rows: '1' }]);
  const stream = await client.receive(2n);
  client.send(2n, [1, 1, { max_batch_rows: '1' }]);
  const atom = await client.receive(2n);
  expect(stream).toMatchObject({ t: 18, e: 3_000_000, r: ['Expected type NUMBER but found STRING.'], b: [] });
  expect(atom).toEqual({ t: 1, r: [1] });
});

test('batch optargs that no batch can be made by are refused in the words of the server', async () => {
  const texts: unknown[] = [];
  for (const optarg of BAD_LIMITS) {
    client.send(11n, [1, TABLE, optarg]);
    const { t, e, r, b } = await client.receive(11n);
    texts.push([t, e, r, b]);
  }
  const sane = (name: string, line: number): string =>
    `SANITY CHECK FAILED: [${name} >= 1] at \`src/rdb_protocol/batching.cc:${line}\` (server is buggy).`;
  expect(texts).toEqual([
    [18, 1_000_000, [sane('max_els', 46)], []],
    [18, 1_000_000, [sane('min_els', 47)], []],
    [18, 1_000_000, [sane('max_size', 49)], []],
    [18, 1_000_000, [sane('first_scaledown_factor', 45)], []],
    [18, 3_000_000, ['max_batch_seconds must be positive (got `-1`).'], []],
    [18, 3_000_000, ['max_batch_seconds is too large (got `86400`, must be less than 86400).'], []],
  ]);
});

test('a global optarg of the wrong type has no place in the query', async () => {
  client.send(12n, [1, TABLE, { db: 'x' }]);
  const global = await client.receive(12n);
  client.send(12n, [1, [15, ['rows'], { read_mode: 5 }]]);
  const own = await client.receive(12n);
  expect(global).toMatchObject({ t: 18, r: ['Expected type DATABASE but found DATUM:\n"x"'], b: [] });
  expect(own).toMatchObject({ t: 18, r: ['Expected type STRING but found NUMBER.'], b: ['read_mode'] });
});

test('a token in use is refused, and its query lives on', async () => {
  client.send(3n, [1, FEED]);
  await client.receive(3n);
  client.send(3n, [1, 1]);
  const refused = await client.receive(3n);
  client.send(3n, [3]);
  const stopped = await client.receive(3n);
  expect(refused).toMatchObject({ t: 16, r: ['ERROR: duplicate token 3'] });
  expect(stopped.t).toBe(2);
});

test('STOP answers the CONTINUE that waits as well', async () => {
  client.send(4n, [1, FEED]);
  await client.receive(4n);
  client.send(4n, [2]);
  client.send(4n, [3]);
  const answers = [await client.receive(4n), await client.receive(4n)];
  expect(answers).toMatchObject([
    { t: 2, r: [] },
    { t: 2, r: [] },
  ]);
});

test('a CONTINUE behind one that waits is refused when the feed is stopped', async () => {
  client.send(10n, [1, FEED]);
  await client.receive(10n);
  client.send(10n, [2]);
  client.send(10n, [2]);
  client.send(10n, [3]);
  const answers = [await client.receive(10n), await client.receive(10n), await client.receive(10n)];
  expect(answers).toMatchObject([
    { t: 2, r: [] },
    { t: 16, r: ['ERROR: duplicate token 10'] },
    { t: 2, r: [] },
  ]);
});

test('CONTINUE and STOP under an unknown token are client errors', async () => {
  client.send(5n, [2]);
  const more = await client.receive(5n);
  client.send(5n, [3]);
  const stop = await client.receive(5n);
  expect([more, stop]).toMatchObject([
    { t: 16, r: ['Token 5 not in stream cache.'] },
    { t: 16, r: ['Token 5 not in stream cache.'] },
  ]);
});

test('a deeply nested query is answered, one too deep is an error, and the server lives on', async () => {
  const depth = 20_000;
  client.sendText(8n, `[1,${'[24,['.repeat(depth)}1${',1]]'.repeat(depth)}]`);
  const deep = await client.receive(8n);
  client.sendText(9n, `[1,${'[64,[[69,[[2,[1]],'.repeat(depth)}1${']],1]]'.repeat(depth)}]`);
  const deeper = await client.receive(9n);
  const other = await client.run([24, [1, 1]]);
  expect(deep.r).toEqual([depth + 1]);
  expect(deeper.t).toBeGreaterThanOrEqual(16);
  expect(other.r).toEqual([2]);
});

test('a write reaches a feed that waits', async () => {
  client.send(6n, [1, FEED]);
  await client.receive(6n);
  client.send(6n, [2]);
  await client.run([56, [TABLE, { id: 1 }]]);
  const change = await client.receive(6n);
  client.send(6n, [3]);
  await client.receive(6n);
  expect(change).toEqual({ t: 3, r: [{ new_val: { id: 1 }, old_val: null }], n: [1] });
});

test('a feed on a dropped table ends with the words of the server', async () => {
  await client.run([60, ['gone']]);
  client.send(7n, [1, [152, [[15, ['gone']]]]]);
  await client.receive(7n);
  client.send(7n, [2]);
  await client.run([61, ['gone']]);
  const ended = await client.receive(7n);
  expect(ended).toMatchObject({ t: 18, r: ['Changefeed aborted (unavailable).'] });
});
