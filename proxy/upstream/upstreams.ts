// The servers behind the proxy: which one the next client gets, and how long one that cannot be reached is left alone. While
// they are watched, the log tells when one cannot be reached, and when it can again, with or without clients.

import type { Socket } from 'node:net';
import type { Reachable } from '../connection/upstream-liveness.ts';
import type { Observer } from '../observer/observer.ts';
import type { ReadBuffer } from '../relay/read-buffer.ts';
import type { Address } from './address.ts';
import { type DialOptions, dial, TIMED_OUT } from './dial.ts';
import { askGreeting, type Greeting } from './greeting.ts';
import { startRace } from './race.ts';

const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 30_000;

/** The settings with which upstream servers are reached. */
export interface UpstreamOptions extends DialOptions {
  readonly addresses: readonly Address[];
}

interface Server {
  readonly address: Address;
  failures: number;
  /** The time until which the server is only tried when all others fail, too. */
  restUntil: number;
  /** Gives up the watch's present attempt, or the wait for the next; `undefined` where neither is. */
  giveUp: (() => void) | undefined;
}

/** The receiver of a connection. Exactly one of the two is called, unless the attempt is cancelled. */
export interface ConnectTarget {
  /** Takes what upstream sends, from the first byte on. */
  readonly reads: ReadBuffer;
  connected(socket: Socket, address: Address): void;
  failed(reason: string): void;
}

type Told = Pick<Observer, 'upstreamReached' | 'upstreamFailed'>;

/** Gives out connections, round robin. */
export class Upstreams {
  readonly #servers: readonly Server[];
  readonly #options: UpstreamOptions;
  readonly #observer: Told;
  /** Ends attempts that others were faster than. */
  readonly #late = new Set<() => void>();
  /** Who waits for a look at a server. */
  readonly #looks = new Map<Address, ((reachable: Reachable) => void)[]>();
  #next = 0;
  #watching = false;

  constructor(options: UpstreamOptions, observer: Told) {
    this.#options = options;
    this.#observer = observer;
    this.#servers = options.addresses.map((address) => ({ address, failures: 0, restUntil: 0, giveUp: undefined }));
  }

  /** Connects to the first server that accepts, in a `startRace`. Returns a function that cancels the attempt. */
  connect(target: ConnectTarget): () => void {
    const options = { ...this.#options, reads: target.reads };
    const cancel = startRace<Server>(
      this.#order(),
      (server, settle) =>
        dial(server.address, options, (outcome) => {
          if (typeof outcome === 'string') this.#rest(server, outcome);
          else this.#reached(server);
          settle(outcome);
        }),
      {
        reached: (socket, { address }) => {
          this.#late.add(cancel);
          target.connected(socket, address);
        },
        failed: (reason) => target.failed(reason),
      },
      () => this.#late.delete(cancel),
    );
    return cancel;
  }

  /** A server that had accepted a connection does not answer on it: it is left alone for a while. */
  failed(address: Address, problem: string): void {
    const server = this.#servers.find((each) => each.address === address);
    if (server !== undefined) this.#rest(server, problem);
  }

  /** Tries all servers now, and each that fails again and again until it answers. */
  watch(): void {
    this.#watching = true;
    for (const server of this.#servers) this.#try(server);
  }

  /** Looks whether a server accepts connections. All who ask while somebody looks get the same answer. */
  look(address: Address, found: (reachable: Reachable) => void): void {
    const asking = this.#looks.get(address);
    if (asking !== undefined) {
      asking.push(found);
      return;
    }
    const all = [found];
    this.#looks.set(address, all);
    // Below TLS, which a server that is busy does not answer.
    dial(address, { ...this.#options, tls: undefined }, (result) => {
      this.#looks.delete(address);
      const reachable = typeof result !== 'string' ? 'accepts' : result === TIMED_OUT ? 'unanswered' : 'refuses';
      if (typeof result !== 'string') result.destroy();
      for (const each of all) each(reachable);
    });
  }

  /** Ends the watch, and attempts for which nobody waits. */
  stop(): void {
    this.#watching = false;
    for (const server of this.#servers) {
      server.giveUp?.();
      server.giveUp = undefined;
    }
    for (const end of this.#late) end();
  }

  /**
   * Asks all servers who they are, and tells the versions of those that answer. One that does not is left alone for a while; observers
   * are told, and again when it answers.
   */
  ask(tell: (address: Address, version: string) => void): void {
    for (const server of this.#servers) {
      this.#askGreeting(server.address, (greeting) => {
        if ('problem' in greeting) {
          this.#rest(server, greeting.problem);
          return;
        }
        if (server.failures > 0) {
          // The watch would find the same a little later.
          server.giveUp?.();
          server.giveUp = undefined;
          this.#observer.upstreamReached(server.address, greeting.version);
        }
        this.#reached(server);
        tell(server.address, greeting.version);
      });
    }
  }

  #try(server: Server): void {
    server.giveUp = this.#askGreeting(server.address, (greeting) => {
      server.giveUp = undefined;
      if ('problem' in greeting) {
        this.#rest(server, greeting.problem);
        return;
      }
      this.#observer.upstreamReached(server.address, greeting.version);
      this.#reached(server);
    });
  }

  /** Asks a server who it is. Returns a function that gives up. */
  #askGreeting(address: Address, settle: (greeting: Greeting) => void): () => void {
    let giveUp = dial(address, this.#options, (result) => {
      if (typeof result === 'string') settle({ problem: result });
      else giveUp = askGreeting(result, this.#options.connectTimeoutMs, settle);
    });
    return () => giveUp();
  }

  /** Servers in the order they are to be tried: those at rest after all others, the one longest at rest first. */
  #order(): Server[] {
    const count = this.#servers.length;
    const first = this.#next;
    this.#next = (first + 1) % Math.max(count, 1);
    const turned = [...this.#servers.slice(first), ...this.#servers.slice(0, first)];
    const now = Date.now();
    // The watch finds out when a server can be reached again; no client has to wait for that.
    const rests = (server: Server): boolean => server.restUntil > now || (this.#watching && server.failures > 0);
    const resting = turned.filter(rests).sort((a, b) => a.restUntil - b.restUntil);
    return [...turned.filter((server) => !rests(server)), ...resting];
  }

  #reached(server: Server): void {
    server.failures = 0;
    server.restUntil = 0;
  }

  #rest(server: Server, problem: string): void {
    server.failures++;
    const longest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(server.failures - 1, 16));
    // Jitter: the rest is between half and the whole of it, so that many proxies do not come back at once.
    const rest = longest * (0.5 + Math.random() / 2);
    server.restUntil = Date.now() + rest;
    this.#observer.upstreamFailed(server.address, server.failures, problem);
    if (!this.#watching || server.giveUp !== undefined) return;
    const timer = setTimeout(() => this.#try(server), rest);
    server.giveUp = () => clearTimeout(timer);
  }
}
