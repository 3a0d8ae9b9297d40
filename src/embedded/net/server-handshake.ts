// The server's side of a connection's handshake, for V1_0, V0_4 and V0_3, and the server's own words for all else
// (server.cc, handle_conn). It has no socket: bytes go in, bytes to send come out.

import { ClientHandshake, type ClientMessage } from '../../../proxy/wire/handshake.ts';
import { handshakeError } from '../../../proxy/wire/handshake-message.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { Protocol, Version } from '../../../rewrite/reql/protocol.ts';
import { type Json, readJson } from '../../../rewrite/reql/term/json.ts';
import { AS_WRITTEN, toDatum } from '../../../rewrite/reql/term/json-datum.ts';
import { matchesPassword } from '../auth/password.ts';
import { AuthenticationError, ScramExchange } from '../auth/scram.ts';
import { ADMIN, type Users } from '../auth/users.ts';

/** The version the embedded server claims to be. */
const SERVER_VERSION = '2.4.4';

export type HandshakeStep =
  | { readonly kind: 'send'; readonly bytes: Buffer }
  /** Send the bytes, then close. */
  | { readonly kind: 'refuse'; readonly bytes: Buffer }
  | { readonly kind: 'open'; readonly bytes: Buffer; readonly user: string; readonly version: Version };

/** Raised inside this file only: the client said something that ends the handshake. */
class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Raised inside this file only: the server closes the connection without a word. */
class Silence extends Error {}

const UNSUPPORTED =
  'Received an unsupported protocol version. This port is for RethinkDB queries. Does your client driver version not match the server?';
const PROTOBUF = 'The PROTOBUF client protocol is no longer supported';

const json = (message: DatumObject): Buffer => Buffer.from(`${jsonText(message)}\0`);

export class ServerHandshakeSide {
  readonly #client = new ClientHandshake();
  readonly #users: Users;
  readonly #scram: ScramExchange;
  #stage: 'magic' | 'first' | 'final' | 'key' = 'magic';

  constructor(users: Users) {
    this.#users = users;
    this.#scram = new ScramExchange((name) => users.get(name)?.password);
  }

  push(chunk: Buffer): void {
    this.#client.push(chunk);
  }

  /** Bytes that came behind the handshake. */
  rest(): Buffer {
    return this.#client.rest();
  }

  /** What to do next; `undefined` until more bytes come. */
  next(): HandshakeStep | undefined {
    const message = this.#client.next();
    if (message === undefined) return undefined;
    try {
      return this.#answer(message);
    } catch (error) {
      if (error instanceof Silence) return { kind: 'refuse', bytes: Buffer.alloc(0) };
      if (error instanceof Refusal || error instanceof AuthenticationError) return this.#refuse(error);
      throw error;
    }
  }

  #refuse({ code, message }: { readonly code: number; readonly message: string }): HandshakeStep {
    const { version } = this.#client;
    const bytes =
      version === Version.V1_0
        ? json({ error: message, error_code: code, success: false })
        : handshakeError(version, message, code);
    return { kind: 'refuse', bytes };
  }

  #answer(message: ClientMessage): HandshakeStep | undefined {
    switch (message.kind) {
      case 'magic':
        return this.#magic(message.version);
      case 'json':
        return this.#json(message.text);
      case 'key':
        return this.#key(message.key.toString('utf8'));
      case 'protocol':
        return this.#protocol(message.protocol);
      case 'opaque':
        throw this.#opaque();
    }
  }

  #magic(version: Version): HandshakeStep | undefined {
    if (version === Version.V0_1 || version === Version.V0_2) throw new Refusal(-1, PROTOBUF);
    if (version !== Version.V1_0) {
      this.#stage = 'key';
      return { kind: 'send', bytes: Buffer.alloc(0) };
    }
    this.#stage = 'first';
    const hello = { max_protocol_version: 0, min_protocol_version: 0, server_version: SERVER_VERSION, success: true };
    return { kind: 'send', bytes: json(hello) };
  }

  #json(text: string): HandshakeStep {
    const message = readMessage(text);
    if (this.#stage === 'first') {
      const version = getField(message, 'protocol_version');
      if (typeof version !== 'number') throw new Refusal(1, 'Expected a number for `protocol_version`.');
      if (version !== 0) throw new Refusal(2, 'Unsupported `protocol_version`.');
      const method = getField(message, 'authentication_method');
      if (typeof method !== 'string') throw new Refusal(3, 'Expected a string for `authentication_method`.');
      if (method !== 'SCRAM-SHA-256') throw new Refusal(4, 'Unsupported `authentication_method`.');
    }
    const authentication = getField(message, 'authentication');
    if (typeof authentication !== 'string') throw new Refusal(5, 'Expected a string for `authentication`.');
    if (this.#stage === 'first') {
      const bytes = json({ authentication: this.#scram.first(authentication), success: true });
      this.#stage = 'final';
      return { kind: 'send', bytes };
    }
    const bytes = json({ authentication: this.#scram.final(authentication), success: true });
    return { kind: 'open', bytes, user: this.#scram.user, version: Version.V1_0 };
  }

  #key(key: string): HandshakeStep {
    const password = this.#users.get(ADMIN)?.password;
    if (password === undefined || !matchesPassword(password, key)) {
      throw new Refusal(-1, 'Incorrect authorization key.');
    }
    return { kind: 'send', bytes: Buffer.alloc(0) };
  }

  #protocol(protocol: number): HandshakeStep {
    if (protocol === Protocol.PROTOBUF) throw new Refusal(-1, PROTOBUF);
    if (protocol !== Protocol.JSON) throw new Refusal(-1, `Unrecognized protocol specified: '${protocol | 0}'`);
    const version = this.#client.version ?? Version.V0_4;
    return { kind: 'open', bytes: Buffer.from('SUCCESS\0'), user: ADMIN, version };
  }

  #opaque(): Refusal {
    switch (this.#stage) {
      case 'magic':
        return new Refusal(-1, UNSUPPORTED);
      case 'key':
        return new Refusal(-1, 'Client provided an authorization key that is too long.');
      case 'first':
      case 'final':
        return new Refusal(7, 'Limited read buffer size.');
    }
  }
}

function readMessage(text: string): DatumObject {
  const read = readJson(text);
  if ('fault' in read) throw new Refusal(8, 'Invalid JSON object.');
  const message = asDatum(read.json);
  if (!isObject(message)) throw new Silence();
  return message;
}

function asDatum(json: Json): Datum {
  try {
    return toDatum(json, AS_WRITTEN);
  } catch (error) {
    if (error instanceof ReqlError) throw new Refusal(9, 'Failed to convert JSON to datum.');
    throw error;
  }
}
