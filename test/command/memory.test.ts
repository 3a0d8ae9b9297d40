// The program in a heap that is too small for what is asked of it: whoever asks is refused, and nobody else notices.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '../../src/client/client.ts';
import { eventually } from '../support/checks/eventually.ts';
import { buildProgram, type Program } from '../support/servers/program.ts';
import { bases } from '../support/servers/servers.ts';

const HEAP_MB = 100;
const ROWS = 200_000;
const AT_ONCE = 10_000;
/** What the file takes on a machine that is busy otherwise. */
const LONG_MS = 300_000;
const PADDING = 'lorem ipsum dolor sit amet '.repeat(12);
const DB = '[14,["memory"]]';
const STRINGS = `[15,[${DB},"strings"]]`;
const POINTS = `[15,[${DB},"points"]]`;
const DISTINCT = `[1,[152,[[42,[[170,[${STRINGS},"s"]]]]],{"include_initial":true}]]`;
const COUNT = `[1,[152,[[43,[${POINTS}]]],{"include_initial":true}]]`;

let program: Program;
beforeAll(async () => {
  program = await buildProgram();
}, LONG_MS);
afterAll(() => program.close());

for (const base of bases) {
  describe.skipIf(!base.there)(base.name, () => {
    let close: () => Promise<unknown>;
    let port = 0;
    beforeAll(async () => {
      const running = await base.start();
      close = () => running.close();
      port = running.address.port;
      const writes = await Client.connect(running.address);
      await writes.run('[1,[58,["memory"]]]').catch(() => {});
      await writes.run('[1,[57,["memory"]]]');
      for (const name of ['strings', 'points']) await writes.run(`[1,[60,[${DB},"${name}"]]]`);
      const row = `[69,[[2,[1]],{"id":[10,[1]],"s":[24,[[51,[[10,[1]],"string"]],"${PADDING}"]]}]]`;
      for (let at = 0; at < ROWS; at += AT_ONCE) {
        const rows = `[38,[[173,[${at},${at + AT_ONCE}]],${row}]]`;
        await writes.run(`[1,[56,[${STRINGS},${rows}],{"durability":"soft"}]]`);
      }
      await writes.run(`[1,[56,[${POINTS},{"id":1}]]]`);
      writes.close();
    }, LONG_MS);
    afterAll(() => close());

    test(
      `a heap of ${HEAP_MB} MB survives a feed of ${ROWS} long strings, and the other clients do not notice`,
      async () => {
        const livefold = program.start(
          ['--upstream', `127.0.0.1:${port}`, '--listen', '127.0.0.1:0', '--log-level', 'warn'],
          [`--max-old-space-size=${HEAP_MB}`],
        );
        const address = { host: '127.0.0.1', port: await livefold.readyPort() };
        const [greedy, other] = [await Client.connect(address), await Client.connect(address)];
        const counts: unknown[] = [];
        const feed = other.watch(COUNT, (document) => counts.push(document)).catch(() => {});
        await eventually('the count is known', () => counts.length === 1);
        let refusal = '';
        let isDone = false;
        const asked = greedy
          .watch(DISTINCT, () => {})
          .catch((error: unknown) => {
            refusal = error instanceof Error ? error.message : '';
          });
        const reading = (async () => {
          while (!isDone) expect(await other.run(`[1,[16,[${POINTS},1]]]`)).toEqual([{ id: 1 }]);
        })();
        await asked;
        isDone = true;
        await reading;
        expect(refusal).toMatch(/^Livefold is short of memory: .*`--max-memory`.*`NODE_OPTIONS=--max-old-space-size`/);
        expect(livefold.logged('memory is short, and the largest holder of it is ended')).toHaveLength(1);
        await other.run(`[1,[56,[${POINTS},{"id":2}]]]`);
        await eventually('the other feed goes on', () => counts.length === 2);
        expect(counts).toEqual([{ new_val: 1 }, { old_val: 1, new_val: 2 }]);
        // The one that asked for too much is served as well, as long as it asks for less.
        expect(await greedy.run(`[1,[43,[${POINTS}]]]`)).toEqual([2]);
        expect(livefold.code()).toBeUndefined();
        for (const client of [greedy, other]) client.close();
        await feed;
        livefold.child.kill('SIGTERM');
        await eventually('it has ended', () => livefold.code() !== undefined);
        expect(livefold.code()).toBe(0);
      },
      LONG_MS,
    );
  });
}
