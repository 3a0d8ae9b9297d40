// A sum by hand, of the merges of a table's own feed, beside the live one: what a body sets in the place of what its reverse tells is
// all that a sum needs. No row is read, and none is kept: `node --import tsx examples/merge-sum.js`.
//
// An in-memory server stands in for RethinkDB, as in proxy.ts.

import { createEmbeddedServer, createOpenFeed, DEFAULT_LIMITS, silent, startProxy } from 'livefold';
import { applyMerge } from 'livefold/merge';
import r from 'rethinkdb';

const database = await createEmbeddedServer();
const proxy = await startProxy({
  listen: { host: '127.0.0.1', port: 0 },
  upstreams: [database.address],
  openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now }),
  log: silent,
});
const connection = await r.connect({ host: proxy.address.host, port: proxy.address.port });
await r.tableCreate('orders').run(connection);
const orders = r.table('orders');
await orders
  .insert([
    { id: 1, total: 20 },
    { id: 2, total: 15 },
  ])
  .run(connection);

/** The number that a merge leads to; `undefined` where it says nothing of it. */
const totalIn = (merge) => applyMerge({ total: undefined }, merge)?.total;

let sum = 0;
const feed = await orders.changes({ includeInitial: true, format: 'merge' }).run(connection);
const sums = await orders.sum('total').changes({ includeInitial: true, format: 'merge' }).run(connection);
const take = async (count) => {
  for (let left = count; left > 0; left--) {
    const { body, reverse } = await feed.next();
    sum += (totalIn(body) ?? 0) - (totalIn(reverse ?? {}) ?? 0);
  }
};

await take(2);
console.log(sum, (await sums.next()).body); // 35 35

await orders.get(2).update({ total: 30 }).run(connection);
await take(1);
console.log(sum, (await sums.next()).body); // 50 50

// A change of something else is told, too, and says nothing of totals.
await orders.get(1).update({ city: 'Bonn' }).run(connection);
await orders.get(1).delete().run(connection);
await take(2);
console.log(sum, (await sums.next()).body); // 30 30

await orders.insert({ id: 3 }).run(connection);
await orders.get(3).update({ total: 4 }).run(connection);
await take(2);
console.log(sum, (await sums.next()).body); // 34 34

await feed.close();
await sums.close();
await connection.close();
await proxy.destroy();
await database.close();
