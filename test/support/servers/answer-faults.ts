// A link to RethinkDB that knows its answers: to one of them, or several, it does what servers and networks do. Answers are counted
// from the end of the handshake on, over all queries of a connection.

import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../../proxy/upstream/address.ts';
import { buildFrame, HEADER_BYTES, readLength, readToken, type Token } from '../../../proxy/wire/frame.ts';
import { QueryType, ResponseType } from '../../../rewrite/reql/protocol.ts';

/** What becomes of an answer. */
export type AnswerFault =
  /** Both ends see a reset in its place. */
  | 'reset'
  /** Both ends see an orderly end in its place. */
  | 'end'
  /** It is an error in its place, after which the query is over at both ends. */
  | 'error'
  /** It never comes, and the query is not answered any more but when it is stopped. Only while a feed is not ready. */
  | 'silence'
  /** It comes late, and what follows of its query behind it; answers to other queries overtake it. */
  | 'late';

/** What a connection suffers. */
export interface Suffering {
  readonly kind: AnswerFault;
  /** With which of its answers, or the first after that to which it can happen. The first is 0. */
  readonly at: number;
  /** It happens again to each so-manieth answer after that, so often. */
  readonly again?: { readonly every: number; readonly times: number };
}

/** A link that runs. */
export interface AnswerFaults {
  readonly address: Address;
  /** Sockets, on both sides, that are not closed. */
  readonly open: number;
  close(): Promise<void>;
}

/** What a server says whose cluster changes. */
const ERROR = '{"t":18,"e":4100000,"r":["Cannot perform read: lost contact with primary replica"],"b":[]}';
/** Texts that end with a null byte before the first answer: the server's version, and two of the handshake (V1_0). */
const HANDSHAKE_TEXTS = 3;
/** How late an answer is: longer than whatever else is on its way. */
const LATE_MS = 250;

/** Starts a link that leads to `target`. A function is asked what each connection suffers. */
export async function answerFaults(target: Address, suffers: () => Suffering | undefined): Promise<AnswerFaults> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ ...target, noDelay: true });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => {});
    }
    near.on('data', (chunk: Buffer) => far.write(chunk));
    const answers = new Answers(near, far, suffers());
    far.on('data', (chunk: Buffer) => answers.push(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('no address');
  return {
    address: { host: '127.0.0.1', port: bound.port },
    get open() {
      return sockets.size;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The answers of one connection. */
class Answers {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #kind: AnswerFault;
  readonly #every: number;
  /** How often it is still to happen, and from which answer on. */
  #left: number;
  #from: number;
  #handshake = HANDSHAKE_TEXTS;
  #bytes: Buffer = Buffer.alloc(0);
  #count = 0;
  /** Feeds that are ready. */
  readonly #ready = new Set<Token>();
  /** Queries that are over for the one end, and not yet for the other. */
  readonly #over = new Set<Token>();
  /** Queries that are answered no more. */
  readonly #silent = new Set<Token>();
  /** What is late, by its query. */
  readonly #late = new Map<Token, Buffer[]>();

  constructor(near: Socket, far: Socket, suffering: Suffering | undefined) {
    const { kind, at, again } = suffering ?? { kind: 'reset', at: Number.POSITIVE_INFINITY };
    this.#near = near;
    this.#far = far;
    this.#kind = kind;
    this.#from = at;
    this.#left = 1 + (again?.times ?? 0);
    this.#every = again?.every ?? 1;
  }

  push(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#handshake > 0) {
      const end = this.#bytes.indexOf(0);
      if (end < 0) return;
      this.#near.write(this.#take(end + 1));
      this.#handshake--;
    }
    while (this.#bytes.length >= HEADER_BYTES) {
      const length = HEADER_BYTES + readLength(this.#bytes);
      if (this.#bytes.length < length) return;
      this.#answer(this.#take(length));
    }
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  #answer(frame: Buffer): void {
    const token = readToken(frame);
    const isLast = typeOf(frame) !== ResponseType.SUCCESS_PARTIAL;
    const at = this.#count++;
    if (this.#over.has(token)) return;
    if (this.#silent.has(token) && !isLast) return;
    const waiting = this.#late.get(token);
    if (waiting !== undefined) {
      waiting.push(frame);
      return;
    }
    const cannot = this.#kind === 'silence' && (isLast || this.#ready.has(token));
    if (frame.includes('"state":"ready"')) this.#ready.add(token);
    if (this.#left === 0 || at < this.#from || cannot) this.#near.write(frame);
    else this.#suffer(frame, token, isLast);
  }

  #suffer(frame: Buffer, token: Token, isLast: boolean): void {
    this.#left--;
    this.#from = this.#count + this.#every - 1;
    switch (this.#kind) {
      case 'reset':
        this.#near.resetAndDestroy();
        this.#far.resetAndDestroy();
        break;
      case 'end':
        this.#near.end();
        this.#far.end();
        break;
      case 'error':
        this.#near.write(buildFrame(token, ERROR));
        if (isLast) break;
        this.#over.add(token);
        this.#far.write(buildFrame(token, `[${QueryType.STOP}]`));
        break;
      case 'silence':
        this.#silent.add(token);
        break;
      case 'late':
        this.#late.set(token, [frame]);
        setTimeout(() => this.#catchUp(token), LATE_MS);
        break;
    }
  }

  #catchUp(token: Token): void {
    for (const frame of this.#late.get(token) ?? []) if (!this.#near.destroyed) this.#near.write(frame);
    this.#late.delete(token);
  }
}

function typeOf(frame: Buffer): unknown {
  const body: unknown = JSON.parse(frame.toString('utf8', HEADER_BYTES));
  return typeof body === 'object' && body !== null && 't' in body ? body.t : undefined;
}
