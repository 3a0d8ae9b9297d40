// One story, told through each driver on every server that is there: connect with a password, write, read a large table,
// watch a count and a sum, run into an error, lose a right, and close.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Address } from '../../proxy/upstream/address.ts';
import { type Connection, drivers, type Login } from '../support/servers/drivers.ts';
import { servers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';

const run = promisify(execFile);

/** What the official driver says when it is refused, from a process of its own. */
async function refusalApart({ host, port }: Address, user: string, password: string): Promise<string> {
  const script = fileURLToPath(new URL('refused-connect.js', import.meta.url));
  const { stdout } = await run(process.execPath, [script, host, String(port), user, password], { timeout: 20_000 });
  return stdout;
}

const ROWS = 2500;
const TEXT = 'é😀'.repeat(100);

for (const [index, server] of servers.entries()) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    const db = `story_${index}`;
    const login = (user: string, password: string): Login => ({ db, user, password });

    beforeAll(async () => {
      stage = await setStage(server, db);
    });
    afterAll(async () => {
      await stage.close();
    });

    describe.each(drivers.map((driver) => ({ name: driver.name, driver })))('$name', ({ name, driver }) => {
      const user = `${name} reader ${index}`;
      let reader: Connection;

      beforeAll(async () => {
        await stage.seed({});
        const account = { id: user, password: 'sécret' };
        await stage.writes.run((r) => r.db('rethinkdb').table('users').insert(account, { conflict: 'replace' }));
        await stage.writes.run((r) => r.db(db).grant(user, { read: true, write: true }));
        reader = await driver.connect(stage.client, login(user, 'sécret'));
      });
      afterAll(async () => {
        await reader.close();
        await stage.writes.run((r) => r.db('rethinkdb').table('users').get(user).delete());
      });

      test('a wrong password is refused', async () => {
        if (driver.name === 'rethinkdb') {
          expect(await refusalApart(stage.client, user, 'wrong')).toMatch(/^ReqlAuthError: .*password/i);
        } else {
          await expect(driver.connect(stage.client, login(user, 'wrong'))).rejects.toThrow(/password/i);
        }
      });

      test('a large table is read whole', async () => {
        const rows = Array.from({ length: ROWS }, (_row, id) => ({ id, n: 1, text: TEXT }));
        await reader.run((r) => r.table('t').insert(rows, { durability: 'soft' }));
        const read = await reader.run((r) => r.table('t'));
        expect(Array.isArray(read) && read.length).toBe(ROWS);
        expect(Array.isArray(read) && read.every((row) => row.text === TEXT)).toBe(true);
      });

      if (server.plan !== undefined)
        test('a count and a sum are watched', async () => {
          const count = await reader.feed((r) => r.table('t').count().changes({ includeInitial: true }));
          const sum = await reader.feed((r) => r.table('t').sum('n').changes({ includeInitial: true }));
          expect(await count.take(1)).toEqual([{ new_val: ROWS }]);
          expect(await sum.take(1)).toEqual([{ new_val: ROWS }]);
          await reader.run((r) => r.table('t').insert({ id: 'more', n: 2 }));
          expect(await count.take(1)).toEqual([{ old_val: ROWS, new_val: ROWS + 1 }]);
          expect(await sum.take(1)).toEqual([{ old_val: ROWS, new_val: ROWS + 2 }]);
          await count.close();
          await reader.run((r) => r.table('t').get('more').delete());
          expect(await sum.take(1)).toEqual([{ old_val: ROWS + 2, new_val: ROWS }]);
          await sum.close();
        });

      if (server.plan === undefined)
        test('a count is refused as RethinkDB refuses it', async () => {
          await expect(reader.feed((r) => r.table('t').count().changes())).rejects.toThrow(
            'Cannot convert NUMBER to SEQUENCE',
          );
        });

      test('an error of a query is that query’s, and the connection goes on', async () => {
        await expect(reader.run((r) => r.expr(1).add('x'))).rejects.toThrow('Expected type NUMBER but found STRING');
        await expect(reader.run((r) => r.table('none'))).rejects.toThrow(/does not exist/);
        expect(await reader.run((r) => r.expr(1).add(1))).toBe(2);
      });

      if (server.plan !== undefined)
        test('who may not read a table cannot watch its count', async () => {
          await stage.writes.run((r) => r.db(db).table('u').grant(user, { read: false }));
          const once = await reader.run((r) => r.table('u').count()).catch(String);
          const live = await reader.feed((r) => r.table('u').count().changes()).catch(String);
          expect(once).toContain('permission');
          expect(live).toEqual(once);
        });

      if (server.plan !== undefined && server.real)
        test('a revoked right ends the feed', async () => {
          const feed = await reader.feed((r) => r.table('t').count().changes({ includeInitial: true }));
          await feed.take(1);
          await stage.writes.run((r) => r.db(db).table('t').grant(user, { read: false }));
          await stage.writes.run((r) => r.table('t').insert({ id: 'last straw' }));
          expect(await feed.ending()).toMatchObject({ kind: 'failed' });
        });
    });
  });
}
