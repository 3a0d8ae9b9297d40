// The phases of a session, from the client's first byte to the end of both sockets:
//
//   arriving -> connecting -> handshaking -> open      -> closing -> closed
//                    |             '-------> opaque ------^
//                    '-----> refused ---------------------^
//
// A phase is an object with the fields that it alone needs. The session passes on what happens to its sockets.

import type { Socket } from 'node:net';
import type { Party } from '../observer/outcomes.ts';
import type { Brake, Outlet } from '../relay/outlet.ts';
import type { ReadBuffer } from '../relay/read-buffer.ts';
import type { ConnectionFacts } from '../relay/relay-options.ts';
import type { Address } from '../upstream/address.ts';
import type { SessionContext } from './session.ts';
import type { SessionReport } from './session-report.ts';

/** A phase of a session. What it throws is a mistake of ours, and ends this session alone. */
export interface Phase {
  /** The client has shown nothing that tells it from a port scan. */
  readonly isArriving: boolean;
  /** Bytes from the client. */
  fromClient(chunk: Buffer): void;
  /** Bytes from upstream. Returns whether they are still in use afterwards. */
  fromUpstream(chunk: Buffer): boolean;
  /** Whether upstream is not in the middle of an answer. */
  readonly betweenAnswers: boolean;
  /** The client has half-closed its connection; `reason` is for the log. */
  clientEnded(reason: string): void;
  /** Upstream is gone; `reason` is for the log, `message` for a client in the middle of its handshake, where there is more to say. */
  upstreamGone(reason: string, message: string | undefined): void;
  /** The time for the handshake is over. */
  timedOut(): void;
  /** The proxy stops: feeds end at once, and the session as soon as nothing is owed to the client. */
  drain(): void;
  /** Looks whether upstream is silent. `now`: milliseconds on a clock that does not go back. */
  lookForSilence(now: number): void;
  /** Another phase begins, or the session is over: lets go of everything. */
  leave(reason: string): void;
}

/** The part of its session that a phase may use. */
export interface PhaseHost {
  /** The number of the connection. */
  readonly id: number;
  readonly client: Socket;
  /** Stops reading from the client. */
  readonly clientBrake: Brake;
  readonly context: SessionContext;
  readonly report: SessionReport;
  /** Where reads from upstream go. */
  readonly reads: ReadBuffer;
  /** Whether the proxy is stopping. */
  readonly isDraining: boolean;
  /** Begins another phase; the present one is left. */
  enter(phase: Phase): void;
  /** Owns the connection to upstream from here on. */
  connected(upstream: Upstream): void;
  /** Upstream lets the client in. */
  letIn(facts: ConnectionFacts): void;
  /** The handshake is over. */
  handshakeDone(): void;
  /** Upstream is gone, though nobody has ended the connection; the reason is for the log. */
  upstreamLost(reason: string): void;
  /** Upstream is of no use; the reason is for the log, the message for a client in the middle of its handshake. */
  upstreamUnfit(reason: string, message: string): void;
  /** Ends both sides in good order; who does it, and why, is for the log. */
  end(by: Party, reason: string): void;
}

/** A connection to upstream, and the ways out of the proxy at both ends. */
export interface Upstream {
  readonly socket: Socket;
  readonly address: Address;
  readonly toClient: Outlet;
  readonly toUpstream: Outlet;
}

/**
 * While the proxy stops, a client that has just connected, or has just been let in, gets so long to say something: it came in
 * good faith. So does one in its handshake, and upstream, to come to an end of it.
 */
export const FIRST_WORD_MS = 1000;

/** The text for a client whose handshake has to end because the proxy stops. */
export const STOPPING_TEXT = 'The proxy is stopping: connect again.';

/** The text for a client whose upstream has been silent too long. */
export const SILENT_TEXT = 'The upstream server does not answer.';

/** A phase that has no upstream, and nothing to say to what happens. */
export abstract class QuietPhase implements Phase {
  readonly isArriving: boolean = false;
  readonly betweenAnswers: boolean = true;
  protected readonly host: PhaseHost;

  constructor(host: PhaseHost) {
    this.host = host;
  }

  abstract fromClient(chunk: Buffer): void;

  fromUpstream(_chunk: Buffer): boolean {
    return false;
  }

  clientEnded(_reason: string): void {
    this.host.client.destroy();
  }

  upstreamGone(reason: string, _message: string | undefined): void {
    this.host.end('upstream', reason);
  }

  timedOut(): void {
    this.host.report.gaveUp('late');
    this.host.end('proxy', 'the handshake timed out');
  }

  drain(): void {}

  lookForSilence(_now: number): void {}

  leave(_reason: string): void {}
}
