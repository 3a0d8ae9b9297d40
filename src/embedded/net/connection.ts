// A client on a socket: the handshake, then frames. What a client sends wrongly ends its connection at most.

import type { Socket } from 'node:net';
import { buildFrame, MAX_QUERY_BYTES, type Token } from '../../../proxy/wire/frame.ts';
import { FrameReader } from '../../../proxy/wire/frame-reader.ts';
import { errorBody } from '../../../proxy/wire/response.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import { clientError } from '../../../rewrite/reql/error.ts';
import type { TermTable } from '../../../rewrite/reql/eval/index.ts';
import { Version } from '../../../rewrite/reql/protocol.ts';
import type { Users } from '../auth/users.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Jobs } from '../catalog/jobs.ts';
import type { AnswerBudget } from '../terms/answer-budget.ts';
import type { RowJson } from './row-json.ts';
import { ServerHandshakeSide } from './server-handshake.ts';
import { Session } from './session.ts';

/** The parts that connections of one server share. */
export interface ConnectionParts {
  readonly catalog: Catalog;
  readonly users: Users;
  readonly terms: TermTable;
  readonly json: RowJson;
  readonly jobs: Jobs;
  readonly budget: AnswerBudget;
  /** Called after each query, which may have changed what feeds on system tables watch. */
  readonly settle: () => void;
}

/** Bytes waiting in a socket above which no more queries are read from it. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

export class Connection {
  readonly #socket: Socket;
  readonly #parts: ConnectionParts;
  #handshake: ServerHandshakeSide | undefined;
  #session: Session | undefined;
  #reader: FrameReader | undefined;
  #outgoing: Buffer[] = [];

  constructor(socket: Socket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#handshake = new ServerHandshakeSide(parts.users);
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    // A client that half-closes is gone for the server (server.cc, RDHUP).
    socket.on('end', () => this.close());
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
    socket.on('drain', () => socket.resume());
  }

  /** Ends the connection and everything it has open. */
  close(): void {
    this.#session?.close();
    this.#session = undefined;
    this.#reader = undefined;
    this.#handshake = undefined;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#handshake !== undefined) this.#shake(chunk);
    else this.#reader?.push(chunk);
    this.#flush();
  }

  #shake(chunk: Buffer): void {
    const handshake = this.#handshake;
    handshake?.push(chunk);
    for (let step = handshake?.next(); step !== undefined; step = handshake?.next()) {
      if (step.bytes.length > 0) this.#outgoing.push(step.bytes);
      if (step.kind === 'refuse') {
        this.#handshake = undefined;
        this.#flush();
        this.#socket.end();
        return;
      }
      if (step.kind === 'open') {
        const rest = handshake?.rest();
        this.#open(step.user, step.version);
        if (rest !== undefined && rest.length > 0) this.#reader?.push(rest);
        return;
      }
    }
  }

  #open(user: string, version: Version): void {
    const { catalog, users, terms, json, jobs, budget, settle } = this.#parts;
    const { remoteAddress = '', remotePort = 0 } = this.#socket;
    this.#handshake = undefined;
    this.#session = new Session({
      runner: { terms, user, users, budget },
      json,
      jobs,
      settle,
      client: { address: remoteAddress, port: remotePort, user },
      reply: (token, body) => this.#reply(token, body),
      serverInfo: jsonText({ id: catalog.serverId, name: catalog.serverName, proxy: false }),
      // Queries are run one by one in any case, so this is all that V0_3 does otherwise.
      emptyBatches: version === Version.V0_3,
    });
    this.#reader = new FrameReader(
      {
        frame: (token, body) => this.#session?.receive(token, body.toString('utf8')),
        oversized: (token, length) => this.#oversized(token, length),
      },
      MAX_QUERY_BYTES,
    );
  }

  #oversized(token: Token, length: number): void {
    const error = clientError(`Query size (${length}) greater than maximum (${MAX_QUERY_BYTES}).`);
    this.#reply(token, errorBody(error));
    this.#flush();
    this.#session?.close();
    this.#session = undefined;
    this.#reader = undefined;
    this.#socket.end();
  }

  #reply(token: Token, body: string): void {
    this.#outgoing.push(buildFrame(token, body));
    // Outside of a read, as when a feed is woken, there is nobody else to flush.
    if (this.#outgoing.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const [first] = this.#outgoing;
    if (first === undefined || this.#socket.destroyed) return;
    const bytes = this.#outgoing.length === 1 ? first : Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    this.#socket.write(bytes);
    if (this.#socket.writableLength > MOST_WAITING_BYTES) this.#socket.pause();
  }
}
