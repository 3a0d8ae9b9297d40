// The handshake between a client and upstream, passed on message by message: each message to the client leaves in one write
// of its own, since there are drivers that fail on a message cut in two or on two in one read; the server takes them as they
// come. The proxy learns the protocol, the server's version and the user from it, and no secret.

import { Version } from '../../rewrite/reql/protocol.ts';
import { ClientHandshake, ServerHandshake } from '../wire/handshake.ts';
import {
  isOfDriverPort,
  isOtherJson,
  mayBeOfDriverPort,
  OLD_REFUSAL,
  readFields,
  userOf,
} from '../wire/handshake-message.ts';

/**
 * The state of a handshake. `opaque`: it is none that the proxy understands, or it failed; bytes just pass from here on. `foreign`:
 * what answers is not the driver port of a RethinkDB, and nothing of it was passed on.
 */
export type HandshakeState = 'going' | 'done' | 'opaque' | 'foreign';

/** The two ways that messages go. */
export interface HandshakeSink {
  toClient(bytes: Buffer): void;
  toUpstream(bytes: Buffer): void;
}

/** More of a server's refusal than this is not kept. */
const REFUSAL_CHARACTERS = 200;
const SERVER_MESSAGES = 3;
const CLIENT_MESSAGES = 2;

/** The relay of one handshake. */
export class HandshakeRelay {
  readonly #sink: HandshakeSink;
  readonly #client = new ClientHandshake();
  readonly #server = new ServerHandshake();
  #state: HandshakeState = 'going';
  #fromClient = 0;
  #fromServer = 0;
  #clientDone = false;
  #serverVersion: string | undefined;
  #user: string | undefined;
  #refusal: string | undefined;

  constructor(sink: HandshakeSink) {
    this.#sink = sink;
  }

  get state(): HandshakeState {
    return this.#state;
  }

  /** Whether the client has sent enough to be answered in its own protocol. */
  get hasMagic(): boolean {
    return this.#state === 'opaque' || this.#client.version !== undefined;
  }

  get version(): Version | undefined {
    return this.#client.version;
  }

  /** Whether the client has sent its part: what it sends from here on are queries, to be read when the server agrees. */
  get clientDone(): boolean {
    return this.#clientDone;
  }

  /** Whether the server owes a message. It speaks first in V1_0, and once to each message. */
  get waitsForUpstream(): boolean {
    if (this.#client.version !== Version.V1_0) return this.#clientDone;
    return this.#fromServer <= this.#fromClient;
  }

  /** Whether the server has said nothing at all. */
  get isUnanswered(): boolean {
    return this.#fromServer === 0;
  }

  get serverVersion(): string | undefined {
    return this.#serverVersion;
  }

  get user(): string | undefined {
    return this.#user;
  }

  /** What the server said when it did not let the client in: one of its fixed sentences, with nothing of the client's. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  fromClient(chunk: Buffer): void {
    this.#client.push(chunk);
    const messages: Buffer[] = [];
    while (this.#state === 'going' && !this.#clientDone) {
      const message = this.#client.next();
      if (message === undefined) break;
      if (message.kind === 'opaque') this.#state = 'opaque';
      else if (message.kind === 'json') this.#clientJson(message.text);
      else if (message.kind === 'protocol') this.#clientDone = true;
      messages.push(message.bytes);
    }
    const [first, ...more] = messages;
    if (first !== undefined) this.#sink.toUpstream(more.length === 0 ? first : Buffer.concat(messages));
  }

  fromUpstream(chunk: Buffer): void {
    this.#server.push(chunk);
    const { version } = this;
    while (this.#state === 'going') {
      const message = this.#server.next();
      if (message === undefined) {
        if (!mayBeOfDriverPort(version, this.#server.begun)) this.#state = 'foreign';
        return;
      }
      if (message.kind === 'opaque' || !isOfDriverPort(version, message.text)) {
        this.#state = 'foreign';
        return;
      }
      this.#sink.toClient(message.bytes);
      this.#serverText(message.text);
    }
  }

  /** Bytes of the client's that came after its last message. */
  clientRest(): Buffer {
    return this.#client.rest();
  }

  /** Bytes of upstream's that came after its last message. */
  upstreamRest(): Buffer {
    return this.#server.rest();
  }

  #clientJson(text: string): void {
    this.#fromClient++;
    if (this.#fromClient === 1) {
      const authentication = readFields(text).get('authentication');
      if (typeof authentication === 'string') this.#user = userOf(authentication);
    }
    this.#clientDone = this.#fromClient === CLIENT_MESSAGES;
    // The server hangs up on it without a word, and so will the proxy.
    if (isOtherJson(text)) this.#state = 'opaque';
  }

  #serverText(text: string): void {
    this.#fromServer++;
    if (this.#client.version !== Version.V1_0) {
      this.#state = text === 'SUCCESS' && this.#clientDone ? 'done' : 'opaque';
      if (text.startsWith(OLD_REFUSAL)) this.#refuse(text.slice(OLD_REFUSAL.length));
      return;
    }
    const fields = readFields(text);
    if (fields.get('success') !== true) {
      this.#state = 'opaque';
      const error = fields.get('error');
      if (typeof error === 'string') this.#refuse(error);
      return;
    }
    const serverVersion = fields.get('server_version');
    if (this.#fromServer === 1 && typeof serverVersion === 'string') this.#serverVersion = serverVersion;
    if (this.#fromServer === SERVER_MESSAGES) this.#state = this.#clientDone ? 'done' : 'opaque';
  }

  #refuse(text: string): void {
    this.#refusal = text.trim().slice(0, REFUSAL_CHARACTERS);
  }
}
