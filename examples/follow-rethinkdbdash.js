// Live rows that outlive their connection, with `rethinkdbdash`: `npx tsx examples/follow-rethinkdbdash.js`. With a real
// RethinkDB, start `livefold --upstream HOST:28015 --upstream OTHER:28015` and connect to that.

import { EventEmitter, on } from 'node:events';
import rethinkdbdash from 'rethinkdbdash';
import Connection from 'rethinkdbdash/lib/connection.js';
import { follow, ignoreUnheardErrors, Line, SHOWN, View } from './follow.js';
import { standIn } from './stand-in.js';

// A connection that is reset while it shakes hands has an error before anybody can listen to it.
ignoreUnheardErrors(Connection);

const server = await standIn();
const screen = new EventEmitter();
const changes = on(screen, 'change');
const next = async () => (await changes.next()).value[0];

// Feeds get a connection of their own: each would keep one of the driver's pool for itself.
const r = rethinkdbdash({ pool: false, silent: true });
const line = new Line(() => r.connect(server.address));
const stop = follow({
  line,
  open: (connection) => r.table('orders').filter({ id: 1 }).changes(SHOWN).run(connection, { cursor: true }),
  view: new View(
    (id, now, before) => screen.emit('change', { id, before, now }),
    (row) => row.id,
  ),
});

console.log(await next()); // { id: 1, before: undefined, now: { city: 'Bonn', id: 1, total: 20 } }
await server.restart();
console.log(await next()); // { id: 1, before: { city: 'Bonn', id: 1, total: 20 }, now: undefined }

stop();
await line.close();
await server.close();
