// Makes the database that the facts were recorded on.

import { fixture } from './fact.ts';
import type { WireClient, WireResponse } from './wire-client.ts';

const DB = [14, ['g']];

/** A table of the fixture, as a term. */
const table = (name: string): unknown => [15, [DB, name]];

type Dictionary = Readonly<Record<string, unknown>>;

/** Data written as JavaScript ReQL, as a term; the only term in it is `r.epochTime`. */
function dataTerm(text: string): unknown {
  const r = { epochTime: (seconds: number) => ({ term: [99 + 2, [seconds]] }) };
  return toTerm(new Function('r', `return ${text}`)(r));
}

function toTerm(value: unknown): unknown {
  if (Array.isArray(value)) return [2, value.map(toTerm)];
  if (typeof value !== 'object' || value === null) return value;
  if ('term' in value) return value.term;
  return Object.fromEntries(Object.entries(value as Dictionary).map(([key, field]) => [key, toTerm(field)]));
}

async function must(client: WireClient, ast: unknown): Promise<WireResponse> {
  const response = await client.run(ast);
  if (response.t >= 16) throw new Error(`${JSON.stringify(ast)} was refused: ${response.r[0]}`);
  return response;
}

const row = (field: string): unknown => [170, [[10, [1]], field]];
const COMPOUND = [
  69,
  [
    [2, [1]],
    [2, [row('k'), row('n')]],
  ],
];

/** Drops the database if it is there, and makes it anew with all its rows. */
export async function seedFixture(client: WireClient): Promise<void> {
  // A server that was made by `rethinkdb create` has no database `test`, as the one that was recorded had.
  await client.run([57, ['test']]);
  await client.run([58, ['g']]);
  await must(client, [57, ['g']]);
  for (const [name, { docs }] of Object.entries(fixture().tables)) {
    await must(client, [60, [DB, name]]);
    await must(client, [56, [table(name), dataTerm(docs)]]);
  }
  for (const name of ['f', 'f2']) await must(client, [60, [DB, name]]);
  await must(client, [75, [table('t'), 'k']]);
  await must(client, [75, [table('t'), 'n']]);
  await must(client, [75, [table('t'), 'kn', COMPOUND]]);
  await must(client, [75, [table('t'), 'tags'], { multi: true }]);
  await must(client, [140, [table('t')]]);
}

/** Makes the tables of a feed anew: `f` with its indexes and no rows, `f2` with its one row. */
export async function seedFeedTables(client: WireClient): Promise<void> {
  for (const name of ['f', 'f2']) {
    await client.run([61, [DB, name]]);
    await must(client, [60, [DB, name]]);
  }
  for (const name of ['k', 'n']) await must(client, [75, [table('f'), name]]);
  await must(client, [140, [table('f')]]);
  await must(client, [56, [table('f2'), { id: 100, n: 50, k: 'a' }]]);
}
