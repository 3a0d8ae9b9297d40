// The address that clients connect to. The supervisor accepts each connection and hands it to a worker unread, so that no
// attempt to connect is lost while workers come and go: one that comes while there is none waits.

import { createServer, type Server, type Socket } from 'node:net';
import { listen } from '../../proxy/listen.ts';
import type { Address } from '../../proxy/upstream/address.ts';

/** A taker of clients. */
export interface Taker {
  /**
   * Offers a client. `answer` is called once: with whether it was taken. If it was, the socket here is of no more use; if it was
   * not, it is as it was.
   */
  offer(client: Socket, answer: (taken: boolean) => void): void;
}

/** More clients than these do not wait for a worker. */
const MOST_WAITING = 1000;

/** A door that is open. Takers get clients in turn, one at a time each: one that is stuck keeps one client waiting, and no other. */
export class FrontDoor {
  readonly #server: Server;
  readonly #host: string;
  readonly #takers = new Set<Taker>();
  #idle: Taker[] = [];
  #waiting: Socket[] = [];

  private constructor(server: Server, host: string) {
    this.#server = server;
    this.#host = host;
    server.on('connection', (client: Socket) => this.#come(client));
  }

  /**
   * Opens a door. Rejects with the system's error.
   * @param reusePort whether other processes may listen on the port as well
   */
  static async open(address: Address, reusePort: boolean): Promise<FrontDoor> {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true });
    const door = new FrontDoor(server, address.host);
    await listen(server, address, reusePort);
    return door;
  }

  /** Where it is; the port is the real one where 0 was asked for. */
  get address(): Address {
    const bound = this.#server.address();
    return { host: this.#host, port: typeof bound === 'object' && bound !== null ? bound.port : 0 };
  }

  /** Calls back when the system fails to accept. */
  onError(callback: (error: Error) => void): void {
    this.#server.on('error', callback);
  }

  /** From here on a taker gets its share. */
  add(taker: Taker): void {
    this.#takers.add(taker);
    this.#idle.push(taker);
    this.#handOut();
  }

  /** From here on a taker gets none. */
  remove(taker: Taker): void {
    this.#takers.delete(taker);
    this.#idle = this.#idle.filter((idle) => idle !== taker);
  }

  /** Accepts nobody any more, and gives up those who wait. Whoever has connected by now is still accepted. */
  async close(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#server.close();
    for (const client of this.#waiting.splice(0)) client.destroy();
  }

  #come(client: Socket): void {
    client.on('error', () => {});
    if (this.#waiting.length >= MOST_WAITING) {
      client.destroy();
      return;
    }
    this.#waiting.push(client);
    this.#handOut();
  }

  #handOut(): void {
    while (this.#waiting.length > 0) {
      const taker = this.#idle.shift();
      const client = taker === undefined ? undefined : this.#waiting.shift();
      if (taker === undefined || client === undefined) return;
      taker.offer(client, (taken) => {
        // The worker has a copy of its own: nothing is said to the client by closing this one.
        if (taken) client.destroy();
        else this.#waiting.unshift(client);
        if (this.#takers.has(taker)) this.#idle.push(taker);
        this.#handOut();
      });
    }
  }
}
