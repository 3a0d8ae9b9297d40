// One client and its connection to upstream, from the first byte to the last. The session owns the two sockets and
// nothing else: what the bytes mean is the business of the handshake relay and then of the relay.

import type { Socket } from 'node:net';
import type { ReqlError } from '../rewrite/reql/error.ts';
import { Version } from '../rewrite/reql/protocol.ts';
import { type Address, printAddress } from './address.ts';
import { mistakeFields } from './feed-end.ts';
import { HandshakeRelay } from './handshake-relay.ts';
import { type Log, withFields } from './log.ts';
import { Brake, Outlet } from './outlet.ts';
import { ReadBuffer } from './read-buffer.ts';
import { Relay, type RelayOptions } from './relay.ts';
import { type Sight, Silence } from './silence.ts';
import type { Upstreams } from './upstreams.ts';
import { handshakeError } from './wire/handshake-message.ts';

/** How long an end may take to close after the other one has. */
const GRACE_MS = 1000;

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
  readonly #startedAt: number = performance.now();
  #phase: Phase = 'connecting';
  #refusal = '';
  #handshake: HandshakeRelay | undefined;
  #clientHeld = false;
  /** Handshake messages that wait for upstream. */
  #early: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #cancelConnect: () => void = () => {};
  #upstream: Socket | undefined;
  #address: Address | undefined;
  #silence: Silence | undefined;
  #toClient: Outlet | undefined;
  #toUpstream: Outlet | undefined;
  #relay: Relay | undefined;
  #draining = false;
  /** Why the session ended, once it has begun to. */
  #reason: string | undefined;

  /** `refusal`: why this client is not served; `undefined` where it is. */
  constructor(id: number, client: Socket, context: SessionContext, refusal?: string) {
    this.id = id;
    this.admitted = refusal === undefined;
    this.#client = client;
    this.#clientBrake = new Brake(client);
    this.#context = context;
    this.#handshake = new HandshakeRelay({
      toClient: (bytes) => client.write(bytes),
      toUpstream: (bytes) => {
        if (this.#upstream === undefined) this.#early.push(bytes);
        else this.#upstream.write(bytes);
      },
    });
    this.#timer = setTimeout(() => this.#handshakeTimedOut(), context.handshakeTimeoutMs);
    client.on('data', (chunk: Buffer) => {
      try {
        this.#onClientData(chunk);
      } catch (error) {
        this.#fail(error);
      }
    });
    client.on('end', () => this.#onClientEnd());
    client.on('error', (error) => {
      this.#reason ??= `the client failed: ${error.message}`;
    });
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
    this.#relay?.abortFeeds(error);
    this.#end('stopping');
  }

  /** Ends the session without another word. */
  destroy(reason = 'stopped at once'): void {
    this.#reason ??= reason;
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
        this.#holdClient();
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
    const { log } = this.#context;
    log.debug({ connection: this.id, upstream: printAddress(address) }, 'upstream connected');
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
    this.#releaseClient();
    this.#advance();
  }

  /** Looks how far the handshake is, and goes on to the next phase when it is over. */
  #advance(): void {
    const handshake = this.#handshake;
    if (handshake === undefined || handshake.state === 'going') {
      if (handshake?.clientDone === true) this.#holdClient();
      return;
    }
    if (this.#phase !== 'handshaking') return;
    this.#handshake = undefined;
    clearTimeout(this.#timer);
    const { clientRest, upstreamRest } = { clientRest: handshake.clientRest(), upstreamRest: handshake.upstreamRest() };
    if (handshake.state === 'done') this.#open(handshake);
    else this.#pass(handshake);
    if (clientRest.length > 0) this.#onClientData(clientRest);
    if (upstreamRest.length > 0) this.#onUpstreamData(upstreamRest);
    this.#releaseClient();
  }

  #open(handshake: HandshakeRelay): void {
    if (this.#toClient === undefined || this.#toUpstream === undefined) return;
    const { relay, log } = this.#context;
    const { user, serverVersion, version } = handshake;
    const protocol = version === Version.V1_0 ? 'V1_0' : version === Version.V0_4 ? 'V0_4' : 'V0_3';
    this.#phase = 'open';
    this.#relay = new Relay(
      relay,
      { protocol, user, serverVersion },
      { client: this.#toClient, upstream: this.#toUpstream, clientBrake: this.#clientBrake },
      () => withFields(log, { connection: this.id }),
    );
    log.info({ connection: this.id, client: this.#client.remoteAddress, user, protocol }, 'client ready');
    if (this.#draining) this.drain();
  }

  /** There is nothing to understand any more: upstream has refused the client, or it speaks something else. */
  #pass({ refusal, user }: HandshakeRelay): void {
    this.#phase = 'opaque';
    const fields = { connection: this.id, client: this.#client.remoteAddress, user };
    if (refusal === undefined) {
      this.#context.log.warn(fields, 'client speaks no known handshake');
    } else {
      this.#context.log.warn({ ...fields, reason: refusal }, 'upstream refused the client');
      this.#reason = `upstream refused the client: ${refusal}`;
    }
  }

  #onClientEnd(): void {
    this.#reason ??= 'the client ended the connection';
    if (this.#upstream === undefined || this.#phase === 'closing') {
      this.#client.destroy();
      return;
    }
    // A server ends a connection whose client has half-closed it; so no answers are owed, and it closes in its turn.
    this.#relay?.closeFeeds(this.#reason);
    this.#upstream.end();
    this.#graceThenDestroy();
  }

  #onUpstreamGone(reason: string, message = `The upstream server ended the handshake: ${reason}.`): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    // A client that has ended the handshake itself is owed no reason.
    if (this.#phase === 'handshaking' && this.#handshake?.hasMagic === true && this.#reason === undefined) {
      this.#client.write(handshakeError(this.#handshake.version, message));
    }
    if (this.#phase !== 'opaque' && this.#reason === undefined && !this.#draining) {
      this.#context.log.warn({ connection: this.id, reason }, 'upstream lost');
    }
    this.#end(reason);
  }

  #refuse(reason: string): void {
    if (this.#phase !== 'connecting') return;
    this.#phase = 'refused';
    this.#refusal = reason;
    this.#early = [];
    this.#releaseClient();
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
    this.#context.log.warn({ connection: this.id, client: this.#client.remoteAddress }, 'handshake timed out');
    this.#end('the handshake timed out');
  }

  /** A mistake of ours: it costs this client its connection, and no one else anything. */
  #fail(error: unknown): void {
    const { log, relay } = this.#context;
    log.error({ connection: this.id, ...mistakeFields(error, relay.logQueries) }, 'session failed');
    this.destroy('a mistake of the proxy');
  }

  #holdClient(): void {
    if (this.#clientHeld) return;
    this.#clientHeld = true;
    this.#clientBrake.hold();
  }

  #releaseClient(): void {
    if (!this.#clientHeld) return;
    this.#clientHeld = false;
    this.#clientBrake.release();
  }

  /** Ends both sides in good order: what is written is sent, what still comes is dropped. */
  #end(reason: string): void {
    if (this.#phase === 'closing' || this.#phase === 'closed') return;
    this.#phase = 'closing';
    clearTimeout(this.#timer);
    this.#cancelConnect();
    this.#reason ??= reason;
    this.#relay?.close(this.#reason);
    this.#relay = undefined;
    // A socket that has been ended makes an error of a second end, with a stack, and nobody sees it.
    if (this.#upstream?.writableEnded === false) this.#upstream.end();
    this.#upstream?.resume();
    if (!this.#client.writableEnded) this.#client.end();
    // Unread bytes would turn the close into a reset, which can overtake what the client has not read yet.
    this.#client.resume();
    this.#graceThenDestroy();
  }

  /** Gives both sides a while to close by themselves; a client that still reads what is waiting gets another while. */
  #graceThenDestroy(): void {
    const written = this.#client.bytesWritten - this.#client.writableLength;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const waiting = this.#client.writableLength;
      if (waiting > 0 && this.#client.bytesWritten - waiting > written) this.#graceThenDestroy();
      else this.destroy();
    }, GRACE_MS);
  }

  /** The client is gone; so is the session. */
  #close(): void {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    clearTimeout(this.#timer);
    this.#cancelConnect();
    const reason = this.#reason ?? 'the client closed the connection';
    this.#relay?.close(reason);
    this.#relay = undefined;
    this.#handshake = undefined;
    this.#upstream?.destroy();
    const ms = Math.round(performance.now() - this.#startedAt);
    const fields = { connection: this.id, ms, reason };
    // Whoever only looks whether somebody listens says nothing, and is nothing to speak of.
    if (this.#client.bytesRead === 0) this.#context.log.debug(fields, 'client closed');
    else this.#context.log.info(fields, 'client closed');
    this.#context.closed(this);
  }
}

function sightOf(upstream: Socket, relay: Relay, now: number): Sight {
  return {
    now,
    received: upstream.bytesRead,
    sent: upstream.bytesWritten - upstream.writableLength,
    backlog: upstream.writableLength > 0,
    noreply: relay.noreply,
    // While the client is slow, upstream is not read.
    answerable: relay.isAnswerable && !upstream.isPaused(),
  };
}
