// One end of a connection in a test: bytes are awaited, never slept for, and every wait has a deadline.

import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../../proxy/upstream/address.ts';

const DEADLINE_MS = 10_000;

interface Waiter {
  /** Whether it waits for bytes, of which none come after the end. */
  readonly data: boolean;
  readonly ready: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A frame as it was read. */
export interface ReadFrame {
  readonly token: bigint;
  readonly body: string;
}

/** A socket with awaitable reads. */
export class Peer {
  readonly socket: Socket;
  readonly #patience: number;
  #chunks: Buffer[] = [];
  #size = 0;
  #ended = false;
  #closed = false;
  #waiters: Waiter[] = [];

  /** `patience`: how long each wait is at most, in milliseconds. */
  constructor(socket: Socket, patience: number = DEADLINE_MS) {
    this.socket = socket;
    this.#patience = patience;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#wake();
    });
    socket.on('end', () => {
      this.#ended = true;
      this.#wake();
    });
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
    socket.on('error', () => {});
  }

  /** Bytes received and not read yet. */
  get waiting(): Buffer {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  /** Writes pieces in turns of the event loop of their own, so that they arrive apart. */
  async writeApart(pieces: readonly Buffer[]): Promise<void> {
    for (const piece of pieces) {
      await new Promise((resolve) => this.socket.write(piece, resolve));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async read(size: number): Promise<Buffer> {
    await this.#until(`${size} bytes`, () => this.#size >= size);
    return this.#take(size);
  }

  async frame(): Promise<ReadFrame> {
    await this.#until('a frame', () => this.#size >= 12 && this.#size >= 12 + this.waiting.readUInt32LE(8));
    const head = this.#take(12);
    return { token: head.readBigUInt64LE(0), body: this.#take(head.readUInt32LE(8)).toString() };
  }

  /** A NUL-terminated text, without the NUL. */
  async text(): Promise<string> {
    await this.#until('a text', () => this.waiting.includes(0));
    return this.#take(this.waiting.indexOf(0) + 1)
      .toString('utf8')
      .slice(0, -1);
  }

  /** Waits until the other end says that it is done: FIN, or the whole connection gone. */
  async ended(): Promise<void> {
    await this.#until('the end', () => this.#ended || this.#closed, false);
  }

  /** Waits until the connection is gone. */
  async closed(): Promise<void> {
    await this.#until('the close', () => this.#closed, false);
  }

  #take(size: number): Buffer {
    const all = this.waiting;
    this.#chunks = [all.subarray(size)];
    this.#size = all.length - size;
    return all.subarray(0, size);
  }

  #until(what: string, ready: () => boolean, data = true): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        clearTimeout(timer);
        reject(
          new Error(
            `waited for ${what}: ${why}; unread: ${JSON.stringify(this.waiting.toString('latin1').slice(0, 400))}`,
          ),
        );
      };
      const timer = setTimeout(() => fail(`nothing within ${this.#patience} ms`), this.#patience);
      const waiter: Waiter = {
        data,
        ready,
        resolve() {
          clearTimeout(timer);
          resolve();
        },
        reject: (error) => fail(error.message),
      };
      this.#waiters.push(waiter);
      this.#wake();
    });
  }

  #wake(): void {
    for (const waiter of [...this.#waiters]) {
      if (waiter.ready()) {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        waiter.resolve();
      } else if (this.#closed || (this.#ended && waiter.data)) {
        waiter.reject(new Error('the connection ended'));
      }
    }
  }
}

/** Connects to an address. `patience`: how long each wait is at most, in milliseconds. */
export function connectPeer(address: Address, patience?: number): Promise<Peer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, allowHalfOpen: true, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => resolve(new Peer(socket, patience)));
  });
}

/** A server whose side of each connection is played by the test. */
export interface ScriptedServer {
  readonly address: Address;
  /** The next connection, in the order they came. */
  accept(): Promise<Peer>;
  /** Connections that came so far. */
  readonly accepted: number;
  close(): Promise<void>;
}

/** Starts a scripted server on a free port, or on the one given. */
export async function scriptedServer(port = 0): Promise<ScriptedServer> {
  const ready: Peer[] = [];
  const wanted: ((peer: Peer) => void)[] = [];
  const all: Peer[] = [];
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const peer = new Peer(socket);
    all.push(peer);
    const next = wanted.shift();
    if (next === undefined) ready.push(peer);
    else next(peer);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no address');
  return {
    address: { host: '127.0.0.1', port: bound.port },
    get accepted() {
      return all.length;
    },
    accept() {
      const peer = ready.shift();
      if (peer !== undefined) return Promise.resolve(peer);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no connection came')), DEADLINE_MS);
        wanted.push((next) => {
          clearTimeout(timer);
          resolve(next);
        });
      });
    },
    async close() {
      for (const peer of all) peer.socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
