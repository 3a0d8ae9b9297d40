// How live feeds end when what they watch goes, and what is left of the connection.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { error, expectError } from '../support/checks/matchers.ts';
import { official } from '../support/servers/drivers.ts';
import { liveServers } from '../support/servers/servers.ts';
import { createTable, type Stage, setStage } from '../support/servers/stage.ts';

const DB = 'ending';

for (const server of liveServers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, DB);
    });
    afterAll(() => stage.close());

    // CASES C4 (b), rethinkdb/rethinkdb#5465
    test('a table that is dropped ends the feed in the words of the server; other queries go on', async () => {
      await createTable(stage.writes, 'gone');
      const feed = await stage.feeds.feed((r) => r.table('gone').count().changes({ includeInitial: true }));
      expect(await feed.take(1)).toStrictEqual([{ new_val: 0 }]);
      await stage.writes.run((r) => r.tableDrop('gone'));
      const ending = await feed.ending();
      expectError(
        ending.kind === 'failed' ? ending.error : undefined,
        error('OP_FAILED', /^Changefeed aborted \((table )?unavailable\)\.$/),
      );
      expect(await stage.feeds.run((r) => r.expr(1).add(1))).toBe(2);
    });

    // CASES C4 (c), rethinkdb/rethinkdb#5465
    test('a right that is lost ends the feed in the words of the server', async () => {
      await stage.seed({ t: [{ id: 1 }] });
      await stage.writes.run((r) => r.db('rethinkdb').table('users').insert({ id: 'ann', password: 'a' }));
      await stage.writes.run((r) => r.db(DB).grant('ann', { read: true }));
      const ann = await official.connect(stage.client, { db: DB, user: 'ann', password: 'a' });
      try {
        const feed = await ann.feed((r) => r.table('t').count().changes({ includeInitial: true }));
        expect(await feed.take(1)).toStrictEqual([{ new_val: 1 }]);
        await stage.writes.run((r) => r.db(DB).grant('ann', { read: false }));
        await stage.writes.run((r) => r.table('t').insert({ id: 2 }));
        const ending = await feed.ending();
        expectError(
          ending.kind === 'failed' ? ending.error : undefined,
          error('PERMISSION', /^User `ann` does not have the required `read` permission\./),
        );
        expect(await ann.run((r) => r.expr(1).add(1))).toBe(2);
      } finally {
        await ann.close();
        await stage.writes.run((r) => r.db('rethinkdb').table('users').get('ann').delete());
      }
    });

    // CASES C4 (a), rethinkdb/rethinkdb#4637
    test('after an error the token is free and the next feed is right', async () => {
      await stage.seed({ t: [{ id: 1, x: 1 }] });
      const watch = (): ReturnType<typeof stage.feeds.feed> =>
        stage.feeds.feed((r) => r.table('t').sum('x').changes({ includeInitial: true }));
      const first = await watch();
      expect(await first.take(1)).toStrictEqual([{ new_val: 1 }]);
      await stage.writes.run((r) => r.table('t').insert({ id: 2, x: 's' }));
      const ending = await first.ending();
      expectError(
        ending.kind === 'failed' ? ending.error : undefined,
        error('QUERY_LOGIC', 'Expected type NUMBER but found STRING.'),
      );
      await stage.writes.run((r) => r.table('t').get(2).delete());
      const second = await watch();
      expect(await second.take(1)).toStrictEqual([{ new_val: 1 }]);
      await stage.writes.run((r) => r.table('t').insert({ id: 3, x: 2 }));
      expect(await second.take(1)).toStrictEqual([{ old_val: 1, new_val: 3 }]);
      await second.close();
    });

    // CASES B4 (c), rethinkdb/rethinkdb#5940
    test('options of run hold for a live query', async () => {
      await stage.seed({ t: [{ id: 1 }] });
      const other = await official.connect(stage.client, { db: 'nowhere' });
      try {
        const options = { db: DB, arrayLimit: 5, changefeedQueueSize: 77, profile: true };
        const feed = await other.feed((r) => r.table('t').count().changes({ includeInitial: true }), options);
        expect(await feed.take(1)).toStrictEqual([{ new_val: 1 }]);
        await stage.writes.run((r) => r.table('t').insert({ id: 2 }));
        expect(await feed.take(1)).toStrictEqual([{ old_val: 1, new_val: 2 }]);
        await feed.close();
      } finally {
        await other.close();
      }
    });
  });
}
