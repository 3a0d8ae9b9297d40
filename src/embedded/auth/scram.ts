// The server's side of SCRAM-SHA-256 (RFC 5802, RFC 7677), with the errors of RethinkDB (scram_authenticator.cc).

import { createHash, createHmac, randomBytes } from 'node:crypto';
import { createPassword, DEFAULT_ITERATIONS, type Password } from './password.ts';

/** The error of a client that was not let in; codes 10 to 20 mean authentication to every driver. */
export class AuthenticationError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'AuthenticationError';
    this.code = code;
  }
}

const invalidEncoding = () => new AuthenticationError(10, 'Invalid encoding');

const NONCE_BYTES = 18;

/** The exchange with one client: `first` answers its first message, `final` its proof. */
export class ScramExchange {
  readonly #passwordOf: (user: string) => Password | undefined;
  #user = '';
  #known = false;
  #password: Password | undefined;
  #nonce = '';
  #firstBare = '';
  #serverFirst = '';

  constructor(passwordOf: (user: string) => Password | undefined) {
    this.#passwordOf = passwordOf;
  }

  get user(): string {
    return this.#user;
  }

  first(message: string): string {
    if (!message.startsWith('n,')) throw new AuthenticationError(15, 'Channel binding is not supported');
    const comma = message.indexOf(',', 2);
    if (comma < 0) throw invalidEncoding();
    this.#firstBare = message.slice(comma + 1);
    const attributes = attributesOf(this.#firstBare, 'nr');
    const user = attributes.get('n');
    const nonce = attributes.get('r');
    if (user === undefined || nonce === undefined) throw invalidEncoding();
    this.#user = decodeName(user);
    const password = this.#passwordOf(this.#user);
    this.#known = password !== undefined;
    this.#password = password ?? createPassword('', DEFAULT_ITERATIONS);
    this.#nonce = nonce + randomBytes(NONCE_BYTES).toString('base64');
    const { salt, iterations } = this.#password;
    this.#serverFirst = `r=${this.#nonce},s=${salt.toString('base64')},i=${iterations}`;
    return this.#serverFirst;
  }

  final(message: string): string {
    const password = this.#password;
    if (password === undefined || !this.#known) throw new AuthenticationError(17, 'Unknown user');
    const proofAt = message.indexOf(',p=');
    const withoutProof = proofAt < 0 ? message : message.slice(0, proofAt);
    const authMessage = `${this.#firstBare},${this.#serverFirst},${withoutProof}`;
    const attributes = attributesOf(message, 'crp');
    this.#check(attributes, proofOf(password, authMessage));
    const serverKey = createHmac('sha256', password.hash).update('Server Key').digest();
    return `v=${createHmac('sha256', serverKey).update(authMessage).digest('base64')}`;
  }

  #check(attributes: ReadonlyMap<string, string>, proof: string): void {
    const binding = attributes.get('c');
    const given = attributes.get('p');
    const nonce = attributes.get('r');
    if (binding !== undefined && binding !== 'biws') throw invalidEncoding();
    if (given !== undefined && given !== proof) throw new AuthenticationError(12, 'Wrong password');
    if (nonce !== undefined && nonce !== this.#nonce) throw new AuthenticationError(20, 'Other error');
    if (binding === undefined || given === undefined || nonce === undefined) throw invalidEncoding();
  }
}

function proofOf(password: Password, authMessage: string): string {
  const clientKey = createHmac('sha256', password.hash).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest();
  const signature = createHmac('sha256', storedKey).update(authMessage).digest();
  return Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))).toString('base64');
}

function attributesOf(message: string, allowed: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  if (message === '') return attributes;
  for (const part of message.split(',')) {
    const key = part.charAt(0);
    if (part.charAt(1) !== '=' || attributes.has(key)) throw invalidEncoding();
    attributes.set(key, part.slice(2));
  }
  for (const key of [...attributes.keys()].sort()) {
    if (key === 'm') throw new AuthenticationError(11, 'Extensions not supported');
    if (!allowed.includes(key)) throw invalidEncoding();
  }
  return attributes;
}

function decodeName(name: string): string {
  if (/=(?!2C|3D)/.test(name)) throw new AuthenticationError(18, 'Invalid username encoding');
  return name.replace(/=2C|=3D/g, (code) => (code === '=2C' ? ',' : '='));
}
