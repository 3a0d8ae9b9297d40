// What the log says of one session, from its handshake to its end, and why it ended: the reason is the first that was given.

import type { Socket } from 'node:net';
import { mistakeFields } from './feed-end.ts';
import type { HandshakeRelay } from './handshake-relay.ts';
import { type Log, withFields } from './log.ts';
import type { ConnectionFacts } from './relay.ts';

/** The log of one session. */
export class SessionLog {
  readonly #id: number;
  readonly #client: Socket;
  readonly #log: Log;
  readonly #startedAt: number = performance.now();
  #reason: string | undefined;

  constructor(id: number, client: Socket, log: Log) {
    this.#id = id;
    this.#client = client;
    this.#log = log;
  }

  /** A log for what else there is to say of the connection; most connections need none. */
  makeLog(): Log {
    return withFields(this.#log, { connection: this.#id });
  }

  /** Why the session ends or has ended; `undefined` while it goes on. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Gives a reason, and gets the one that counts. */
  because(reason: string): string {
    this.#reason ??= reason;
    return this.#reason;
  }

  upstreamConnected(upstream: string): void {
    this.#log.debug({ connection: this.#id, upstream }, 'upstream connected');
  }

  ready({ user, protocol }: ConnectionFacts): void {
    this.#log.info({ connection: this.#id, client: this.#client.remoteAddress, user, protocol }, 'client ready');
  }

  /** The handshake came to nothing: upstream has refused the client, or it speaks something else. */
  notReady({ refusal, user }: HandshakeRelay): void {
    const fields = { connection: this.#id, client: this.#client.remoteAddress, user };
    if (refusal === undefined) {
      this.#log.warn(fields, 'client speaks no known handshake');
    } else {
      this.#log.warn({ ...fields, reason: refusal }, 'upstream refused the client');
      this.because(`upstream refused the client: ${refusal}`);
    }
  }

  handshakeTimedOut(): void {
    this.#log.warn({ connection: this.#id, client: this.#client.remoteAddress }, 'handshake timed out');
  }

  handshakeEvicted(): void {
    this.#log.warn({ connection: this.#id, client: this.#client.remoteAddress }, 'handshake given up: others waited');
  }

  upstreamLost(reason: string): void {
    this.#log.warn({ connection: this.#id, reason }, 'upstream lost');
  }

  failed(error: unknown, showsData: boolean): void {
    this.#log.error({ connection: this.#id, ...mistakeFields(error, showsData) }, 'session failed');
  }

  closed(): void {
    const ms = Math.round(performance.now() - this.#startedAt);
    const fields = { connection: this.#id, ms, reason: this.#reason };
    // Whoever only looks whether somebody listens says nothing, and is nothing to speak of.
    if (this.#client.bytesRead === 0) this.#log.debug(fields, 'client closed');
    else this.#log.info(fields, 'client closed');
  }
}
