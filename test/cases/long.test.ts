// Queries of megabytes: live ones up to a limit that is named beyond it, all others at any length.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, type RawClient } from '../support/servers/raw.ts';
import { liveServers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const DB = 'long';
const IN_DB = `{"db":[14,["${DB}"]]}`;
/** RethinkDB takes no more arguments than an array may have items. */
const KEYS = 60_000;
const keys = Array.from({ length: KEYS }, (_, key) => `"key number ${key} of ${KEYS}"`).join(',');
const MEBIBYTE = 1024 * 1024;
const LITERAL = 'x'.repeat(20 * MEBIBYTE);
/** More than a live query may have. */
const DATA = 'x'.repeat(5 * MEBIBYTE);

// CASES N11.
for (const server of liveServers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    let client: RawClient;
    beforeAll(async () => {
      stage = await setStage(server, DB);
      client = await connectRaw(stage.client);
      await stage.seed({ t: [{ id: 'key number 7 of 60000' }, { id: 'another' }] });
    });
    afterAll(async () => {
      client.close();
      await stage.close();
    });

    /** The documents of the first answer that has any. */
    const documents = async (query: string): Promise<unknown> => {
      let answer = JSON.parse(await client.ask(query));
      while (answer.t === 3 && answer.r.length === 0) answer = JSON.parse(await client.more());
      return answer.r;
    };

    test('a count of 60,000 keys is live', async () => {
      const watched = `[43,[[78,[[15,["t"]],${keys}]]]]`;
      expect(await documents(`[1,[152,[${watched}],{"include_initial":true}],${IN_DB}]`)).toEqual([{ new_val: 1 }]);
      await stage.writes.run((r) => r.table('t').insert({ id: 'key number 8 of 60000' }));
      expect(JSON.parse(await client.more()).r).toEqual([{ old_val: 1, new_val: 2 }]);
    });

    test('a feed of 60,000 keys is RethinkDB’s own', async () => {
      const query = `[1,[152,[[78,[[15,["t"]],${keys}]]],{"include_initial":true}],${IN_DB}]`;
      expect(await documents(query)).toContainEqual({ new_val: { id: 'key number 7 of 60000' } });
    });

    test('a live query of 20 MiB is refused by an error that names the option', async () => {
      const filter = `[39,[[15,["t"]],[69,[[2,[1]],[17,[[170,[[10,[1]],"id"]],"${LITERAL}"]]]]]]`;
      const answer = JSON.parse(await client.ask(`[1,[152,[[43,[${filter}]]]],${IN_DB}]`));
      expect(answer).toMatchObject({ t: 18, e: 2_000_000, r: [expect.stringContaining('--max-query-bytes')] });
      expect(await client.ask('[1,[24,[1,1]]]')).toBe('{"t":1,"r":[2]}');
    });

    test('a write of 5 MiB passes, though its data look like a live query', async () => {
      const row = `{"id":"long","a":[2,[[2,[152,[2,[43]]]],"${DATA}"]]}`;
      const answer = JSON.parse(await client.ask(`[1,[56,[[15,["t"]],${row}],{"durability":"soft"}],${IN_DB}]`));
      expect(answer).toMatchObject({ t: 1, r: [{ inserted: 1 }] });
      await stage.writes.run((r) => r.table('t').get('long').delete());
    });
  });
}
