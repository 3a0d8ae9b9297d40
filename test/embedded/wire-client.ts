// A client of a few lines: V0_4 handshake, frames out, responses in by token. Unlike a driver it shows every answer as it
// came, and it can be pointed at any server.

import { connect, type Socket } from 'node:net';
import { buildFrame, tokenOf } from '../../proxy/wire/frame.ts';
import { FrameReader } from '../../proxy/wire/frame-reader.ts';
import { Protocol, Version } from '../../rewrite/reql/protocol.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A response as it came, parsed. */
export interface WireResponse {
  readonly t: number;
  readonly e?: number;
  readonly r: readonly unknown[];
  readonly b?: readonly unknown[];
  readonly n?: readonly number[];
}

/** How long anything may take before the test fails, in milliseconds. */
const DEADLINE = 10_000;

export class WireClient {
  readonly #socket: Socket;
  readonly #arrived = new Map<bigint, WireResponse[]>();
  readonly #awaited = new Map<bigint, ((response: WireResponse) => void)[]>();
  #next = 1000n;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async connect({ host, port }: Address): Promise<WireClient> {
    const socket = connect(port, host);
    socket.setNoDelay(true);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    const client = new WireClient(socket);
    await client.#handshake();
    return client;
  }

  /** Runs a term to its first answer. */
  run(ast: unknown): Promise<WireResponse> {
    const token = this.#next++;
    this.send(token, [1, ast]);
    return this.receive(token);
  }

  /** Runs a term; where the answer is partial, stops it, and gives the answer to that as well. */
  async runAndStop(ast: unknown): Promise<WireResponse & { readonly stopped?: WireResponse }> {
    const token = this.#next++;
    this.send(token, [1, ast]);
    const response = await this.receive(token);
    if (response.t !== 3) return response;
    this.send(token, [3]);
    return { ...response, stopped: await this.receive(token) };
  }

  send(token: bigint, query: unknown): void {
    this.sendText(token, JSON.stringify(query));
  }

  /** Sends the text of a query as it is. */
  sendText(token: bigint, text: string): void {
    this.#socket.write(buildFrame(tokenOf(token), text));
  }

  /** The next response under a token; rejects after the deadline. */
  receive(token: bigint, deadline = DEADLINE): Promise<WireResponse> {
    const arrived = this.#arrived.get(token)?.shift();
    if (arrived !== undefined) return Promise.resolve(arrived);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const waiting = this.#awaited.get(token) ?? [];
        this.#awaited.set(
          token,
          waiting.filter((other) => other !== deliver),
        );
        reject(new Error(`no response under token ${token} within ${deadline} ms`));
      }, deadline);
      const deliver = (response: WireResponse): void => {
        clearTimeout(timer);
        resolve(response);
      };
      this.#awaited.set(token, [...(this.#awaited.get(token) ?? []), deliver]);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #handshake(): Promise<void> {
    const hello = Buffer.alloc(12);
    hello.writeUInt32LE(Version.V0_4, 0);
    hello.writeUInt32LE(Protocol.JSON, 8);
    this.#socket.write(hello);
    return new Promise((resolve, reject) => {
      this.#socket.once('close', () => reject(new Error('the server closed the connection')));
      this.#socket.once('data', (bytes) => {
        const end = bytes.indexOf(0);
        if (bytes.toString('utf8', 0, end) !== 'SUCCESS') reject(new Error(bytes.toString('utf8', 0, end)));
        const reader = new FrameReader({ frame: (token, body) => this.#deliver(token, body) });
        reader.push(bytes.subarray(end + 1));
        this.#socket.on('data', (chunk) => reader.push(chunk));
        resolve();
      });
    });
  }

  #deliver(token: bigint, body: Buffer): void {
    const response: WireResponse = JSON.parse(body.toString('utf8'));
    const [deliver, ...others] = this.#awaited.get(token) ?? [];
    if (deliver === undefined) {
      this.#arrived.set(token, [...(this.#arrived.get(token) ?? []), response]);
    } else {
      this.#awaited.set(token, others);
      deliver(response);
    }
  }
}
