// A live figure that is taken up where it stopped, after the program and the proxy have been started anew, with `rethinkdb-ts`:
// `npx tsx examples/merge-mirror-rethinkdb-ts.ts`.

import { r } from 'rethinkdb-ts';
import 'livefold/rethinkdb-ts'; // types: the options of `changes`, and what documents hold
import { Mirror } from './mirror.js';
import { standIn } from './stand-in.js';

const server = await standIn();
const figure = r.table('orders').sum('total');

const connection = await r.connect({ ...server.address, silent: true });
const mirror = new Mirror();
const feed = await mirror.open((options) => figure.changes(options).run(connection));
mirror.take(await feed.next());
console.log(mirror.valueOf()); // 35
const kept = JSON.stringify(mirror);

// The proxy is ended with all its connections, orders change, and it is started again.
await server.restart();

const again = await r.connect({ ...server.address, silent: true });
const second = new Mirror(JSON.parse(kept));
const taken = await second.open((options) => figure.changes(options).run(again));
const { body, reverse, rev } = await taken.next();
second.take({ body, reverse, rev });
console.log(body, reverse); // 30 35
console.log(second.valueOf()); // 30

await again.close();
await server.close();
