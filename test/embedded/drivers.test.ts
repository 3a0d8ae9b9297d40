// The three JavaScript drivers on the bare embedded server: logging in, everyday queries, feeds, and errors as they arrive.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbeddedServer, type EmbeddedServer } from '../../src/embedded/index.ts';
import { type Connection, drivers } from '../support/servers/drivers.ts';

const PASSWORD = 'open sesame';

describe.each(drivers)('$name', (driver) => {
  let server: EmbeddedServer;
  let connection: Connection;

  beforeAll(async () => {
    server = await createEmbeddedServer();
    connection = await driver.connect(server.address, { db: 'test' });
    await connection.run((r) => r.tableCreate('orders'));
    await connection.run((r) => r.table('orders').indexCreate('customer'));
    await connection.run((r) => r.table('orders').indexWait());
  });

  afterAll(async () => {
    await connection.close();
    await server.close();
  });

  test('rows are written, read by key and by index, changed and deleted', async () => {
    const inserted = await connection.run((r) =>
      r.table('orders').insert([
        { id: 1, customer: 'ann', total: 5 },
        { id: 2, customer: 'bob', total: 7 },
        { id: 3, customer: 'ann', total: 9 },
      ]),
    );
    expect(inserted).toMatchObject({ inserted: 3, errors: 0 });
    expect(await connection.run((r) => r.table('orders').get(2))).toEqual({ id: 2, customer: 'bob', total: 7 });
    const ids = await connection.run((r) =>
      r
        .table('orders')
        .getAll('ann', { index: 'customer' })
        .orderBy('id')
        .map((row) => row('id')),
    );
    expect(ids).toEqual([1, 3]);
    expect(await connection.run((r) => r.table('orders').sum('total'))).toBe(21);
    await connection.run((r) =>
      r
        .table('orders')
        .get(2)
        .update((row) => ({ total: row('total').add(1) })),
    );
    await connection.run((r) => r.table('orders').get(3).delete());
    expect(await connection.run((r) => r.table('orders').orderBy({ index: 'id' }))).toEqual([
      { id: 1, customer: 'ann', total: 5 },
      { id: 2, customer: 'bob', total: 8 },
    ]);
    await connection.run((r) => r.table('orders').delete());
  });

  test('a feed shows the rows there are, then each change', async () => {
    await connection.run((r) => r.table('orders').insert({ id: 1, total: 5 }));
    const feed = await connection.feed((r) => r.table('orders').changes({ includeInitial: true, includeStates: true }));
    expect(await feed.take(3)).toEqual([
      { state: 'initializing' },
      { new_val: { id: 1, total: 5 } },
      { state: 'ready' },
    ]);
    await connection.run((r) => r.table('orders').get(1).update({ total: 6 }));
    expect(await feed.take(1)).toEqual([{ old_val: { id: 1, total: 5 }, new_val: { id: 1, total: 6 } }]);
    await feed.close();
    await connection.run((r) => r.table('orders').delete());
  });

  test('a large result comes in batches', async () => {
    const rows = await connection.run((r) => r.range(30_000).map((n) => ({ n })));
    expect(rows).toHaveLength(30_000);
  });

  test('a live aggregate is refused as RethinkDB refuses it', async () => {
    await expect(connection.run((r) => r.table('orders').count().changes())).rejects.toThrow(
      /Cannot convert NUMBER to SEQUENCE/,
    );
  });
});

describe.each(drivers)('$name with a password', (driver) => {
  test('the right one is let in, the wrong one is not', async () => {
    const server = await createEmbeddedServer({ password: PASSWORD });
    await expect(driver.connect(server.address, { db: 'test', password: 'wrong' })).rejects.toThrow(/Wrong password/);
    const connection = await driver.connect(server.address, { db: 'test', user: 'admin', password: PASSWORD });
    expect(await connection.run((r) => r.expr(1).add(1))).toBe(2);
    await connection.close();
    await server.close();
  });
});
