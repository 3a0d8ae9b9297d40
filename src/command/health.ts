// `livefold health`: asks a livefold that runs on this machine for the first message of a handshake, which it answers in the
// client's protocol even where no upstream can be reached. So whoever answers serves.

import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { OWN_HEADER } from '../../proxy/connection/proxy-header.ts';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { ServerHandshake } from '../../proxy/wire/handshake.ts';
import { Version } from '../../rewrite/reql/protocol.ts';
import type { OptionValues } from './option-table.ts';
import { ownAddress } from './own-address.ts';
import type { ProcessIo } from './process-io.ts';

/** The address on which a livefold listens, as `--address-file` keeps it. */
export interface Listening {
  readonly address: Address;
  readonly tls: boolean;
  readonly proxyProtocol: boolean;
  /** Where its admin server is, if it has one. */
  readonly admin?: Address;
}

const PATIENCE_MS = 2500;

/** Says whether it serves: exit code 0, or 1. */
export async function tellHealth(values: OptionValues, around: ProcessIo): Promise<void> {
  const where = listening(values);
  const problem = await problemOf(where);
  around.print(`${printAddress(where.address)}: ${problem ?? 'it serves'}`);
  around.exit(problem === undefined ? 0 : 1);
}

function listening({ addressFile, listen, tlsCert, proxyProtocol = false }: OptionValues): Listening {
  return keptListening(addressFile) ?? { address: listen, tls: tlsCert !== undefined, proxyProtocol };
}

/** Reads the `--address-file` of a livefold; `undefined` where it has not yet. */
export function keptListening(addressFile: string | undefined): Listening | undefined {
  if (addressFile === undefined) return undefined;
  try {
    const kept: Listening = JSON.parse(readFileSync(addressFile, 'utf8'));
    return kept;
  } catch {
    return undefined;
  }
}

function problemOf({ address, tls, proxyProtocol }: Listening): Promise<string | undefined> {
  const { host, port } = ownAddress(address);
  return new Promise((resolve) => {
    const plain = connect({ host, port });
    if (proxyProtocol) plain.write(OWN_HEADER);
    // Who it is does not matter here, only that it answers.
    const socket: Socket = tls ? connectTls({ socket: plain, rejectUnauthorized: false }) : plain;
    const handshake = new ServerHandshake();
    const settle = (problem: string | undefined): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    const timer = setTimeout(() => settle('it does not answer'), PATIENCE_MS);
    plain.on('error', (error) => settle(error.message));
    socket.on('error', (error) => settle(wantsCertificate(error) ? undefined : error.message));
    socket.on('close', () => settle('it ended the connection'));
    socket.on('data', (chunk: Buffer) => {
      handshake.push(chunk);
      const message = handshake.next();
      if (message !== undefined) settle(message.kind === 'text' ? undefined : 'it does not answer as livefold does');
    });
    const magic = Buffer.alloc(4);
    magic.writeUInt32LE(Version.V1_0);
    socket.write(magic);
  });
}

/** With `--tls-client-ca` it answers whoever has no certificate with an alert, which is an answer. */
function wantsCertificate(error: Error): boolean {
  return 'code' in error && error.code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
}
