// Connections to the TLS port that say nothing: they are closed in time, and a client that speaks is let in beside them.

import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Client } from '../../src/client/client.ts';
import { makeCertificate } from '../../test/support/servers/certificate.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { MemoryWatch, openDatabase, openProxy, pause, sayLived, stopProxy } from './stage.ts';
import type { Verdicts } from './verdict.ts';

const SILENT = 1050;
const MOST_CLIENTS = 1000;
const TIMEOUT_SECONDS = 5;
const MARGIN_MS = 3000;
const LET_IN_MS = 2000;

/** Runs the drill. */
export async function silentTls(program: Program, verdicts: Verdicts): Promise<void> {
  verdicts.begin(`silent TLS: ${SILENT} connections that say nothing, ${MOST_CLIENTS} clients allowed`);
  const database = await openDatabase('embedded', program);
  const { cert, key } = makeCertificate('localhost');
  const [certFile, keyFile] = [join(program.folder, 'cert.pem'), join(program.folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const proxy = await openProxy(program, database, [
    ...['--tls-cert', certFile, '--tls-key', keyFile, '--workers', '1'],
    ...['--max-clients', String(MOST_CLIENTS), '--handshake-timeout', String(TIMEOUT_SECONDS)],
  ]);
  const memory = new MemoryWatch(proxy);
  let closed = 0;
  const sockets: Socket[] = Array.from({ length: SILENT }, () => {
    const socket = connect(proxy.address);
    socket.on('error', () => {});
    socket.on('close', () => closed++);
    return socket;
  });
  await pause(MARGIN_MS);
  const start = performance.now();
  const client = await Client.connect(proxy.address, { tls: { ca: cert, servername: 'localhost' } });
  const took = performance.now() - start;
  client.close();
  verdicts.say(
    took <= LET_IN_MS,
    `a client that speaks is let in after ${took.toFixed(0)} ms, at most ${LET_IN_MS} ms`,
  );
  await pause(TIMEOUT_SECONDS * 1000 + MARGIN_MS);
  verdicts.say(closed === SILENT, `${closed} of ${SILENT} silent connections are closed`);
  sayLived(proxy, memory.stop(), 1, verdicts);
  await stopProxy(proxy, verdicts);
  for (const socket of sockets) socket.destroy();
  await database.stop();
}
