// Queries that would run on and on end, other clients are served meanwhile, and ordinary queries are answered as ever.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ErrorType } from '../../rewrite/reql/protocol.ts';
import { Client } from '../../src/client/client.ts';
import { ServerError } from '../../src/client/server-error.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { WireClient } from './wire-client.ts';

let server: EmbeddedServer;
let client: Client;

beforeAll(async () => {
  server = await createEmbeddedServer();
  client = await Client.connect(server.address);
  for (const table of ['t', 'indexed', 'hooked', 'watched']) await run(`r.tableCreate('${table}')`);
  await run("r.table('t').insert(r.range(5000).map(i => ({id: i, n: i.mod(7)})).coerceTo('array'))");
});

afterAll(async () => {
  client.close();
  await server.close();
});

const run = (text: string): Promise<readonly unknown[]> => client.run(queryOfText(text));

const ENDLESS = 'r.range(1e15).count()';

test.each([
  ['an expression', ENDLESS, 'count'],
  ['a function over rows', `r.table('t').map(x => r.range(1e15).sum())`, 'sum'],
  ['an argument of a write', `r.table('t').insert({id: 'x', n: r.range(1e15).max()})`, 'max'],
  ['writes for each of what does not end', `r.range(1e15).forEach(i => ({inserted: 1}))`, 'forEach'],
  ['a default', `r.expr({})('a').default(r.range(1e15).avg())`, 'avg'],
])('%s that does not end is refused, by the name of the term', async (_name, text, term) => {
  const error: unknown = await run(text).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServerError);
  expect(error).toMatchObject({ type: ErrorType.RESOURCE_LIMIT });
  expect((error as Error).message).toContain(`Evaluating \`${term}\` takes more than the 50000000 steps`);
});

test('what is read in many answers has steps for each of them', async () => {
  const text = "r.table('t').concatMap(x => r.range(100).map(y => y.add(x('n'))))";
  expect(await run(`${text}.count()`)).toEqual([500_000]);
});

test('a function of an index that does not end leaves its rows out, and others go on writing', async () => {
  await run(`r.table('indexed').indexCreate('slow', x => r.branch(x('n').eq(0), ${ENDLESS}, x('n')))`);
  await run("r.table('indexed').indexWait()");
  for (let n = 0; n < 3; n++) await run(`r.table('indexed').insert({id: ${n}, n: ${n}})`);
  expect(await run("r.table('indexed').getAll(1, 2, {index: 'slow'}).count()")).toEqual([2]);
  expect(await run("r.table('indexed').between(r.minval, r.maxval, {index: 'slow'}).count()")).toEqual([2]);
});

test('a function of an index has all its steps for each row, however many rows there have been', async () => {
  await run("r.table('indexed').indexCreate('many', x => r.range(3000).map(y => y.add(x('n'))).sum())");
  await run("r.table('indexed').indexWait('many')");
  const rows = 'r.range(1000).map(i => ({id: i.add(100), n: i.add(100)})).coerceTo("array")';
  await run(`r.table('indexed').insert(${rows})`);
  expect(await run("r.table('indexed').between(r.minval, r.maxval, {index: 'many'}).count()")).toEqual([1003]);
});

test('a write hook that does not end fails the write', async () => {
  await run(`r.table('hooked').setWriteHook((c, o, n) => n.merge({m: ${ENDLESS}}))`);
  expect(await run("r.table('hooked').insert({id: 1})")).toMatchObject([{ errors: 1 }]);
  await run("r.table('hooked').setWriteHook(null)");
  expect(await run("r.table('hooked').insert({id: 1})")).toMatchObject([{ inserted: 1 }]);
});

test('a feed whose function does not end for a row ends, and whoever writes the row does not notice', async () => {
  const watcher = await WireClient.connect(server.address);
  const query = queryOfText(
    `r.table('watched').filter(x => x('n').eq(0).and(${ENDLESS}.gt(0))).changes({includeStates: true})`,
  );
  watcher.send(1n, JSON.parse(query));
  expect((await watcher.receive(1n)).t).toBe(3);
  watcher.send(1n, [2]);
  expect(await run("r.table('watched').insert([{id: 1, n: 1}, {id: 2, n: 0}])")).toMatchObject([{ inserted: 2 }]);
  expect(await watcher.receive(1n)).toMatchObject({ t: 18, e: ErrorType.RESOURCE_LIMIT });
  watcher.close();
});

test('a feed that makes millions of documents of one change ends', async () => {
  const watcher = await WireClient.connect(server.address);
  watcher.send(1n, JSON.parse(queryOfText("r.table('t').changes().concatMap(x => r.range(1e7)).limit(1e7)")));
  expect((await watcher.receive(1n)).t).toBe(3);
  watcher.send(1n, [2]);
  await run("r.table('t').insert({id: 'new'})");
  expect(await watcher.receive(1n)).toMatchObject({ t: 18, e: ErrorType.RESOURCE_LIMIT });
  watcher.close();
});
