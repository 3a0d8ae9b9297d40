// A copy of live rows that is kept in step by merges, goes on where it stopped when it is started again, and steps back and forth
// through its last changes (mirror.js): `node --import tsx examples/merge-mirror.js`.
//
// An in-memory server stands in for RethinkDB, as in proxy.ts.

import { createEmbeddedServer, createOpenFeed, DEFAULT_LIMITS, silent, startProxy } from 'livefold';
import r from 'rethinkdb';
import { Mirror } from './mirror.js';

const database = await createEmbeddedServer();
const proxy = await startProxy({
  listen: { host: '127.0.0.1', port: 0 },
  upstreams: [database.address],
  openFeed: createOpenFeed({ plan: 'auto', limits: DEFAULT_LIMITS, now: Date.now, lingerMs: 60_000 }),
  log: silent,
});
const connection = await r.connect({ host: proxy.address.host, port: proxy.address.port });
await r.tableCreate('orders').run(connection);
const orders = r.table('orders');
await orders.insert([{ id: 1, city: 'Bonn', total: 5, open: true }]).run(connection);
const dearest = orders.group('city').max('total');
const open = (mirror) => mirror.open((options) => dearest.changes(options).run(connection));

const first = new Mirror();
const feed = await open(first);
first.take(await feed.next());
console.log(JSON.stringify(first.valueOf('Bonn'))); // {"city":"Bonn","id":1,"open":true,"total":5}

await orders.get(1).update({ total: 6 }).run(connection);
first.take(await feed.next());
await orders.get(1).update({ total: 8, open: false }).run(connection);
first.take(await feed.next());
console.log(JSON.stringify(first.steps.at(-1))); // {"name":"\"Bonn\"","body":{"open":false,"total":8},"reverse":{"open":true,"total":6}}

// The program is stopped, and what it knows is kept as JSON. Meanwhile there are two more changes.
const kept = JSON.stringify(first);
await feed.close();
await orders.get(1).replace({ id: 1, city: 'Bonn', total: 9 }).run(connection);
await orders.insert({ id: 2, city: 'Kiel', total: 1 }).run(connection);

const second = new Mirror(JSON.parse(kept));
const again = await open(second);
for (let count = 0; count < 2; count++) second.take(await again.next());
console.log(JSON.stringify(second.valueOf('Bonn'))); // {"city":"Bonn","id":1,"total":9}
console.log(JSON.stringify(second.valueOf('Kiel'))); // {"city":"Kiel","id":2,"total":1}
console.log(JSON.stringify(second.net('Bonn', 4))); // {"total":9,"open":{"_delete":true}}

second.back(4);
console.log(JSON.stringify(second.valueOf('Bonn'))); // {"city":"Bonn","id":1,"total":5,"open":true}
console.log(second.valueOf('Kiel')); // undefined
second.forth(4);
console.log(JSON.stringify(second.valueOf('Bonn'))); // {"city":"Bonn","id":1,"total":9}

await again.close();
await connection.close();
await proxy.destroy();
await database.close();
