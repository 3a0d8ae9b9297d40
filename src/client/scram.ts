// The client's side of a V1_0 handshake: SCRAM-SHA-256 (RFC 5802, RFC 7677), what every driver of today does first.

import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Version } from '../../rewrite/reql/protocol.ts';

const HASH = 'sha256';
const HASH_BYTES = 32;
const NONCE_BYTES = 18;
const CLIENT_FIRST_HEADER = 'n,,';

/** The user who connects, and the password. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** The user that every server has, without a password, as on a new server. */
export const ADMIN: Credentials = { user: 'admin', password: '' };

/** A handshake: bytes to send first, and the answer to each message of the server. */
export class ScramClient {
  readonly #password: string;
  readonly #bare: string;
  #messages = 0;
  /** What the server has to say last, which only one who knows the password can. */
  #signature = Buffer.alloc(0);

  constructor({ user, password }: Credentials = ADMIN) {
    this.#password = password.normalize('NFKC');
    this.#bare = `n=${encodeName(user)},r=${randomBytes(NONCE_BYTES).toString('base64')}`;
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
    const fields = fieldsOf(text);
    this.#messages++;
    if (this.#messages === 1) return undefined;
    const authentication = 'authentication' in fields ? String(fields.authentication) : '';
    if (this.#messages === 2) return this.#proof(authentication);
    const shown = Buffer.from(attribute(authentication, 'v'), 'base64');
    if (shown.length !== HASH_BYTES || !timingSafeEqual(shown, this.#signature)) {
      throw new Error('The server does not know the password either: it is not the one that it claims to be.');
    }
    return 'done';
  }

  #proof(serverFirst: string): Buffer {
    const salt = Buffer.from(attribute(serverFirst, 's'), 'base64');
    const iterations = Number(attribute(serverFirst, 'i'));
    const salted = pbkdf2Sync(this.#password, salt, iterations, HASH_BYTES, HASH);
    const clientKey = createHmac(HASH, salted).update('Client Key').digest();
    const storedKey = createHash(HASH).update(clientKey).digest();
    const final = `c=${Buffer.from(CLIENT_FIRST_HEADER).toString('base64')},r=${attribute(serverFirst, 'r')}`;
    const all = `${this.#bare},${serverFirst},${final}`;
    const signature = createHmac(HASH, storedKey).update(all).digest();
    const proof = clientKey.map((byte, index) => byte ^ (signature[index] ?? 0));
    const serverKey = createHmac(HASH, salted).update('Server Key').digest();
    this.#signature = createHmac(HASH, serverKey).update(all).digest();
    return message({ authentication: `${final},p=${Buffer.from(proof).toString('base64')}` });
  }
}

function fieldsOf(text: string): object {
  const fields = parsed(text);
  if (typeof fields === 'object' && fields !== null) {
    if ('success' in fields && fields.success === true) return fields;
    if ('error' in fields) throw new Error(String(fields.error));
  }
  // Servers too old for V1_0, and those that are full, say so in plain text.
  throw new Error(text.trim());
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function attribute(text: string, name: string): string {
  return new RegExp(`(?:^|,)${name}=([^,]*)`).exec(text)?.[1] ?? '';
}

function encodeName(name: string): string {
  return name.normalize('NFKC').replaceAll('=', '=3D').replaceAll(',', '=2C');
}

function message(fields: object): Buffer {
  return Buffer.from(`${JSON.stringify(fields)}\0`);
}
