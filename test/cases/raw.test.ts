// Things that only show on the wire: notes, spellings of numbers, depth.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, type RawClient } from '../support/servers/raw.ts';
import { servers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const DB = 'raw';
const IN_DB = `{"db":[14,["${DB}"]]}`;
const DEPTHS = [30, 500];
const VERY_DEEP = 3000;
const TOO_DEEP = 200_000;

/** `r.expr(1).add(1).add(1)...` */
function sumOf(depth: number): string {
  return '[24,['.repeat(depth) + 1 + ',1]]'.repeat(depth);
}

for (const server of servers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    let client: RawClient;
    beforeAll(async () => {
      stage = await setStage(server, DB);
      client = await connectRaw(stage.client);
    });
    afterAll(async () => {
      client.close();
      await stage.close();
    });

    // CASES H2, rethinkdb/rethinkdb#3637
    test('numbers are spelled as the server spells them', async () => {
      expect(await client.ask('[1,-0]')).toBe('{"t":1,"r":[0]}');
      expect(await client.ask('[1,-0.0]')).toBe('{"t":1,"r":[-0.0]}');
      expect(await client.ask('[1,9007199254740993]')).toBe('{"t":1,"r":[9007199254740992]}');
    });

    // CASES H6, rethinkdb/rethinkdb#4565
    test.each([...DEPTHS, VERY_DEEP])('a plain query %i deep', async (depth) => {
      expect(await client.ask(`[1,${sumOf(depth)}]`)).toBe(`{"t":1,"r":[${depth + 1}]}`);
    });

    // CASES H6, rethinkdb/rethinkdb#5999
    test('JSON that is far too deep hurts only its own connection', async () => {
      const other = await connectRaw(stage.client);
      const answer = await other.ask(`[1,${'['.repeat(TOO_DEEP)}`);
      expect(answer).toBe('{"t":16,"r":["Client is buggy (failed to deserialize query)."],"b":[]}');
      other.close();
      expect(await client.ask('[1,[24,[1,1]]]')).toBe('{"t":1,"r":[2]}');
    });

    if (server.plan !== undefined) {
      // CASES B1, rethinkdb/rethinkdb#3709; facts/drivers.md 4.1
      test.each([
        ['a value', '[43,[[15,["t"]]]]', '', [2]],
        ['a value with states', '[43,[[15,["t"]]]]', ',{"include_states":true}', [2, 5]],
        ['groups', '[43,[[144,[[15,["t"]],"k"]]]]', '', [1]],
        ['rows with states', '[42,[[170,[[15,["t"]],"k"]]]]', ',{"include_states":true}', [1, 5]],
      ])('the notes of %s', async (_what, watched, optargs, notes) => {
        const answer = JSON.parse(await client.ask(`[1,[152,[${watched}]${optargs}],${IN_DB}]`));
        expect(answer).toMatchObject({ t: 3, n: notes });
      });

      // A driver makes an array of a first answer that is complete, and of no feed.
      test('a limit that the first value fills is one complete answer, as of a row by its key', async () => {
        await stage.seed({ t: [{ id: 1, k: 'a' }] });
        const initial = '{"include_initial":true}';
        const limited = (watched: string): Promise<string> =>
          client.ask(`[1,[71,[[152,[${watched}],${initial}],1]],${IN_DB}]`);
        expect(JSON.parse(await limited('[16,[[15,["t"]],1]]'))).toMatchObject({ t: 2, r: [{ new_val: { id: 1 } }] });
        expect(JSON.parse(await limited('[43,[[15,["t"]]]]'))).toMatchObject({ t: 2, r: [{ new_val: 1 }] });
        expect(JSON.parse(await limited('[43,[[144,[[15,["t"]],"k"]]]]'))).toMatchObject({ t: 2, r: [{ group: 'a' }] });
        const none = await client.ask(`[1,[71,[[152,[[42,[[170,[[15,["u"]],"k"]]]]],${initial}],1]],${IN_DB}]`);
        expect(JSON.parse(none)).toMatchObject({ t: 3, r: [] });
        await client.stop();
      });

      // CASES H6, rethinkdb/rethinkdb#4565
      test.each(DEPTHS)('a live query %i deep', async (depth) => {
        await stage.seed({ t: [{ id: 1 }] });
        const deep = `${'[24,['.repeat(depth)}[43,[[15,["t"]]]]${',1]]'.repeat(depth)}`;
        const answer = JSON.parse(await client.ask(`[1,[152,[${deep}],{"include_initial":true}],${IN_DB}]`));
        const documents = answer.r.length > 0 ? answer.r : JSON.parse(await client.more()).r;
        expect(documents).toStrictEqual([{ new_val: depth + 1 }]);
      });

      // Seen on 2.4.4: a fold so deep ends the whole server with a stack overflow.
      test('a live query that is very deep takes too many steps, and hurts nobody', async () => {
        await stage.seed({ t: [{ id: 1 }] });
        const deep = `${'[24,['.repeat(VERY_DEEP)}[43,[[15,["t"]]]]${',1]]'.repeat(VERY_DEEP)}`;
        const answer = JSON.parse(await client.ask(`[1,[152,[${deep}],{"include_initial":true}],${IN_DB}]`));
        expect(answer).toMatchObject({ t: 18, e: 2000000, r: [expect.stringContaining('--max-steps')] });
        expect(await client.ask('[1,[24,[1,1]]]')).toBe('{"t":1,"r":[2]}');
        expect(await stage.writes.run((r) => r.table('t').count())).toBe(1);
      });
    }
  });
}
