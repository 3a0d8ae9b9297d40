// A small client of the driver protocol, for the program's own use where no driver is installed: V0_4 without a key, that
// is the user `admin` without a password.

import { connect, type Socket } from 'node:net';
import type { Address } from '../../proxy/upstream/address.ts';
import { buildFrame, type Token, tokenOf } from '../../proxy/wire/frame.ts';
import { FrameReader } from '../../proxy/wire/frame-reader.ts';
import { ServerHandshake } from '../../proxy/wire/handshake.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { Protocol, QueryType, ResponseType, Version } from '../../rewrite/reql/protocol.ts';

interface Response {
  readonly t: number;
  readonly e?: number;
  readonly r: readonly Datum[];
}

/** The server's answer where it is an error. */
export class ServerError extends Error {
  /** One of `ErrorType`; `undefined` for a query that does not compile. */
  readonly type: number | undefined;

  constructor({ e, r }: Response) {
    super(String(r[0]));
    this.type = e;
  }
}

type Listener = (response: Response) => void;

/** A connection that runs queries given as JSON (`[1,term]`). */
export class Client {
  readonly #socket: Socket;
  readonly #listeners = new Map<Token, { respond: Listener; fail: (error: Error) => void }>();
  #next = 1n;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new FrameReader({
      frame: (token, body) => this.#listeners.get(token)?.respond(JSON.parse(body.toString())),
    });
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const { fail } of this.#listeners.values()) fail(new Error('The connection is closed.'));
      this.#listeners.clear();
    });
  }

  /** Connects and shakes hands. Rejects with the system's error, or with what the server says. */
  static connect(address: Address): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...address, noDelay: true });
      const handshake = new ServerHandshake();
      const hello = Buffer.alloc(12);
      hello.writeUInt32LE(Version.V0_4, 0);
      hello.writeUInt32LE(Protocol.JSON, 8);
      socket.write(hello);
      const fail = (error: Error): void => {
        socket.destroy();
        reject(error);
      };
      const ended = (): void => fail(new Error('The server ended the handshake.'));
      const listen = (chunk: Buffer): void => {
        handshake.push(chunk);
        const message = handshake.next();
        if (message === undefined) return;
        socket.off('data', listen);
        socket.off('error', fail);
        socket.off('close', ended);
        if (message.kind === 'text' && message.text === 'SUCCESS') resolve(new Client(socket));
        else fail(new Error(message.bytes.toString('utf8').replace(/\n?\0$/, '')));
      };
      socket.on('data', listen);
      socket.on('error', fail);
      socket.on('close', ended);
    });
  }

  /** Runs a query and gives the first batch of its results. Rejects with ServerError. */
  run(query: string): Promise<readonly Datum[]> {
    return new Promise((resolve, reject) => {
      const token = this.#token();
      this.#ask(token, query, reject, (response) => {
        this.#listeners.delete(token);
        if (isError(response)) reject(new ServerError(response));
        else resolve(response.r);
      });
    });
  }

  /** Runs a feed and gives its documents as they come. Resolves when the feed ends, rejects with ServerError. */
  watch(query: string, onDocument: (document: Datum) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const token = this.#token();
      this.#ask(token, query, reject, (response) => {
        if (isError(response)) {
          this.#listeners.delete(token);
          reject(new ServerError(response));
          return;
        }
        for (const document of response.r) onDocument(document);
        if (response.t === ResponseType.SUCCESS_PARTIAL) {
          this.#socket.write(buildFrame(token, `[${QueryType.CONTINUE}]`));
        } else {
          this.#listeners.delete(token);
          resolve();
        }
      });
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #token(): Token {
    const token = tokenOf(this.#next);
    this.#next++;
    return token;
  }

  #ask(token: Token, query: string, fail: (error: Error) => void, respond: Listener): void {
    if (this.#socket.destroyed) {
      fail(new Error('The connection is closed.'));
      return;
    }
    this.#listeners.set(token, { respond, fail });
    this.#socket.write(buildFrame(token, query));
  }
}

function isError(response: Response): boolean {
  return response.t >= ResponseType.CLIENT_ERROR;
}
