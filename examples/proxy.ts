// A live sum through the proxy, with an unchanged driver: `npx tsx examples/proxy.ts`.
//
// An in-memory server stands in for RethinkDB; with a real one, start `livefold --upstream HOST:28015` instead of the first
// two calls, and connect to its address.

import { r } from 'rethinkdb-ts';
import 'livefold/rethinkdb-ts'; // types: `changes` after a value
import { createEmbeddedServer, createOpenFeed, DEFAULT_LIMITS, silent, startProxy } from 'livefold';

const database = await createEmbeddedServer();
const proxy = await startProxy({
  listen: { host: '127.0.0.1', port: 0 },
  upstreams: [database.address],
  openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now }),
  log: silent,
});

const connection = await r.connect({ host: proxy.address.host, port: proxy.address.port });
await r.tableCreate('orders').run(connection);
await r
  .table('orders')
  .insert([
    { id: 1, total: 20 },
    { id: 2, total: 15 },
  ])
  .run(connection);

const feed = await r.table('orders').sum('total').changes({ includeInitial: true }).run(connection);
console.log(await feed.next()); // { new_val: 35 }

await r.table('orders').get(2).update({ total: 30 }).run(connection);
console.log(await feed.next()); // { new_val: 50, old_val: 35 }

await feed.close();
await connection.close();
await proxy.destroy();
await database.close();
