// The servers behind the proxy: which one the next client gets, and how long one that cannot be reached is left alone.

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Address, printAddress } from './address.ts';
import type { Log } from './log.ts';
import type { UpstreamTls } from './tls.ts';

const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 30_000;
const KEEPALIVE_MS = 30_000;

/** How upstream servers are reached. */
export interface UpstreamOptions {
  readonly addresses: readonly Address[];
  /** Milliseconds that one address gets to accept a connection, TLS included. */
  readonly connectTimeoutMs: number;
  readonly tls?: UpstreamTls | undefined;
}

interface Server {
  readonly address: Address;
  failures: number;
  /** The time until which the server is only tried when all others fail, too. */
  restUntil: number;
}

/** Who waits for a connection. Exactly one of the two is called, unless the attempt is cancelled. */
export interface ConnectTarget {
  connected(socket: Socket, address: Address): void;
  failed(reason: string): void;
}

/** Gives out connections, round robin. */
export class Upstreams {
  readonly #servers: readonly Server[];
  readonly #options: UpstreamOptions;
  readonly #log: Log;
  #next = 0;

  constructor(options: UpstreamOptions, log: Log) {
    this.#options = options;
    this.#log = log;
    this.#servers = options.addresses.map((address) => ({ address, failures: 0, restUntil: 0 }));
  }

  /** Connects to one server after the other until one accepts. Returns a function that cancels the attempt. */
  connect(target: ConnectTarget): () => void {
    const order = this.#order();
    let socket: Socket | undefined;
    let cancelled = false;
    const tryNext = (reason: string): void => {
      const server = order.shift();
      if (server === undefined) {
        target.failed(reason);
        return;
      }
      socket = this.#dial(server, (problem, open) => {
        if (cancelled) return;
        if (problem === undefined) {
          server.failures = 0;
          server.restUntil = 0;
          target.connected(open, server.address);
        } else {
          this.#rest(server, problem);
          tryNext(problem);
        }
      });
    };
    tryNext('no upstream is configured');
    return () => {
      cancelled = true;
      socket?.destroy();
    };
  }

  /** Servers in the order they are to be tried: those at rest after all others, the one longest at rest first. */
  #order(): Server[] {
    const count = this.#servers.length;
    const first = this.#next;
    this.#next = (first + 1) % Math.max(count, 1);
    const turned = [...this.#servers.slice(first), ...this.#servers.slice(0, first)];
    const now = Date.now();
    const resting = turned.filter((server) => server.restUntil > now).sort((a, b) => a.restUntil - b.restUntil);
    return [...turned.filter((server) => server.restUntil <= now), ...resting];
  }

  #rest(server: Server, problem: string): void {
    server.failures++;
    const longest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(server.failures - 1, 16));
    // Jitter: the rest is between half and the whole of it, so that many proxies do not come back at once.
    server.restUntil = Date.now() + longest * (0.5 + Math.random() / 2);
    this.#log.warn(
      { upstream: printAddress(server.address), failures: server.failures, reason: problem },
      'no upstream',
    );
  }

  #dial(server: Server, settle: (problem: string | undefined, socket: Socket) => void): Socket {
    const { host, port } = server.address;
    const where = { host, port, allowHalfOpen: true };
    const tls = this.#options.tls;
    const socket =
      tls === undefined
        ? connect({ ...where, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEPALIVE_MS })
        : connectTls({ ...where, ...tls.connectOptions(host) });
    let settled = false;
    const finish = (problem: string | undefined): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      socket.off('error', onError);
      socket.off('close', onClose);
      if (problem !== undefined) {
        socket.on('error', () => {});
        socket.destroy();
      }
      settle(problem, socket);
    };
    const onError = (error: Error): void => finish(error.message);
    const onClose = (): void => finish('connection closed');
    const timer = setTimeout(() => finish('connection timed out'), this.#options.connectTimeoutMs);
    socket.on('error', onError);
    socket.on('close', onClose);
    socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
      if (tls !== undefined) {
        socket.setNoDelay(true);
        socket.setKeepAlive(true, KEEPALIVE_MS);
      }
      finish(undefined);
    });
    return socket;
  }
}
