// A link between clients of V1_0 and a server that lets a test put something between two queries: frames of a client's that it asks
// for wait, with all that comes behind them on their connection, until it lets them go.

import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../../proxy/upstream/address.ts';
import { HEADER_BYTES, readLength } from '../../../proxy/wire/frame.ts';

/** Whether a frame waits: by its body, and the number of its connection, from 0 on. */
export type Waits = (body: string, connection: number) => boolean;

/** A link that can be shut. */
export interface GatedLink {
  readonly address: Address;
  /** Connections that there have been. */
  readonly connections: number;
  /** From now on some frames wait. */
  shut(waits: Waits): void;
  /** Lets all go that waits, but for what is to wait from now on. */
  open(waits?: Waits): void;
  /** Whether a frame waits on a connection, and all that went before it is answered. */
  isWaiting(connection: number): boolean;
  /** Frames of a connection that have passed and are not answered. */
  owed(connection: number): number;
  close(): Promise<void>;
}

/** Pieces of the handshake of V1_0: the client's magic number and two texts, and the server's texts. */
const CLIENT = { magic: 4, pieces: 3 } as const;
const SERVER = { magic: 0, pieces: 3 } as const;

/** Starts a link that leads to `target`. */
export async function gatedLink(target: Address): Promise<GatedLink> {
  let waits: Waits = () => false;
  const gates: Gate[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true });
    const number = gates.length;
    const gate = new Gate(
      (bytes) => far.write(bytes),
      (body) => waits(body, number),
    );
    gates.push(gate);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (chunk: Buffer) => gate.fromClient(chunk));
    far.on('data', (chunk: Buffer) => {
      gate.fromServer(chunk);
      near.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no address');
  return {
    address: { host: '127.0.0.1', port: bound.port },
    get connections() {
      return gates.length;
    },
    shut(which) {
      waits = which;
    },
    open(which = () => false) {
      waits = which;
      for (const gate of gates) gate.open();
    },
    isWaiting: (connection) => gates[connection]?.isWaiting === true,
    owed: (connection) => gates[connection]?.owed ?? 0,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection's way to the server. */
class Gate {
  readonly #pass: (bytes: Buffer) => void;
  readonly #waits: (body: string) => boolean;
  readonly #asked = new Pieces(CLIENT);
  readonly #answered = new Pieces(SERVER);
  owed = 0;
  #isShut = false;

  constructor(pass: (bytes: Buffer) => void, waits: (body: string) => boolean) {
    this.#pass = pass;
    this.#waits = waits;
  }

  get isWaiting(): boolean {
    return this.#isShut && this.owed === 0;
  }

  fromClient(chunk: Buffer): void {
    this.#asked.push(chunk);
    if (!this.#isShut) this.#go();
  }

  fromServer(chunk: Buffer): void {
    this.#answered.push(chunk);
    for (let piece = this.#answered.take(); piece !== undefined; piece = this.#answered.take()) {
      if (piece.isFrame) this.owed--;
    }
  }

  open(): void {
    this.#isShut = false;
    this.#go();
  }

  #go(): void {
    for (let piece = this.#asked.peek(); piece !== undefined; piece = this.#asked.peek()) {
      const { bytes, isFrame } = piece;
      this.#isShut = isFrame && this.#waits(bytes.toString('utf8', HEADER_BYTES));
      if (this.#isShut) return;
      if (isFrame) this.owed++;
      this.#asked.take();
      this.#pass(bytes);
    }
  }
}

/** What a stream of bytes is cut into: pieces of the handshake, and frames. */
interface Piece {
  readonly bytes: Buffer;
  readonly isFrame: boolean;
}

class Pieces {
  readonly #magic: number;
  #bytes: Buffer = Buffer.alloc(0);
  /** Pieces of the handshake that are still to come. */
  #left: number;

  constructor({ magic, pieces }: { readonly magic: number; readonly pieces: number }) {
    this.#magic = magic;
    this.#left = pieces;
  }

  push(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
  }

  /** What comes next, where all of it is there. */
  peek(): Piece | undefined {
    const size = this.#size();
    if (size === undefined || size > this.#bytes.length) return undefined;
    return { bytes: this.#bytes.subarray(0, size), isFrame: this.#left === 0 };
  }

  take(): Piece | undefined {
    const piece = this.peek();
    if (piece === undefined) return undefined;
    this.#bytes = this.#bytes.subarray(piece.bytes.length);
    if (!piece.isFrame) this.#left--;
    return piece;
  }

  #size(): number | undefined {
    if (this.#left === 0) return this.#bytes.length < HEADER_BYTES ? undefined : HEADER_BYTES + readLength(this.#bytes);
    if (this.#left === CLIENT.pieces && this.#magic > 0) return this.#magic;
    const end = this.#bytes.indexOf(0);
    return end < 0 ? undefined : end + 1;
  }
}
