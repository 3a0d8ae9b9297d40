// A link to RethinkDB that knows its answers: to one of them it does what servers and networks do. Answers are counted from the end
// of the handshake on, over all queries of a connection.

import { connect, createServer, type Socket } from 'node:net';
import type { Address } from '../../../proxy/upstream/address.ts';
import { buildFrame, HEADER_BYTES, readLength, readToken, type Token } from '../../../proxy/wire/frame.ts';
import { QueryType, ResponseType } from '../../../rewrite/reql/protocol.ts';

/** What becomes of an answer. */
export type AnswerFault =
  /** Both ends see a reset in its place. */
  | 'reset'
  /** It is an error in its place, after which the query is over at both ends. */
  | 'error'
  /** It never comes, and the query is not answered any more but when it is stopped. Only while a feed is not ready. */
  | 'silence';

/** What a connection suffers, once. */
export interface Suffering {
  readonly kind: AnswerFault;
  /** With which of its answers, or the first after that to which it can happen. The first is 0. */
  readonly at: number;
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
  readonly #suffering: Suffering | undefined;
  #handshake = HANDSHAKE_TEXTS;
  #bytes: Buffer = Buffer.alloc(0);
  #count = 0;
  #hasSuffered = false;
  /** Feeds that are ready. */
  readonly #ready = new Set<Token>();
  /** Queries that are over for the one end, and not yet for the other. */
  readonly #over = new Set<Token>();
  /** Queries that are answered no more. */
  readonly #silent = new Set<Token>();

  constructor(near: Socket, far: Socket, suffering: Suffering | undefined) {
    this.#near = near;
    this.#far = far;
    this.#suffering = suffering;
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
    const { kind, at: from } = this.#suffering ?? { kind: 'reset', at: Number.POSITIVE_INFINITY };
    const cannot = kind === 'silence' && (isLast || this.#ready.has(token));
    if (frame.includes('"state":"ready"')) this.#ready.add(token);
    if (this.#hasSuffered || at < from || cannot) this.#near.write(frame);
    else this.#suffer(kind, token, isLast);
  }

  #suffer(kind: AnswerFault, token: Token, isLast: boolean): void {
    this.#hasSuffered = true;
    switch (kind) {
      case 'reset':
        this.#near.resetAndDestroy();
        this.#far.resetAndDestroy();
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
    }
  }
}

function typeOf(frame: Buffer): unknown {
  const body: unknown = JSON.parse(frame.toString('utf8', HEADER_BYTES));
  return typeof body === 'object' && body !== null && 't' in body ? body.t : undefined;
}
