// What the log says of one session, from its handshake to its end, and why it ended: the reason is the first that was given.

import type { Socket } from 'node:net';
import { type Log, withFields } from '../log.ts';
import { mistakeFields } from '../relay/feed-end.ts';
import type { ConnectionFacts } from '../relay/relay.ts';
import type { HandshakeRelay } from './handshake-relay.ts';
import type { StrangerLog } from './stranger-log.ts';

/** Who can end a connection. */
export type Party = 'client' | 'upstream' | 'proxy';

/** The magic number of a protocol: more than this has to come from a client that is one. */
const MAGIC_BYTES = 4;

/** The log of one session. */
export class SessionLog {
  readonly #id: number;
  readonly #client: Socket;
  readonly #log: Log;
  readonly #strangerLog: StrangerLog;
  readonly #startedAt: number = performance.now();
  #by: Party | undefined;
  #reason: string | undefined;

  constructor(id: number, client: Socket, logs: { readonly log: Log; readonly strangerLog: StrangerLog }) {
    this.#id = id;
    this.#client = client;
    this.#log = logs.log;
    this.#strangerLog = logs.strangerLog;
  }

  /** A log for what else there is to say of the connection; most connections need none. */
  makeLog(): Log {
    return withFields(this.#log, { connection: this.#id });
  }

  /** Why the session ends or has ended; `undefined` while it goes on. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Says who ends the session and why, and gets the reason that counts: the first. */
  because(by: Party, reason: string): string {
    this.#by ??= by;
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
      this.#strangerLog.warn(fields, 'client speaks no known handshake');
    } else {
      this.#log.warn({ ...fields, reason: refusal }, 'upstream refused the client');
      this.because('upstream', `upstream refused the client: ${refusal}`);
    }
  }

  handshakeTimedOut(): void {
    this.#strangerLog.warn({ connection: this.#id, client: this.#client.remoteAddress }, 'handshake timed out');
  }

  handshakeEvicted(): void {
    const fields = { connection: this.#id, client: this.#client.remoteAddress };
    this.#strangerLog.warn(fields, 'handshake given up: others waited');
  }

  upstreamLost(reason: string): void {
    this.#log.warn({ connection: this.#id, reason }, 'upstream lost');
  }

  failed(error: unknown, showsData: boolean): void {
    this.#log.error({ connection: this.#id, ...mistakeFields(error, showsData) }, 'session failed');
  }

  closed(): void {
    const ms = Math.round(performance.now() - this.#startedAt);
    const fields = { connection: this.#id, ms, by: this.#by, reason: this.#reason };
    // Whoever only looks whether somebody listens, or who, says next to nothing, and is nothing to speak of.
    if (this.#client.bytesRead <= MAGIC_BYTES) this.#log.debug(fields, 'client closed');
    else this.#log.info(fields, 'client closed');
  }
}
