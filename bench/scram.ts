// The client's side of a V1_0 handshake as the user `admin` without a password: what every driver of today does first.

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { Version } from '../rewrite/reql/protocol.ts';

const HASH = 'sha256';
const HASH_BYTES = 32;
const NONCE_BYTES = 18;
const CLIENT_FIRST_HEADER = 'n,,';

/** One handshake: bytes to send first, and the answer to each message of the server. */
export class ScramClient {
  readonly #bare: string;
  #messages = 0;

  constructor() {
    this.#bare = `n=admin,r=${randomBytes(NONCE_BYTES).toString('base64')}`;
  }

  /** The magic and the first message. */
  hello(): Buffer {
    const magic = Buffer.alloc(4);
    magic.writeUInt32LE(Version.V1_0, 0);
    const authentication = CLIENT_FIRST_HEADER + this.#bare;
    return Buffer.concat([
      magic,
      message({ protocol_version: 0, authentication_method: 'SCRAM-SHA-256', authentication }),
    ]);
  }

  /** What to send for a message of the server's: bytes, nothing yet, or `done`. Throws what the server says. */
  answer(text: string): Buffer | undefined | 'done' {
    const fields: unknown = JSON.parse(text);
    if (typeof fields !== 'object' || fields === null) throw new Error(`no handshake: ${text}`);
    if (!('success' in fields) || fields.success !== true) throw new Error(text);
    this.#messages++;
    if (this.#messages === 1) return undefined;
    if (this.#messages === 3) return 'done';
    return this.#proof('authentication' in fields ? String(fields.authentication) : '');
  }

  #proof(serverFirst: string): Buffer {
    const nonce = /r=([^,]*)/.exec(serverFirst)?.[1] ?? '';
    const salt = /s=([^,]*)/.exec(serverFirst)?.[1] ?? '';
    const iterations = Number(/i=(\d+)/.exec(serverFirst)?.[1]);
    const salted = pbkdf2Sync('', Buffer.from(salt, 'base64'), iterations, HASH_BYTES, HASH);
    const clientKey = createHmac(HASH, salted).update('Client Key').digest();
    const storedKey = createHash(HASH).update(clientKey).digest();
    const final = `c=${Buffer.from(CLIENT_FIRST_HEADER).toString('base64')},r=${nonce}`;
    const signature = createHmac(HASH, storedKey).update(`${this.#bare},${serverFirst},${final}`).digest();
    const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
    return message({ authentication: `${final},p=${Buffer.from(proof).toString('base64')}` });
  }
}

function message(fields: object): Buffer {
  return Buffer.from(`${JSON.stringify(fields)}\0`);
}
