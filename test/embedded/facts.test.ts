// The embedded server against what was recorded from RethinkDB. With `RETHINKDB_REPLAY=HOST:PORT` the same replay runs
// against a real server instead, which must agree in everything; it drops and makes the database `g` there.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { families, feedFacts, queryFacts } from './fact.ts';
import { replayFeed, replayQuery } from './replay.ts';
import { seedFixture } from './seed.ts';
import { type Address, WireClient } from './wire-client.ts';

interface Disagreement {
  readonly family: string;
  readonly reql: string;
  readonly reason: string;
}

const real = process.env['RETHINKDB_REPLAY'];

const disagreements: readonly Disagreement[] =
  real === undefined ? JSON.parse(readFileSync(new URL('disagreements.json', import.meta.url), 'utf8')) : [];

const known = (family: string): readonly string[] =>
  disagreements.filter((row) => row.family === family).map(({ reql }) => reql);

let server: EmbeddedServer | undefined;
let address: Address;

beforeAll(async () => {
  if (real === undefined) {
    server = await createEmbeddedServer();
    address = server.address;
  } else {
    const [host = '127.0.0.1', port = '28015'] = real.split(':');
    address = { host, port: Number(port) };
  }
});

afterAll(() => server?.close());

test.each(families().filter((family) => family !== 'feeds'))(
  'every recorded answer of %s comes to the letter, but for those listed',
  async (family) => {
    const client = await WireClient.connect(address);
    await seedFixture(client);
    const differing: string[] = [];
    for (const fact of queryFacts(family)) {
      const { agreement } = await replayQuery(client, fact);
      if (agreement !== 'letter') differing.push(fact.reql);
    }
    client.close();
    expect(differing).toEqual(known(family));
  },
  120_000,
);

test('every recorded feed shows the same documents, but for those listed', async () => {
  const client = await WireClient.connect(address);
  await seedFixture(client);
  client.close();
  const differing: string[] = [];
  for (const fact of feedFacts()) {
    const difference = await replayFeed(address, fact);
    if (difference !== undefined) differing.push(fact.id);
  }
  expect(differing).toEqual(known('feeds'));
}, 600_000);

test('no disagreement is listed without a family, a query and a reason', () => {
  const listed = disagreements.filter(({ family, reql, reason }) => {
    const names = family === 'feeds' ? feedFacts().map(({ id }) => id) : queryFacts(family).map((fact) => fact.reql);
    return names.includes(reql) && reason !== '';
  });
  expect(listed).toEqual(disagreements);
});
