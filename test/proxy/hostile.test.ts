// A hostile client, and another one: whatever the first sends, in every plan, the process lives, the other one's reads are
// answered, and SIGTERM is heard. `npm run drill` does so for as long as one likes, with figures.

import { afterAll, expect, test } from 'vitest';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { Client } from '../../src/client/client.ts';
import { ServerError } from '../../src/client/server-error.ts';
import { createEmbeddedServer } from '../../src/embedded/index.ts';
import { eventually } from '../support/checks/eventually.ts';
import { hostileAtPlaces, hostileByChance } from '../support/queries/hostile-mix.ts';
import { buildProgram } from '../support/servers/program.ts';

const program = await buildProgram();
const upstream = await createEmbeddedServer();
const owner = await Client.connect(upstream.address);
await owner.run('[1,[60,["t"]]]');
await owner.run('[1,[56,[[15,["t"]],[2,[{"id":1},{"id":2},{"id":3}]]]]]');

afterAll(async () => {
  owner.close();
  await program.close();
  await upstream.close();
});

/** What a query may be answered with: words of RethinkDB, or of the limits. Nothing that escaped from the inside. */
const INSIDE = /RangeError|TypeError|Livefold failed|undefined|not a function/;
/** A read waits for one evaluation at the most, on a machine that has other things to do. */
const DEADLINE_MS = 3000;

test.each(['auto', 'server', 'proxy'] as const)(
  'plan %s: the process lives, others are served, SIGTERM is heard',
  async (plan) => {
    const { host, port } = upstream.address;
    const proxy = program.start([
      '--listen',
      '127.0.0.1:0',
      '--upstream',
      `${host}:${port}`,
      '--plan',
      plan,
      '--workers',
      '1',
    ]);
    const address = { host: '127.0.0.1', port: await proxy.readyPort() };
    const [hostile, other] = [await Client.connect(address), await Client.connect(address)];
    const texts: string[] = [];
    const queries = [...hostileAtPlaces(false), ...hostileByChance(20, plan.length, false)];
    let answered = 0;
    for (const { query } of queries) {
      hostile
        .run(query)
        .catch((error: unknown) => {
          if (error instanceof ServerError) texts.push(error.message);
        })
        .finally(() => {
          answered++;
        });
    }
    let longest = 0;
    let reads = 0;
    const isRefused = (): boolean => texts.some((text) => text.includes('--max-steps'));
    while (answered < 0.9 * queries.length || !isRefused()) {
      const start = performance.now();
      expect(await other.run(`[1,[${TermType.GET},[[${TermType.TABLE},["t"]],1]]]`)).toEqual([{ id: 1 }]);
      longest = Math.max(longest, performance.now() - start);
      reads++;
    }
    expect(reads).toBeGreaterThan(10);
    expect(longest).toBeLessThan(DEADLINE_MS);
    expect(texts.filter((text) => INSIDE.test(text))).toEqual([]);
    expect(proxy.code()).toBeUndefined();
    expect(proxy.logged('a worker died and is replaced')).toEqual([]);
    proxy.child.kill('SIGTERM');
    await eventually('it has ended', () => proxy.code() !== undefined, 20_000);
    expect(proxy.code()).toBe(0);
    hostile.close();
    other.close();
  },
);
