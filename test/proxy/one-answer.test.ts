// Exactly one answer to each query, whatever a client sends under few tokens, in any order, and without waiting: feeds opened,
// continued and stopped while others of the same token are on their way, beside queries that are nobody's business.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunningProxy } from '../../proxy/listener.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { frame, word } from '../support/checks/bytes.ts';
import { connectPeer } from '../support/servers/peer.ts';
import { V0_4 } from '../support/servers/scene.ts';
import { type Base, bases, proxyOver, rewriting } from '../support/servers/servers.ts';

const HELLO = Buffer.concat([V0_4, word(0), word(0x7e6970c7)]);
/** Conversations for each database. */
const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 60);
const TOKENS = [1, 2, 3];
const END = 99;
const NOREPLY = '[1,5,{"noreply":true}]';
const table = "r.db('one_answer').table('t')";

const live = fc.constantFrom(
  ...[
    `${table}.count().changes()`,
    `${table}.count().changes({includeInitial: true})`,
    `${table}.min('x').changes({includeInitial: true})`,
    `${table}.group({index: 'k'}).count().changes()`,
    `${table}.count().changes({includeInitial: true}).limit(1)`,
    `${table}.sample(2).count().changes()`,
    "r.db('one_answer').table('none').count().changes()",
    `${table}.count()`,
  ].map(queryOfText),
);
const native = fc.constantFrom(...[`${table}.changes()`, table, `${table}.count()`].map(queryOfText));
const other = fc.constantFrom('[2]', '[3]', '[2]', '[3]', '[5]', '[4]', '[9]', '', 'rubbish', NOREPLY);
/** A token that RethinkDB itself has in use is not the proxy's business: live queries keep to two tokens, its own to a third. */
const query = fc.oneof(
  fc.tuple(fc.constantFrom(1, 2), live),
  fc.tuple(fc.constant(3), native),
  fc.tuple(fc.constantFrom(...TOKENS), other),
  fc.tuple(fc.constantFrom(...TOKENS), other),
);

for (const base of bases) {
  describe.skipIf(!base.there)(base.name, () => {
    let database: Base;
    let proxy: RunningProxy;

    beforeAll(async () => {
      database = await base.start();
      proxy = await proxyOver(database.address, rewriting('auto'));
      const owner = await Client.connect(database.address);
      for (const prepare of [
        "r.branch(r.dbList().contains('one_answer'), r.dbDrop('one_answer'), {})",
        "r.dbCreate('one_answer')",
        "r.db('one_answer').tableCreate('t')",
        `${table}.indexCreate('k')`,
        `${table}.indexWait()`,
        `${table}.insert([{id: 1, x: 1, k: 'a'}, {id: 2, x: 2, k: 'b'}])`,
      ]) {
        await owner.run(queryOfText(prepare));
      }
      owner.close();
    });
    afterAll(async () => {
      const owner = await Client.connect(database.address);
      await owner.run(queryOfText("r.dbDrop('one_answer')"));
      owner.close();
      await proxy.destroy();
      await database.close();
    });

    test('each query gets one answer', async () => {
      const asked = fc.array(query, { minLength: 1, maxLength: 40 });
      await fc.assert(
        fc.asyncProperty(asked, fc.integer({ min: 1, max: 400 }), async (queries, size) => {
          const client = await connectPeer(proxy.address);
          client.write(HELLO);
          await client.text();
          const all = [...queries, ...TOKENS.map((token) => [token, '[3]'] as const)];
          const bytes = Buffer.concat(all.map(([token, body]) => frame(token, body)));
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_piece, at) =>
            bytes.subarray(at * size, (at + 1) * size),
          );
          await client.writeApart(pieces);
          const owed = all.filter(([, body]) => body !== NOREPLY).map(([token]) => BigInt(token));
          const got: bigint[] = [];
          for (let left = owed.length; left > 0; left--) got.push((await client.frame()).token);
          expect(got.sort()).toEqual(owed.sort());
          client.write(frame(END, '[5]'));
          expect((await client.frame()).token).toBe(BigInt(END));
          expect(client.waiting).toHaveLength(0);
          client.socket.destroy();
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    });
  });
}
