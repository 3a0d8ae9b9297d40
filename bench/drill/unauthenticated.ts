// Clients that never authenticate, some of which say nothing at all and some the magic number alone: what they cost RethinkDB, and
// how long a client with a password waits beside them.

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Version } from '../../rewrite/reql/protocol.ts';
import { Client } from '../../src/client/client.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { type DatabaseKind, MemoryWatch, openDatabase, openProxy, pause, sayLived, stopProxy } from './stage.ts';
import type { Verdicts } from './verdict.ts';

const CLIENTS = 2000;
/** `--max-handshakes`, and the valid client. */
const MOST_UPSTREAM = 256 + 1;
const LET_IN_MS = 5000;
const SETTLE_MS = 3000;
const ESTABLISHED = '01';

/** Runs the drill. */
export async function unauthenticated(program: Program, kind: DatabaseKind, verdicts: Verdicts): Promise<void> {
  for (const [name, word] of Object.entries(WORDS)) {
    verdicts.begin(`unauthenticated, ${kind} database: ${CLIENTS} clients ${name}`);
    const database = await openDatabase(kind, program);
    const proxy = await openProxy(program, database, ['--workers', '1']);
    const memory = new MemoryWatch(proxy);
    const sockets: Socket[] = Array.from({ length: CLIENTS }, () => {
      const socket = connect(proxy.address);
      socket.on('error', () => {});
      socket.on('data', () => {});
      if (word.length > 0) socket.write(word);
      return socket;
    });
    await pause(SETTLE_MS);
    const upstream = connectionsTo(database.address.port);
    verdicts.say(upstream <= MOST_UPSTREAM, `${upstream} connections to the database, at most ${MOST_UPSTREAM}`);
    const start = performance.now();
    const client = await Client.connect(proxy.address);
    await client.run('[1,[24,[1,1]]]');
    const took = performance.now() - start;
    verdicts.say(
      took <= LET_IN_MS,
      `a client with a password is answered after ${took.toFixed(0)} ms, at most ${LET_IN_MS} ms`,
    );
    client.close();
    sayLived(proxy, memory.stop(), 1, verdicts);
    await stopProxy(proxy, verdicts);
    for (const socket of sockets) socket.destroy();
    await database.stop();
  }
}

const MAGIC = Buffer.alloc(4);
MAGIC.writeUInt32LE(Version.V1_0);

const WORDS: Readonly<Record<string, Buffer>> = {
  'that say nothing': Buffer.alloc(0),
  'that say the magic number alone': MAGIC,
};

/** Connections to a port of this machine that are established, seen from the side that has connected. */
function connectionsTo(port: number): number {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
  return lines.filter((line) => {
    const [, , remote = '', state] = line.trim().split(/\s+/);
    return remote.endsWith(`:${hex}`) && state === ESTABLISHED;
  }).length;
}
