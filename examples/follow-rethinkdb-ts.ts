// A live figure that outlives its connection, with `rethinkdb-ts`: `npx tsx examples/follow-rethinkdb-ts.ts`. With a real
// RethinkDB, start `livefold --upstream HOST:28015 --upstream OTHER:28015` and connect to that.

import { EventEmitter, on } from 'node:events';
import { type Connection, r } from 'rethinkdb-ts';
import 'livefold/rethinkdb-ts'; // types: `changes` after a value
import { follow, Line, SHOWN, View } from './follow.js';
import { standIn } from './stand-in.js';

const server = await standIn();
const screen = new EventEmitter();
const changes = on(screen, 'change');
const next = async () => (await changes.next()).value[0];

// The driver prints whatever goes wrong, unless it is told to be silent.
const line = new Line(() => r.connect({ ...server.address, silent: true }));
const stop = follow({
  line,
  open: (connection: Connection) => r.table('orders').sum('total').changes(SHOWN).run(connection),
  view: new View((_key, now, before) => screen.emit('change', { before, now })),
});

console.log(await next()); // { before: undefined, now: 35 }
await server.restart();
console.log(await next()); // { before: 35, now: 30 }

stop();
await line.close();
await server.close();
