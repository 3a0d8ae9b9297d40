// A live average without the proxy, with `rethinkdb-ts`: `npx tsx examples/rethinkdb-ts.ts`.
//
// The library turns the query into one that an unmodified RethinkDB folds by itself. An in-memory server stands in for it
// here; with a real one, connect to that.

import { r } from 'rethinkdb-ts';
import 'livefold/rethinkdb-ts'; // types: `changes` after a value
import { createEmbeddedServer } from 'livefold';
import { liveRethinkdbTs } from 'livefold/rewrite';

const database = await createEmbeddedServer();
const connection = await r.connect({ host: database.address.host, port: database.address.port });
await r.tableCreate('orders').run(connection);
await r
  .table('orders')
  .insert([
    { id: 1, total: 20 },
    { id: 2, total: 10 },
  ])
  .run(connection);

const query = r.table('orders').avg('total').changes({ includeInitial: true });
const feed = await liveRethinkdbTs(r, query).run(connection);
console.log(await feed.next()); // { new_val: 15 }

await r.table('orders').insert({ id: 3, total: 60 }).run(connection);
console.log(await feed.next()); // { new_val: 30, old_val: 15 }

await feed.close();
await connection.close();
await database.close();
