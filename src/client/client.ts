// A small client of the driver protocol, for the program's own use where no driver is installed.

import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { Address } from '../../proxy/upstream/address.ts';
import { buildFrame, type Token, tokenOf } from '../../proxy/wire/frame.ts';
import { FrameReader } from '../../proxy/wire/frame-reader.ts';
import { ServerHandshake } from '../../proxy/wire/handshake.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { QueryType, ResponseType } from '../../rewrite/reql/protocol.ts';
import { ADMIN, type Credentials, ScramClient } from './scram.ts';
import { type Response, ServerError } from './server-error.ts';

/** The settings of a connection, where it is not as `admin` without a password and without TLS. */
export interface ClientSettings {
  readonly credentials?: Credentials;
  readonly tls?: ConnectionOptions;
}

/** A batch of a feed's documents. */
export interface Batch {
  readonly documents: readonly Datum[];
  /** What kind of feed it is, on its first batch: some of `ResponseNote`. */
  readonly notes: readonly number[];
}

/** A feed that is open. */
export interface OpenedFeed {
  /** Resolves when the feed has ended in good order, rejects with ServerError, or when the connection is lost. */
  readonly ended: Promise<void>;
  /** Asks the server to end it. */
  stop(): void;
}

/** The end of a connection before the server has said whether it lets the client in. */
export class HandshakeEnded extends Error {}

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
  static connect(address: Address, { credentials = ADMIN, tls }: ClientSettings = {}): Promise<Client> {
    return new Promise((resolve, reject) => {
      const socket =
        tls === undefined ? connect({ ...address, noDelay: true }) : connectTls({ ...address, ...tls }).setNoDelay();
      const handshake = new ServerHandshake();
      const scram = new ScramClient(credentials);
      socket.write(scram.hello());
      const fail = (error: Error): void => {
        socket.destroy();
        reject(error);
      };
      const ended = (): void => fail(new HandshakeEnded('The server ended the handshake.'));
      const shaken = (): void => {
        socket.off('data', listen);
        socket.off('error', fail);
        socket.off('close', ended);
        resolve(new Client(socket));
      };
      const listen = (chunk: Buffer): void => {
        handshake.push(chunk);
        for (let message = handshake.next(); message !== undefined; message = handshake.next()) {
          if (message.kind === 'opaque') {
            fail(new Error('The server does not speak the driver protocol.'));
            return;
          }
          try {
            const answer = scram.answer(message.text);
            if (answer === 'done') {
              shaken();
              return;
            }
            if (answer !== undefined) socket.write(answer);
          } catch (error) {
            fail(error instanceof Error ? error : new Error(String(error)));
            return;
          }
        }
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
    return this.open(query, ({ documents }) => documents.forEach(onDocument)).ended;
  }

  /** Opens a feed. The next batch is asked for when what `take` returns has resolved. */
  open(query: string, take: (batch: Batch) => void | Promise<void>): OpenedFeed {
    const token = this.#token();
    const ended = new Promise<void>((resolve, reject) => {
      this.#ask(token, query, reject, (response) => {
        if (isError(response)) {
          this.#listeners.delete(token);
          reject(new ServerError(response));
          return;
        }
        const more = response.t === ResponseType.SUCCESS_PARTIAL;
        if (!more) this.#listeners.delete(token);
        // What ends at once, as a batch that is taken without waiting, is followed at once.
        const taken = take({ documents: response.r, notes: response.n ?? [] });
        const go = (): void => {
          if (!more) resolve();
          else if (this.#listeners.has(token)) this.#write(token, `[${QueryType.CONTINUE}]`);
        };
        if (taken === undefined) go();
        else taken.then(go, reject);
      });
    });
    return { ended, stop: () => this.#write(token, `[${QueryType.STOP}]`) };
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
    this.#write(token, query);
  }

  #write(token: Token, query: string): void {
    if (!this.#socket.destroyed) this.#socket.write(buildFrame(token, query));
  }
}

function isError(response: Response): boolean {
  return response.t >= ResponseType.CLIENT_ERROR;
}
