// Asks a server that accepts connections whether it is a RethinkDB, and which: it says so to whoever sends the magic number of
// V1_0, before it is told a user (server.cc, handle_conn).

import type { Socket } from 'node:net';
import { Version } from '../../rewrite/reql/protocol.ts';
import { ServerHandshake } from '../wire/handshake.ts';
import { readFields } from '../wire/handshake-message.ts';

/** The greeting of a server, or the problem with it. */
export type Greeting = { readonly version: string } | { readonly problem: string };

/** The problem with a server that is no RethinkDB, or with another port of one, in words that follow its name. */
export const IS_NO_DRIVER_PORT = 'does not answer as the driver port of a RethinkDB does';
const NO_DRIVER_PORT = `it ${IS_NO_DRIVER_PORT}`;

/** Asks over a fresh connection, and ends it. Calls back once. Returns a function that gives up. */
export function askGreeting(socket: Socket, timeoutMs: number, settle: (greeting: Greeting) => void): () => void {
  const handshake = new ServerHandshake();
  let settled = false;
  const finish = (greeting: Greeting | undefined): void => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    socket.destroy();
    if (greeting !== undefined) settle(greeting);
  };
  const timer = setTimeout(() => finish({ problem: NO_DRIVER_PORT }), timeoutMs);
  socket.on('data', (chunk: Buffer) => {
    handshake.push(chunk);
    const message = handshake.next();
    if (message !== undefined) finish(message.kind === 'text' ? read(message.text) : { problem: NO_DRIVER_PORT });
  });
  for (const event of ['end', 'error', 'close'] as const) socket.on(event, () => finish({ problem: NO_DRIVER_PORT }));
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(Version.V1_0);
  socket.write(magic);
  return () => finish(undefined);
}

function read(text: string): Greeting {
  const version = readFields(text).get('server_version');
  if (typeof version === 'string') return { version };
  // The server is older than the handshake that it was asked for, and can still serve older ones.
  return text.startsWith('ERROR: ') ? { version: 'older than 2.3' } : { problem: NO_DRIVER_PORT };
}
