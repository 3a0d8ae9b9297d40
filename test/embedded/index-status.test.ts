// The status of indexes in the in-memory database, as RethinkDB 2.4.4 tells it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';

let server: EmbeddedServer;
let client: Client;

beforeAll(async () => {
  server = await createEmbeddedServer();
  client = await Client.connect(server.address);
});

afterAll(async () => {
  client.close();
  await server.close();
});

const run = (text: string): Promise<readonly unknown[]> => client.run(queryOfText(text));

test('the query of an index that was renamed has its new name', async () => {
  await run("r.tableCreate('t')");
  await run("r.table('t').indexCreate('old', r.row('n'), {multi: true})");
  await run("r.table('t').indexRename('old', 'new')");
  const [query] = await run("r.table('t').indexStatus('new').nth(0)('query')");
  expect(query).toMatch(/^indexCreate\('new', function\(.*\{multi: true\}\)$/);
});
