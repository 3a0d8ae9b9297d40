// The tables that describe the embedded server: feeds on them, the queries that run, and what `profile` tells.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { WireClient, type WireResponse } from './wire-client.ts';

const system = (name: string) => [15, [[14, ['rethinkdb']], name]];
const DB = [14, ['watched']];
const TABLE = [15, [DB, 'rows']];
const FEED = 1n;

let server: EmbeddedServer;
let writer: WireClient;

beforeAll(async () => {
  server = await createEmbeddedServer();
  writer = await WireClient.connect(server.address);
  await writer.run([57, ['watched']]);
  await writer.run([60, [DB, 'rows']]);
});

afterAll(() => {
  writer.close();
  return server.close();
});

/** Opens a feed, makes a change and gives the answer that shows it. */
async function watched(feed: unknown, change: unknown): Promise<readonly [WireResponse, WireResponse]> {
  const reader = await WireClient.connect(server.address);
  reader.send(FEED, [1, feed]);
  const opened = await reader.receive(FEED);
  reader.send(FEED, [2]);
  await writer.run(change);
  const shown = await reader.receive(FEED);
  reader.close();
  return [opened, shown];
}

test('a feed on table_config shows first what there is, then a changed setting', async () => {
  const feed = [152, [system('table_config')], { include_initial: true }];
  const [opened, shown] = await watched(feed, [53, [[174, [TABLE]], { durability: 'soft' }]]);
  expect(opened).toMatchObject({ t: 3, r: [{ new_val: { name: 'rows', durability: 'hard' } }], n: [1] });
  expect(shown).toMatchObject({ t: 3, r: [{ new_val: { durability: 'soft' }, old_val: { durability: 'hard' } }] });
});

test('a feed on table_status shows tables that come and go', async () => {
  const [, made] = await watched([152, [system('table_status')]], [60, [DB, 'more']]);
  expect(made).toMatchObject({ r: [{ new_val: { name: 'more', status: { ready_for_writes: true } }, old_val: null }] });
  const [, dropped] = await watched([152, [system('table_status')]], [61, [DB, 'more']]);
  expect(dropped).toMatchObject({ r: [{ new_val: null, old_val: { name: 'more' } }] });
});

test.each([
  ['db_config', [57, ['other']], { new_val: { name: 'other' }, old_val: null }],
  ['users', [56, [system('users'), { id: 'ann', password: 'x' }]], { new_val: { id: 'ann', password: true } }],
  ['permissions', [188, [DB, 'ann', { read: true }]], { new_val: { user: 'ann', permissions: { read: true } } }],
])('a feed on %s shows what changes', async (name, change, expected) => {
  const [, shown] = await watched([152, [system(name)]], change);
  expect(shown).toMatchObject({ t: 3, r: [expected] });
});

test('a feed on one row of a system table shows that row alone', async () => {
  const [, shown] = await watched([152, [[174, [TABLE]]]], [53, [[174, [TABLE]], { durability: 'hard' }]]);
  expect(shown).toMatchObject({ r: [{ new_val: { name: 'rows', durability: 'hard' } }], n: [2] });
});

test('jobs shows the query that reads it and feeds that wait, until they are stopped', async () => {
  const reader = await WireClient.connect(server.address);
  reader.send(FEED, [1, [152, [TABLE]]]);
  await reader.receive(FEED);
  reader.send(FEED, [2]);
  await reader.run(1);
  const queries = [
    38,
    [
      system('jobs'),
      [
        69,
        [
          [2, [1]],
          [170, [[170, [[10, [1]], 'info']], 'query']],
        ],
      ],
    ],
  ];
  const during = await writer.run(queries);
  reader.send(FEED, [3]);
  await reader.receive(FEED);
  const after = await writer.run(queries);
  reader.close();
  expect(during.r).toHaveLength(2);
  expect(during.r).toContain(`r.db('watched').table('rows').changes()`);
  expect(after.r).toHaveLength(1);
});

test('profile tells which terms were evaluated, the inner ones within the outer', async () => {
  const token = 2n;
  writer.send(token, [1, [43, [TABLE]], { profile: true }]);
  const answer = await writer.receive(token);
  expect(answer).toMatchObject({
    r: [0],
    p: [
      {
        description: 'Evaluating count.',
        'duration(ms)': expect.any(Number),
        sub_tasks: [{ description: 'Evaluating table.', sub_tasks: [{ description: 'Evaluating db.' }] }],
      },
    ],
  });
});

test('a term without a table looks for the default database before it is refused', async () => {
  await writer.run([58, ['test']]);
  const gone = await writer.run([177, []]);
  const nested = await writer.run([2, [[15, ['t']]]]);
  await writer.run([57, ['test']]);
  const there = await writer.run([177, []]);
  expect(gone).toMatchObject({ t: 18, r: ['Database `test` does not exist.'], b: [] });
  expect(nested).toMatchObject({ t: 18, r: ['Database `test` does not exist.'], b: [] });
  expect(there).toMatchObject({ t: 18, r: ['`wait` can only be called on a table or database.'] });
});
