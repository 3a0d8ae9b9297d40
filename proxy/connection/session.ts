// A client and its connection to upstream, from the first byte to the last. The session owns the two sockets and the
// time that a handshake may take; what the bytes mean is the business of its phase.

import type { Socket } from 'node:net';
import type { ObservedSession, Observer } from '../observer/observer.ts';
import type { Party } from '../observer/outcomes.ts';
import { Brake } from '../relay/outlet.ts';
import { ReadBuffer } from '../relay/read-buffer.ts';
import type { ConnectionFacts, RelayOptions } from '../relay/relay-options.ts';
import type { Address } from '../upstream/address.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { Arriving } from './arriving.ts';
import { afterCloseTimeout } from './close-timeout.ts';
import { ENDED } from './ended.ts';
import type { Arrival } from './entrance.ts';
import type { HandshakeGate } from './handshake-gate.ts';
import type { Phase, PhaseHost, Upstream } from './phase.ts';
import { SessionReport } from './session-report.ts';

/** The context that all sessions of a listener share. */
export interface SessionContext {
  readonly relay: RelayOptions;
  readonly upstreams: Upstreams;
  readonly gate: HandshakeGate;
  readonly handshakeTimeoutMs: number;
  /** How long upstream may be silent before it is asked whether it is there. */
  readonly keepaliveMs: number;
  readonly observer: Observer;
  /** The client has shown its magic, or its session is over. */
  arrived(session: Session): void;
  closed(session: Session): void;
}

/** The session of one client. */
export class Session implements PhaseHost, ObservedSession {
  readonly id: number;
  /** Whether the client was let in; one that was not only waits to be told. */
  readonly admitted: boolean;
  readonly client: Socket;
  readonly clientBrake: Brake;
  readonly context: SessionContext;
  readonly report: SessionReport;
  readonly reads: ReadBuffer;
  readonly #arrival: Arrival;
  #phase: Phase;
  #upstream: Upstream | undefined;
  #facts: ConnectionFacts | undefined;
  #cancelTimer: () => void;
  #isDraining = false;
  #isClosed = false;

  /** `refusal`: why this client is not served; `undefined` where it is. */
  constructor(id: number, client: Socket, context: SessionContext, arrival: Arrival, refusal?: string) {
    this.id = id;
    this.admitted = refusal === undefined;
    this.client = client;
    this.#arrival = arrival;
    this.clientBrake = new Brake(client);
    this.context = context;
    this.report = new SessionReport(this, context.observer);
    this.reads = new ReadBuffer(
      (bytes) => this.#takesUpstream(bytes),
      () => this.#phase.betweenAnswers,
    );
    this.#phase = new Arriving(this, refusal);
    const timer = setTimeout(() => this.#phase.timedOut(), context.handshakeTimeoutMs - this.ageMs);
    this.#cancelTimer = () => clearTimeout(timer);
    client.on('data', (chunk: Buffer) => {
      try {
        this.#phase.fromClient(chunk);
      } catch (error) {
        this.#fail(error);
      }
    });
    client.on('end', () => this.#onClientEnd());
    client.on('error', (error) => this.report.because('client', `the client failed: ${error.message}`));
    client.on('close', () => this.#close());
    context.observer.sessionOpened(this);
  }

  get clientHost(): string | undefined {
    return this.#arrival.origin?.host ?? this.client.remoteAddress;
  }

  get clientPort(): number | undefined {
    return this.#arrival.origin?.port ?? this.client.remotePort;
  }

  get ageMs(): number {
    return performance.now() - this.#arrival.at;
  }

  get user(): string | undefined {
    return this.#facts?.user;
  }

  get protocol(): ConnectionFacts['protocol'] | undefined {
    return this.#facts?.protocol;
  }

  get upstream(): Address | undefined {
    return this.#upstream?.address;
  }

  get waitingBytes(): number {
    return this.client.writableLength;
  }

  get bytesRead(): number {
    return this.client.bytesRead - this.#arrival.headerBytes;
  }

  get bytesWritten(): number {
    return this.client.bytesWritten;
  }

  get upstreamBytesRead(): number {
    return this.#upstream?.socket.bytesRead ?? 0;
  }

  get upstreamBytesWritten(): number {
    return this.#upstream?.socket.bytesWritten ?? 0;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  enter(phase: Phase): void {
    const left = this.#phase;
    this.#phase = phase;
    left.leave('another phase');
    if (left.isArriving) this.context.arrived(this);
  }

  connected(upstream: Upstream): void {
    this.#upstream = upstream;
    const { socket, address } = upstream;
    this.report.upstreamConnected(address);
    socket.on('end', () => this.#onUpstreamGone('upstream closed the connection'));
    socket.on('error', (error) => this.#onUpstreamGone(`upstream failed: ${error.message}`));
    socket.on('close', () => this.#onUpstreamGone('upstream closed the connection'));
  }

  letIn(facts: ConnectionFacts): void {
    this.#facts = facts;
    this.report.ready();
  }

  handshakeDone(): void {
    this.#cancelTimer();
  }

  upstreamLost(reason: string): void {
    if (!this.#isDraining) this.report.upstreamLost(reason);
  }

  upstreamUnfit(reason: string, message: string): void {
    if (this.#upstream !== undefined) this.context.upstreams.failed(this.#upstream.address, reason);
    this.#onUpstreamGone(reason, message);
  }

  /** Ends the session's feeds, and the session as soon as no query of the client's is running. */
  drain(): void {
    this.#isDraining = true;
    this.#phase.drain();
  }

  /** Ends the session without another word. */
  destroy(reason = 'stopped at once'): void {
    this.report.because('proxy', reason);
    this.client.destroy();
    this.#upstream?.socket.destroy();
  }

  /** Looks whether upstream is silent; callers owe a look now and then. `now`: milliseconds on a steady clock. */
  lookForSilence(now: number): void {
    this.#phase.lookForSilence(now);
  }

  /** Ends both sides in good order: what is written is sent, what still comes is dropped. */
  end(by: Party, reason: string): void {
    if (this.#phase === ENDED) return;
    this.#cancelTimer();
    this.#over(by, reason);
    const upstream = this.#upstream?.socket;
    // A socket that has been ended makes an error of a second end, with a stack, and nobody sees it.
    if (upstream?.writableEnded === false) upstream.end();
    upstream?.resume();
    this.#upstream?.toClient.flush();
    if (!this.client.writableEnded) this.client.end();
    // Unread bytes would turn the close into a reset, which can overtake what the client has not read yet.
    this.client.resume();
    this.#graceThenDestroy();
  }

  /** Whether the bytes are still in use afterwards. */
  #takesUpstream(bytes: Buffer): boolean {
    try {
      return this.#phase.fromUpstream(bytes);
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  #onClientEnd(): void {
    const reason = this.report.because('client', 'the client ended the connection');
    if (this.#upstream === undefined || this.#phase === ENDED) {
      this.client.destroy();
      return;
    }
    this.#phase.clientEnded(reason);
    this.#graceThenDestroy();
  }

  #onUpstreamGone(reason: string, message?: string): void {
    this.#phase.upstreamGone(reason, message);
  }

  /** A mistake of ours: it costs this client its connection, and no one else anything. */
  #fail(error: unknown): void {
    this.report.failed(error, this.context.relay.logQueries);
    this.destroy('a mistake of the proxy');
  }

  /** Leaves the last phase that relays anything. */
  #over(by: Party, reason: string): void {
    const left = this.#phase;
    this.#phase = ENDED;
    left.leave(this.report.because(by, reason));
    if (left.isArriving) this.context.arrived(this);
  }

  /** Gives both sides a while to close by themselves. */
  #graceThenDestroy(): void {
    this.#cancelTimer();
    this.#cancelTimer = afterCloseTimeout(this.client, () => this.destroy());
  }

  /** The client is gone; so is the session. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer();
    this.#over('client', 'the client closed the connection');
    this.#upstream?.socket.destroy();
    this.report.closed();
    this.context.closed(this);
  }
}
