// What the follow-*.js examples stand on, where there is neither a RethinkDB nor a livefold: an in-memory server with orders in it,
// and a proxy before it that can be ended and started again.

import { createEmbeddedServer, createOpenFeed, DEFAULT_LIMITS, silent, startProxy } from 'livefold';
import r from 'rethinkdb';

/** Starts both. */
export async function standIn() {
  const database = await createEmbeddedServer();
  const writes = await r.connect(database.address);
  await r.tableCreate('orders').run(writes);
  await r
    .table('orders')
    .insert([
      { id: 1, city: 'Bonn', total: 20 },
      { id: 2, city: 'Bonn', total: 15 },
    ])
    .run(writes);
  const settings = {
    upstreams: [database.address],
    openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now }),
    log: silent,
  };
  let proxy = await startProxy({ ...settings, listen: { host: '127.0.0.1', port: 0 } });
  return {
    /** Where to connect. */
    address: { host: proxy.address.host, port: proxy.address.port },
    /** Ends the proxy and all connections through it, changes orders, and starts it again at the same address. */
    async restart() {
      await proxy.destroy();
      await r.table('orders').get(1).delete().run(writes);
      await r.table('orders').get(2).update({ total: 30 }).run(writes);
      proxy = await startProxy({ ...settings, listen: proxy.address });
    },
    async close() {
      await writes.close();
      await proxy.destroy();
      await database.close();
    },
  };
}
