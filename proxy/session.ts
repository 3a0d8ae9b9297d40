// One client and its connection to upstream, from the first byte to the last. The session owns the two sockets and
// nothing else: what the bytes mean is the business of the handshake relay and then of the relay.

import type { Socket } from 'node:net';
import type { ReqlError } from '../rewrite/reql/error.ts';
import { Version } from '../rewrite/reql/protocol.ts';
import { type Address, printAddress } from './address.ts';
import { afterGrace } from './grace.ts';
import { HandshakeRelay } from './handshake-relay.ts';
import type { Log } from './log.ts';
import { Brake, Hold, Outlet } from './outlet.ts';
import { ReadBuffer } from './read-buffer.ts';
import { Relay, type RelayOptions } from './relay.ts';
import { SessionLog } from './session-log.ts';
import { sightOf } from './sight.ts';
import { Silence } from './silence.ts';
import type { Upstreams } from './upstreams.ts';
import { handshakeError } from './wire/handshake-message.ts';

/** Bytes of answers that may wait for a client that goes on asking. Few, and clients that ask much before they read would hang. */
const MOST_UNREAD = 8 * 1024 * 1024;

/** What all sessions of a listener share. */
export interface SessionContext {
  readonly relay: RelayOptions;
  readonly upstreams: Upstreams;
  readonly handshakeTimeoutMs: number;
  /** How long upstream may be silent before it is asked whether it is there. */
  readonly keepaliveMs: number;
  readonly log: Log;
  closed(session: Session): void;
}

/**
 * `connecting`: no upstream yet. `refused`: there will be none; waits for the client's magic to say so in its protocol.
 * `opaque`: bytes pass both ways unseen. `closing`: nothing is relayed any more.
 */
type Phase = 'connecting' | 'refused' | 'handshaking' | 'open' | 'opaque' | 'closing' | 'closed';

/** The session of one client. */
export class Session {
  readonly id: number;
  /** Whether the client was let in; one that was not only waits to be told. */
  readonly admitted: boolean;
  readonly #client: Socket;
  readonly #clientBrake: Brake;
  readonly #context: SessionContext;
  readonly #log: SessionLog;
  #phase: Phase = 'connecting';
  #refusal = '';
  #handshake: HandshakeRelay | undefined;
  /** Holds the client while what it says cannot be dealt with yet. */
  readonly #clientHold: Hold;
  /** Handshake messages that wait for upstream. */
  #early: Buffer[] = [];
  #cancelTimer: () => void;
  #cancelConnect: () => void = () => {};
  #upstream: Socket | undefined;
  #address: Address | undefined;
  #silence: Silence | undefined;
  #toClient: Outlet | undefined;
  #toUpstream: Outlet | undefined;
  #relay: Relay | undefined;
  #draining = false;

  /** `refusal`: why this client is not served; `undefined` where it is. */
  constructor(id: number, client: Socket, context: SessionContext, refusal?: string) {
    this.id = id;
    this.admitted = refusal === undefined;
    this.#client = client;
    this.#clientBrake = new Brake(client);
    this.#clientHold = new Hold(this.#clientBrake);
    this.#context = context;
    this.#log = new SessionLog(id, client, context.log);
    this.#handshake = new HandshakeRelay({
      toClient: (bytes) => client.write(bytes),
      toUpstream: (bytes) => {
        if (this.#upstream === undefined) this.#early.push(bytes);
        else this.#upstream.write(bytes);
      },
    });
    const timer = setTimeout(() => this.#handshakeTimedOut(), context.handshakeTimeoutMs);
    this.#cancelTimer = () => clearTimeout(timer);
    client.on('data', (chunk: Buffer) => {
      try {
        this.#onClientData(chunk);
      } catch (error) {
        this.#fail(error);
      }
    });
    client.on('end', () => this.#onClientEnd());
    client.on('error', (error) => this.#log.because(`the client failed: ${error.message}`));
    client.on('close', () => this.#close());
    if (refusal !== undefined) {
      this.#refuse(refusal);
      return;
    }
    this.#cancelConnect = context.upstreams.connect({
      reads: new ReadBuffer(
        (bytes) => this.#takesUpstream(bytes),
        () => this.#relay?.betweenAnswers !== false,
      ),
      connected: (socket, address) => this.#onConnected(socket, address),
      failed: (reason) => this.#refuse(`Cannot reach the upstream server: ${reason}.`),
    });
  }

  /** Ends the session as soon as no query of the client's is running. */
  drain(): void {
    this.#draining = true;
    this.#relay?.onIdle(() => this.#end('stopping'));
  }

  /** Ends the session now; its feeds get an error first. */
  abort(error: ReqlError): void {
    this.#relay?.abortFeeds(error, 'stopping');
    this.#end('stopping');
  }

  /** Ends the session without another word. */
  destroy(reason = 'stopped at once'): void {
    this.#log.because(reason);
    this.#client.destroy();
    this.#upstream?.destroy();
  }

  /** Looks whether upstream is silent; callers owe a look now and then. `now`: milliseconds on a steady clock. */
  lookForSilence(now: number): void {
    const [relay, upstream] = [this.#relay, this.#upstream];
    if (relay === undefined || upstream === undefined) return;
    this.#silence ??= new Silence(this.#context.keepaliveMs);
    const verdict = this.#silence.look(sightOf(upstream, relay, now));
    if (verdict === 'ask') relay.askForLife();
    if (verdict === 'gone') this.#onUpstreamSilent('upstream is silent');
  }

  #onUpstreamSilent(reason: string): void {
    if (this.#address !== undefined) this.#context.upstreams.failed(this.#address, reason);
    this.#onUpstreamGone(reason, 'The upstream server does not answer.');
  }

  #onClientData(chunk: Buffer): void {
    if (this.#relay !== undefined) {
      this.#relay.fromClient(chunk);
      if (this.#client.writableLength > MOST_UNREAD) this.#waitForReader();
      return;
    }
    switch (this.#phase) {
      case 'opaque':
        this.#toUpstream?.write(chunk);
        break;
      case 'handshaking':
        this.#handshake?.fromClient(chunk);
        this.#advance();
        break;
      case 'connecting':
        this.#handshake?.fromClient(chunk);
        this.#clientHold.hold();
        break;
      case 'refused':
        this.#handshake?.fromClient(chunk);
        this.#sayRefusal();
        break;
      case 'open':
      case 'closing':
      case 'closed':
        break;
    }
  }

  /** Whether the bytes are still in use afterwards. */
  #takesUpstream(bytes: Buffer): boolean {
    try {
      this.#onUpstreamData(bytes);
    } catch (error) {
      this.#fail(error);
    }
    return this.#relay?.keepsUpstream !== false;
  }

  /** The client asks and does not read: it is not listened to until it does. Answers of upstream's are held back by themselves. */
  #waitForReader(): void {
    this.#clientBrake.hold();
    this.#toClient?.onDrain(() => this.#clientBrake.release());
  }

  #onUpstreamData(chunk: Buffer): void {
    if (this.#relay !== undefined) {
      this.#relay.fromUpstream(chunk);
    } else if (this.#phase === 'opaque') {
      this.#toClient?.write(chunk);
    } else if (this.#phase === 'handshaking') {
      this.#handshake?.fromUpstream(chunk);
      this.#advance();
    }
  }

  #onConnected(upstream: Socket, address: Address): void {
    if (this.#phase !== 'connecting') {
      upstream.destroy();
      return;
    }
    this.#log.upstreamConnected(printAddress(address));
    this.#phase = 'handshaking';
    this.#upstream = upstream;
    this.#address = address;
    this.#toClient = new Outlet(this.#client, new Brake(upstream));
    this.#toUpstream = new Outlet(upstream, this.#clientBrake);
    upstream.on('end', () => this.#onUpstreamGone('upstream closed the connection'));
    upstream.on('error', (error) => this.#onUpstreamGone(`upstream failed: ${error.message}`));
    upstream.on('close', () => this.#onUpstreamGone('upstream closed the connection'));
    for (const bytes of this.#early) upstream.write(bytes);
    this.#early = [];
    this.#clientHold.release();
    this.#advance();
  }

  /** Looks how far the handshake is, and goes on to the next phase when it is over. */
  #advance(): void {
    const handshake = this.#handshake;
    if (handshake === undefined || handshake.state === 'going') {
      if (handshake?.clientDone === true) this.#clientHold.hold();
      return;
    }
    if (this.#phase !== 'handshaking') return;
    this.#handshake = undefined;
    this.#cancelTimer();
    const { clientRest, upstreamRest } = { clientRest: handshake.clientRest(), upstreamRest: handshake.upstreamRest() };
    if (handshake.state === 'done') {
      this.#open(handshake);
    } else {
      this.#phase = 'opaque';
      this.#log.notReady(handshake);
    }
    if (clientRest.length > 0) this.#onClientData(clientRest);
    if (upstreamRest.length > 0) this.#onUpstreamData(upstreamRest);
    this.#clientHold.release();
  }

  #open(handshake: HandshakeRelay): void {
    if (this.#toClient === undefined || this.#toUpstream === undefined) return;
    const { user, serverVersion, version } = handshake;
    const protocol = version === Version.V1_0 ? 'V1_0' : version === Version.V0_4 ? 'V0_4' : 'V0_3';
    const facts = { protocol, user, serverVersion } as const;
    this.#phase = 'open';
    this.#relay = new Relay(
      this.#context.relay,
      facts,
      { client: this.#toClient, upstream: this.#toUpstream, clientBrake: this.#clientBrake },
      () => this.#log.makeLog(),
    );
    this.#log.ready(facts);
    if (this.#draining) this.drain();
  }

  #onClientEnd(): void {
    const reason = this.#log.because('the client ended the connection');
    if (this.#upstream === undefined || this.#phase === 'closing') {
      this.#client.destroy();
      return;
    }
    // A server ends a connection whose client has half-closed it; so no answers are owed, and it closes in its turn.
    this.#relay?.closeFeeds(reason);
    this.#upstream.end();
    this.#graceThenDestroy();
  }

  #onUpstreamGone(reason: string, message = `The upstream server ended the handshake: ${reason}.`): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    // A client that has ended the handshake itself is owed no reason.
    if (this.#phase === 'handshaking' && this.#handshake?.hasMagic === true && this.#log.reason === undefined) {
      this.#client.write(handshakeError(this.#handshake.version, message));
    }
    if (this.#phase !== 'opaque' && this.#log.reason === undefined && !this.#draining) this.#log.upstreamLost(reason);
    this.#end(reason);
  }

  #refuse(reason: string): void {
    if (this.#phase !== 'connecting') return;
    this.#phase = 'refused';
    this.#refusal = reason;
    this.#early = [];
    this.#clientHold.release();
    this.#sayRefusal();
  }

  /** Says in the client's own protocol why it is not served. Before its magic has come, drivers could not read it. */
  #sayRefusal(): void {
    if (this.#handshake?.hasMagic !== true) return;
    this.#client.write(handshakeError(this.#handshake.version, this.#refusal));
    this.#end(`refused: ${this.#refusal}`);
  }

  #handshakeTimedOut(): void {
    if (this.#phase === 'handshaking' && this.#handshake?.waitsForUpstream === true) {
      this.#onUpstreamSilent('upstream does not answer the handshake');
      return;
    }
    if (this.#handshake?.hasMagic === true) {
      this.#client.write(handshakeError(this.#handshake.version, 'The handshake took too long.'));
    }
    this.#log.handshakeTimedOut();
    this.#end('the handshake timed out');
  }

  /** A mistake of ours: it costs this client its connection, and no one else anything. */
  #fail(error: unknown): void {
    this.#log.failed(error, this.#context.relay.logQueries);
    this.destroy('a mistake of the proxy');
  }

  /** Ends both sides in good order: what is written is sent, what still comes is dropped. */
  #end(reason: string): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#phase = 'closing';
    this.#cancelTimer();
    this.#cancelConnect();
    this.#relay?.close(this.#log.because(reason));
    this.#relay = undefined;
    // A socket that has been ended makes an error of a second end, with a stack, and nobody sees it.
    if (this.#upstream?.writableEnded === false) this.#upstream.end();
    this.#upstream?.resume();
    if (!this.#client.writableEnded) this.#client.end();
    // Unread bytes would turn the close into a reset, which can overtake what the client has not read yet.
    this.#client.resume();
    this.#graceThenDestroy();
  }

  /** Gives both sides a while to close by themselves. */
  #graceThenDestroy(): void {
    this.#cancelTimer();
    this.#cancelTimer = afterGrace(this.#client, () => this.destroy());
  }

  /** The client is gone; so is the session. */
  #close(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#cancelTimer();
    this.#cancelConnect();
    this.#relay?.close(this.#log.because('the client closed the connection'));
    this.#relay = undefined;
    this.#handshake = undefined;
    this.#upstream?.destroy();
    this.#log.closed();
    this.#context.closed(this);
  }
}
