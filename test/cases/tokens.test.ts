// Tokens on the wire: eight bytes, each with one query at a time. What waits behind a query that ends finds nothing.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { frame } from '../support/checks/bytes.ts';
import { connectRaw, type RawClient } from '../support/servers/raw.ts';
import { servers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const DB = 'tokens';
const ROWS = '[15,["t"]]';
const COUNT = '[43,[[15,["t"]]]]';
const GROUPS = '[43,[[144,[[15,["t"]],"k"]]]]';
/** Tokens that are one and the same in four bytes, or as doubles. */
const ALIKE = [1n, (1n << 32n) + 1n, (1n << 53n) + 1n, 1n << 53n, (1n << 64n) - 1n];

const feedOf = (watched: string, optargs = ''): string => `[1,[152,[${watched}]${optargs}],{"db":[14,["${DB}"]]}]`;
const limited = (watched: string, count: number): string =>
  `[1,[71,[[152,[${watched}],{"include_initial":true}],${count}]],{"db":[14,["${DB}"]]}]`;

for (const server of servers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    let client: RawClient;
    let rows = 0;
    const insert = (): Promise<unknown> => stage.writes.run((r) => r.table('t').insert({ id: ++rows, k: 'a' }));
    beforeAll(async () => {
      stage = await setStage(server, DB);
    });
    beforeEach(async () => {
      await stage.seed({});
      client = await connectRaw(stage.client);
    });
    afterEach(() => client.close());
    afterAll(() => stage.close());

    /** Sends queries under one token, or each under its own. */
    const send = (...queries: readonly (readonly [token: bigint, query: string])[]): void =>
      client.peer.write(Buffer.concat(queries.map(([token, query]) => frame(token, query))));
    const answers = async (
      count: number,
    ): Promise<readonly (readonly [token: bigint, type: number, first: unknown])[]> => {
      const read: (readonly [bigint, number, unknown])[] = [];
      for (; read.length < count; ) {
        const { token, body } = await client.peer.frame();
        const { t, r } = JSON.parse(body);
        read.push([BigInt.asUintN(64, BigInt(token)), t, r[0]]);
      }
      return read;
    };
    const duplicate = (token: bigint): readonly unknown[] => [token, 16, `ERROR: duplicate token ${token}`];

    const watched = server.plan === undefined ? [ROWS] : [ROWS, COUNT, GROUPS];

    // rethinkdb/rethinkdb#2337
    test.each(watched)('CONTINUEs behind one that waits find nothing once the feed is stopped: %s', async (what) => {
      send([1n, feedOf(what)]);
      expect(await answers(1)).toEqual([[1n, 3, undefined]]);
      send([1n, '[2]'], [1n, '[2]'], [1n, '[2]'], [1n, '[3]']);
      expect(await answers(4)).toEqual([[1n, 2, undefined], duplicate(1n), duplicate(1n), [1n, 2, undefined]]);
    });

    test.each(watched)('nor once the feed is complete: %s', async (what) => {
      await insert();
      send([1n, limited(what, 2)]);
      expect(await answers(1)).toEqual([[1n, 3, expect.anything()]]);
      // The answer to the third says that the first two have arrived.
      send([1n, '[2]'], [1n, '[2]'], [2n, '[1,5]']);
      expect(await answers(1)).toEqual([[2n, 1, 5]]);
      await insert();
      expect(await answers(2)).toEqual([[1n, 2, expect.anything()], duplicate(1n)]);
    });

    test.each(watched)('a token in use is refused for another query, and its feed goes on: %s', async (what) => {
      send([1n, feedOf(what)]);
      await answers(1);
      send([1n, '[2]'], [1n, feedOf(what)], [1n, '[4]']);
      expect(await answers(2)).toEqual([duplicate(1n), duplicate(1n)]);
      await insert();
      expect(await answers(1)).toEqual([[1n, 3, expect.anything()]]);
    });

    // V0_3 answers a CONTINUE with nothing after half a second; a stopped feed has none that waits (rethinkdb/rethinkdb#4400).
    test('by V0_3 a feed that was stopped says nothing more', async () => {
      const what = server.plan === undefined ? ROWS : COUNT;
      client.close();
      client = await connectRaw(stage.client, 'V0_3');
      send([1n, feedOf(what)]);
      await answers(1);
      send([1n, '[2]'], [1n, '[3]']);
      expect((await answers(2)).map(([token]) => token)).toEqual([1n, 1n]);
      send([2n, feedOf(what)]);
      expect(await answers(1)).toEqual([[2n, 3, undefined]]);
      send([2n, '[2]']);
      expect(await answers(1)).toEqual([[2n, 3, undefined]]);
    });

    test.each(watched)('tokens that are alike in part are apart: %s', async (what) => {
      for (const token of ALIKE) send([token, feedOf(what)]);
      const opened = await answers(ALIKE.length);
      expect(new Set(opened.map(([token]) => token))).toEqual(new Set(ALIKE));
      send(...ALIKE.map((token) => [token, '[2]'] as const));
      const [first = 0n, ...rest] = ALIKE;
      send([first, '[3]']);
      expect(await answers(2)).toEqual([
        [first, 2, undefined],
        [first, 2, undefined],
      ]);
      await insert();
      const told = await answers(rest.length);
      expect(new Set(told.map(([token]) => token))).toEqual(new Set(rest));
      for (const [, type, document] of told) expect([type, document]).toEqual([3, told[0]?.[2]]);
    });
  });
}
