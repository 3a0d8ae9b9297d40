// The load generator's end of a connection: frames go out as they are given, and what comes in is cut at the headers and
// not looked at any further. Tokens are small numbers. It is no driver: it must cost less than what it measures.

import { connect, type Socket } from 'node:net';
import type { Address } from '../proxy/upstream/address.ts';
import { HEADER_BYTES } from '../proxy/wire/frame.ts';
import { QueryType, ResponseType } from '../rewrite/reql/protocol.ts';
import { ScramClient } from '../src/client/scram.ts';

/** Takes a response: its body is `bytes[start..end)`. */
export type Receive = (token: number, bytes: Buffer, start: number, end: number) => void;

const TYPE_AT = '{"t":'.length;
const ZERO = 0x30;

/** The type of a response, from the server's spelling `{"t":N` (two digits for errors). */
export function responseType(bytes: Buffer, start: number): number {
  const first = (bytes[start + TYPE_AT] ?? 0) - ZERO;
  const second = (bytes[start + TYPE_AT + 1] ?? 0) - ZERO;
  return second >= 0 && second <= 9 ? first * 10 + second : first;
}

/** A frame for a small token. */
export function frameOf(token: number, query: string): Buffer {
  const body = Buffer.from(query);
  const frame = Buffer.alloc(HEADER_BYTES + body.length);
  frame.writeUInt32LE(token, 0);
  frame.writeUInt32LE(body.length, 8);
  body.copy(frame, HEADER_BYTES);
  return frame;
}

/** A connection that has shaken hands. */
export class RawConnection {
  readonly socket: Socket;
  /** Who gets responses from now on. */
  receive: Receive = () => {};
  /** Called after each read, when all its whole frames have been received. */
  afterRead: () => void = () => {};
  #pieces: Buffer[] = [];
  #held = 0;
  #token = 1;
  readonly #waiting = new Map<number, (body: Buffer) => void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
  }

  /** Connects and shakes hands with V1_0. */
  static open(address: Address): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...address, noDelay: true });
      const scram = new ScramClient();
      let text = '';
      const fail = (error: Error): void => {
        socket.destroy();
        reject(error);
      };
      const closed = (): void => fail(new Error(`The connection ended in the handshake: ${text}`));
      const read = (chunk: Buffer): void => {
        text += chunk.toString('latin1');
        for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0')) {
          const answer = scram.answer(text.slice(0, end));
          text = text.slice(end + 1);
          if (answer === 'done') {
            socket.off('data', read);
            socket.off('error', fail);
            socket.off('close', closed);
            resolve(new RawConnection(socket));
            return;
          }
          if (answer !== undefined) socket.write(answer);
        }
      };
      socket.on('data', read);
      socket.once('error', fail);
      socket.once('close', closed);
      socket.write(scram.hello());
    });
  }

  /** Runs a query to its end, however many parts the answer has. Resolves with the last part; rejects for an error. */
  run(query: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const token = this.nextToken();
      this.listen(token, (body) => {
        const type = responseType(body, 0);
        if (type === ResponseType.SUCCESS_PARTIAL) {
          this.socket.write(frameOf(token, `[${QueryType.CONTINUE}]`));
          return;
        }
        this.#waiting.delete(token);
        if (type >= ResponseType.CLIENT_ERROR) reject(new Error(`${body} for ${query.slice(0, 300)}`));
        else resolve(body.toString());
      });
      this.socket.write(frameOf(token, query));
    });
  }

  /** A token not used before. */
  nextToken(): number {
    this.#token++;
    return this.#token;
  }

  /** Gives whole bodies under a token to `listener`, in place of `receive`. */
  listen(token: number, listener: (body: Buffer) => void): void {
    this.#waiting.set(token, listener);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.socket.once('close', () => resolve());
      this.socket.destroy();
    });
  }

  /** What is sent because of one read leaves in one system call: the load must not cost more than what it measures. */
  #read(chunk: Buffer): void {
    this.socket.cork();
    this.#take(chunk);
    this.socket.uncork();
  }

  #take(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#held > 0) {
      this.#pieces.push(chunk);
      this.#held += chunk.length;
      if (this.#held < this.#wanted()) return;
      bytes = Buffer.concat(this.#pieces);
      this.#pieces = [];
      this.#held = 0;
    }
    let at = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const start = at + HEADER_BYTES;
      const end = start + bytes.readUInt32LE(at + 8);
      if (end > bytes.length) break;
      this.#deliver(bytes.readUInt32LE(at), bytes, start, end);
      at = end;
    }
    if (at < bytes.length) {
      this.#pieces = [bytes.subarray(at)];
      this.#held = bytes.length - at;
    }
    this.afterRead();
  }

  /** Bytes of the frame that waits, as far as its header is in its first piece. */
  #wanted(): number {
    const [first] = this.#pieces;
    return first !== undefined && first.length >= HEADER_BYTES ? HEADER_BYTES + first.readUInt32LE(8) : HEADER_BYTES;
  }

  #deliver(token: number, bytes: Buffer, start: number, end: number): void {
    const listener = this.#waiting.size === 0 ? undefined : this.#waiting.get(token);
    if (listener === undefined) this.receive(token, bytes, start, end);
    else listener(bytes.subarray(start, end));
  }
}
