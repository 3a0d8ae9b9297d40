// Live groups that outlive their connection, with the official driver: `npx tsx examples/follow-rethinkdb.js`. With a real
// RethinkDB, start `livefold --upstream HOST:28015 --upstream OTHER:28015` and connect to that.

import { EventEmitter, on } from 'node:events';
import r from 'rethinkdb';
import net from 'rethinkdb/net.js';
import { follow, ignoreUnheardErrors, Line, SHOWN, View } from './follow.js';
import { standIn } from './stand-in.js';

// The driver counts the time of a handshake that has failed to its end, and then has an error more.
ignoreUnheardErrors(net.Connection);

const server = await standIn();
const screen = new EventEmitter();
const changes = on(screen, 'change');
const next = async () => (await changes.next()).value[0];

const line = new Line(() => r.connect(server.address));
const stop = follow({
  line,
  open: (connection) => r.table('orders').group('city').sum('total').changes(SHOWN).run(connection),
  view: new View((city, now, before) => screen.emit('change', { city, before, now })),
});

console.log(await next()); // { city: 'Bonn', before: undefined, now: 35 }
await server.restart();
console.log(await next()); // { city: 'Bonn', before: 35, now: 30 }

stop();
await line.close();
await server.close();
