// A live count without the proxy, with the official driver: `npx tsx examples/rethinkdb.js`.
//
// The library turns the query into one that an unmodified RethinkDB folds by itself. An in-memory server stands in for it
// here; with a real one, connect to that.

import { createEmbeddedServer } from 'livefold';
import { liveRethinkdb } from 'livefold/rewrite';
import r from 'rethinkdb';

const database = await createEmbeddedServer();
const connection = await r.connect({ host: database.address.host, port: database.address.port });
await r.tableCreate('orders').run(connection);
await r
  .table('orders')
  .insert([
    { id: 1, open: true },
    { id: 2, open: false },
  ])
  .run(connection);

const query = r.table('orders').filter({ open: true }).count().changes({ includeInitial: true });
const feed = await liveRethinkdb(query).run(connection);
console.log(await feed.next()); // { new_val: 1 }

await r.table('orders').get(2).update({ open: true }).run(connection);
console.log(await feed.next()); // { new_val: 2, old_val: 1 }

await feed.close();
await connection.close();
await database.close();
