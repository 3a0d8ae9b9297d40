// The handshakes of the driver protocol, taken apart message by message in both directions. Nothing is checked here but
// what is needed to find the messages' ends: a stream that does not look like a handshake comes out as `opaque`.
//
//   V1_0   client: magic | JSON NUL | JSON NUL        server: JSON NUL | JSON NUL | JSON NUL
//   V0_4,  client: magic | length, key | protocol     server: text NUL, or an error after the key already
//   V0_3
//
// Callers owe: after `opaque`, or once the handshake is done, what comes is asked for with `rest`.

import { Protocol, Version } from '../../rewrite/reql/protocol.ts';

/** The longest JSON message a server reads, its NUL included (server.cc, read_datum), and the longest key. */
const MAX_HANDSHAKE_BYTES = 2048;

/** Messages of a client. `bytes` is always the message as it came, delimiters included. */
export type ClientMessage =
  | { readonly kind: 'magic'; readonly bytes: Buffer; readonly version: Version }
  | { readonly kind: 'json'; readonly bytes: Buffer; readonly text: string }
  | { readonly kind: 'key'; readonly bytes: Buffer; readonly key: Buffer }
  | { readonly kind: 'protocol'; readonly bytes: Buffer; readonly protocol: number }
  | { readonly kind: 'opaque'; readonly bytes: Buffer };

/** Messages of a server: a NUL-terminated text, which is JSON in V1_0. */
export type ServerMessage =
  | { readonly kind: 'text'; readonly bytes: Buffer; readonly text: string }
  | { readonly kind: 'opaque'; readonly bytes: Buffer };

/** Bytes waiting to be cut into messages. A handshake is some hundred bytes, so they are simply joined. */
class Waiting {
  #pieces: Buffer[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#pieces.push(chunk);
    this.#size += chunk.length;
  }

  join(): Buffer {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = all.length === 0 ? [] : [all];
    return all;
  }

  take(size: number): Buffer {
    const all = this.join();
    const taken = all.subarray(0, size);
    this.#pieces = size < all.length ? [all.subarray(size)] : [];
    this.#size = all.length - taken.length;
    return taken;
  }
}

function versionOf(magic: number): Version | undefined {
  return Object.values(Version).find((version) => version === magic);
}

/** The client's half of a handshake. */
export class ClientHandshake {
  readonly #waiting = new Waiting();
  #version: Version | undefined;
  #expects: 'magic' | 'json' | 'key' | 'protocol' | 'opaque' = 'magic';

  /** The protocol version the client asked for, once its magic is here and known. */
  get version(): Version | undefined {
    return this.#version;
  }

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
  }

  /** The next message, or `undefined` until more bytes come. */
  next(): ClientMessage | undefined {
    switch (this.#expects) {
      case 'magic':
        return this.#magic();
      case 'json':
        return this.#json();
      case 'key':
        return this.#key();
      case 'protocol':
        return this.#protocol();
      case 'opaque':
        return this.#opaque();
    }
  }

  /** All bytes not yet given out. */
  rest(): Buffer {
    return this.#waiting.take(this.#waiting.size);
  }

  #magic(): ClientMessage | undefined {
    if (this.#waiting.size < 4) return undefined;
    const version = versionOf(this.#waiting.join().readUInt32LE(0));
    this.#version = version;
    switch (version) {
      case Version.V1_0:
        this.#expects = 'json';
        break;
      case Version.V0_4:
      case Version.V0_3:
        this.#expects = 'key';
        break;
      // They spoke protobuf only; whatever follows, the server has one answer for it.
      case Version.V0_2:
      case Version.V0_1:
        this.#expects = 'opaque';
        break;
      case undefined:
        this.#expects = 'opaque';
        return this.#opaque();
    }
    return { kind: 'magic', bytes: this.#waiting.take(4), version };
  }

  #json(): ClientMessage | undefined {
    const all = this.#waiting.join();
    const end = all.indexOf(0);
    if (end === -1 ? all.length >= MAX_HANDSHAKE_BYTES : end >= MAX_HANDSHAKE_BYTES) {
      this.#expects = 'opaque';
      return this.#opaque();
    }
    if (end === -1) return undefined;
    const bytes = this.#waiting.take(end + 1);
    return { kind: 'json', bytes, text: bytes.toString('utf8', 0, end) };
  }

  #key(): ClientMessage | undefined {
    const all = this.#waiting.join();
    if (all.length < 4) return undefined;
    const length = all.readUInt32LE(0);
    if (length > MAX_HANDSHAKE_BYTES) {
      this.#expects = 'opaque';
      return this.#opaque();
    }
    if (all.length < 4 + length) return undefined;
    const bytes = this.#waiting.take(4 + length);
    this.#expects = 'protocol';
    return { kind: 'key', bytes, key: bytes.subarray(4) };
  }

  #protocol(): ClientMessage | undefined {
    if (this.#waiting.size < 4) return undefined;
    const bytes = this.#waiting.take(4);
    const protocol = bytes.readUInt32LE(0);
    // Only the JSON protocol goes on after this; the server refuses the rest.
    this.#expects = protocol === Protocol.JSON ? 'key' : 'opaque';
    return { kind: 'protocol', bytes, protocol };
  }

  #opaque(): ClientMessage | undefined {
    return this.#waiting.size === 0 ? undefined : { kind: 'opaque', bytes: this.rest() };
  }
}

/** The longest message a server is believed to send in a handshake; what has no end by then is no handshake. */
const MAX_SERVER_MESSAGE_BYTES = 65536;

/** The server's half of a handshake. */
export class ServerHandshake {
  readonly #waiting = new Waiting();

  push(chunk: Buffer): void {
    this.#waiting.push(chunk);
  }

  /** The next NUL-terminated message, or `undefined` until more bytes come. */
  next(): ServerMessage | undefined {
    const all = this.#waiting.join();
    const end = all.indexOf(0);
    if (end === -1) {
      return all.length > MAX_SERVER_MESSAGE_BYTES ? { kind: 'opaque', bytes: this.rest() } : undefined;
    }
    const bytes = this.#waiting.take(end + 1);
    return { kind: 'text', bytes, text: bytes.toString('utf8', 0, end) };
  }

  /** The bytes of a message that has not ended. */
  get begun(): Buffer {
    return this.#waiting.join();
  }

  /** All bytes not yet given out. */
  rest(): Buffer {
    return this.#waiting.take(this.#waiting.size);
  }
}
