// A live figure that is taken up where it stopped, after the program and the proxy have been started anew, with `rethinkdbdash`:
// `npx tsx examples/merge-mirror-rethinkdbdash.js`.

import rethinkdbdash from 'rethinkdbdash';
import { Mirror } from './mirror.js';
import { standIn } from './stand-in.js';

const r = rethinkdbdash({ pool: false, silent: true });

/**
 * The driver refuses options of `changes` that it does not know. A query keeps what it sends as JSON: the options are put there, as
 * they are called on the wire.
 */
function withOptions(query, { format, includeRevs, includeInitial, since }) {
  const feed = query.changes();
  feed._query.push(
    JSON.parse(JSON.stringify({ format, include_revs: includeRevs, include_initial: includeInitial, since })),
  );
  return feed;
}

const server = await standIn();
const figure = r.table('orders').sum('total');

const connection = await r.connect(server.address);
const mirror = new Mirror();
const feed = await mirror.open((options) => withOptions(figure, options).run(connection, { cursor: true }));
mirror.take(await feed.next());
console.log(mirror.valueOf()); // 35
const kept = JSON.stringify(mirror);

// The proxy is ended with all its connections, orders change, and it is started again.
await server.restart();

const again = await r.connect(server.address);
const second = new Mirror(JSON.parse(kept));
const taken = await second.open((options) => withOptions(figure, options).run(again, { cursor: true }));
const { body, reverse, rev } = await taken.next();
second.take({ body, reverse, rev });
console.log(body, reverse); // 30 35
console.log(second.valueOf()); // 30

await again.close();
await server.close();
