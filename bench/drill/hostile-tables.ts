// The tables that hostile feeds are over, and writes to them, so that there is something to tell.

import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { BIG_ROWS, DEEP, LARGE_KEYS, MANY_ROWS } from '../../test/support/queries/hostile-feeds.ts';
import { type Database, pause } from './stage.ts';

const CHUNK = 5000;
const WRITE_EVERY_MS = 100;
/** Every so many writes one changes the row of many keys, for which RethinkDB holds up one of its threads for a quarter of a second. */
const WRITES_TO_LARGE = 10;

/** Makes the tables, and fills them. */
export async function fillForHostile({ address }: Database): Promise<void> {
  const owner = await Client.connect(address);
  const run = (text: string): Promise<unknown> => owner.run(queryOfText(text));
  for (const table of ['many', 'big', 'large']) await run(`r.tableCreate('${table}', {durability: 'soft'})`);
  await run("r.table('many').indexCreate('k')");
  for (const [table, rows] of [
    ['many', MANY_ROWS],
    ['big', BIG_ROWS],
  ] as const) {
    for (let first = 0; first < rows; first += CHUNK) {
      const range = `r.range(${first}, ${Math.min(rows, first + CHUNK)})`;
      await run(`r.table('${table}').insert(${range}.map(i => ({id: i, k: 1, n: i})).coerceTo('array'))`);
    }
  }
  const wide = `r.range(${LARGE_KEYS}).map(i => [i.coerceTo('string'), i]).coerceTo('object').merge({id: 'wide', k: 1})`;
  const deep = `r.range(${DEEP}).fold(1, (a, i) => r.branch(i.mod(2).eq(0), [a], {a: a}))`;
  await run(`r.table('large').insert(${wide})`);
  await run(`r.table('large').insert({id: 'deep', v: ${deep}})`);
  await run(`r.table('large').insert({id: 'long', v: '${'x'.repeat(1_000_000)}'})`);
  await run("r.table('many').indexWait('k')");
  owner.close();
}

/** Writes to the tables until the time is over. A write that has no answer by then is left. */
export async function keepChanging({ address }: Database, until: number): Promise<void> {
  const owner = await Client.connect(address);
  for (let n = 0; performance.now() < until; n++) {
    const text = n % WRITES_TO_LARGE === 0 ? `r.table('large').get('wide').update({'7': ${n}})` : smallWrite(n);
    await Promise.race([owner.run(queryOfText(text)).catch(() => {}), pause(until - performance.now())]);
    await pause(WRITE_EVERY_MS);
  }
  owner.close();
}

function smallWrite(n: number): string {
  const [table, rows] = n % 2 === 0 ? ['many', MANY_ROWS] : ['big', BIG_ROWS];
  return `r.table('${table}').get(${n % rows}).update({n: ${-n}})`;
}
