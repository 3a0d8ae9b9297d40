// The report of one session to observers, from its handshake to its end, and why it ended: the reason is the first that was given.

import type { ObservedSession, Observer } from '../observer/observer.ts';
import type { Party } from '../observer/outcomes.ts';
import type { Address } from '../upstream/address.ts';
import type { HandshakeRelay } from './handshake-relay.ts';

/** The magic number of a protocol: more than this has to come from a client that is one. */
const MAGIC_BYTES = 4;

/** Tells of one session. */
export class SessionReport {
  readonly #session: ObservedSession;
  readonly #observer: Observer;
  #by: Party | undefined;
  #reason: string | undefined;

  constructor(session: ObservedSession, observer: Observer) {
    this.#session = session;
    this.#observer = observer;
  }

  /** Why the session ends or has ended; `undefined` while it goes on. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Who ends or has ended it; `undefined` where nobody has said so. */
  get by(): Party | undefined {
    return this.#by;
  }

  /** Says who ends the session and why, and gets the reason that counts: the first. */
  because(by: Party, reason: string): string {
    this.#by ??= by;
    this.#reason ??= reason;
    return this.#reason;
  }

  upstreamConnected(upstream: Address): void {
    this.#observer.upstreamConnected(this.#session, upstream);
  }

  ready(): void {
    this.#observer.handshakeEnded(this.#session, { outcome: 'accepted' });
  }

  /** The handshake came to nothing: upstream has refused the client, or it speaks something else. */
  notReady({ refusal, user }: HandshakeRelay): void {
    if (refusal === undefined) {
      this.#observer.handshakeEnded(this.#session, { outcome: 'unknown', user });
    } else {
      this.#observer.handshakeEnded(this.#session, { outcome: 'refused', user, reason: refusal });
      this.because('upstream', `upstream refused the client: ${refusal}`);
    }
  }

  /** The handshake is given up. */
  gaveUp(outcome: 'late' | 'evicted' | 'unreachable'): void {
    this.#observer.handshakeEnded(this.#session, { outcome });
  }

  upstreamLost(reason: string): void {
    this.#observer.upstreamLost(this.#session, reason);
  }

  failed(error: unknown, showsData: boolean): void {
    this.#observer.sessionFailed(this.#session, error, showsData);
  }

  closed(): void {
    const hasSpoken = this.#session.bytesRead > MAGIC_BYTES;
    this.#observer.sessionClosed(this.#session, { by: this.#by, reason: this.#reason, hasSpoken });
  }
}
