// A client that has shown its magic: it waits for its turn at the gate of handshakes, and then for a connection to upstream.

import type { Socket } from 'node:net';
import { Brake, Hold, Outlet } from '../relay/outlet.ts';
import type { Address } from '../upstream/address.ts';
import { handshakeError } from '../wire/handshake-message.ts';
import type { EarlyWrites } from './early-writes.ts';
import type { GatePass } from './handshake-gate.ts';
import type { HandshakeRelay } from './handshake-relay.ts';
import { Handshaking } from './handshaking.ts';
import { FIRST_WORD_MS, type PhaseHost, QuietPhase, STOPPING_TEXT } from './phase.ts';
import { Refused } from './refused.ts';

/** A client without an upstream yet. */
export class Connecting extends QuietPhase {
  readonly #handshake: HandshakeRelay;
  readonly #toUpstream: EarlyWrites;
  /** Holds the client: more of what it says could not be dealt with. */
  readonly #hold: Hold;
  readonly #pass: GatePass;
  #isConnected = false;
  #cancel: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(host: PhaseHost, handshake: HandshakeRelay, toUpstream: EarlyWrites) {
    super(host);
    this.#handshake = handshake;
    this.#toUpstream = toUpstream;
    this.#hold = new Hold(host.clientBrake);
    this.#pass = host.context.gate.pass();
  }

  begin(): void {
    if (this.host.isDraining) this.drain();
    this.#hold.hold();
    this.#pass.wait(() => this.#connect());
  }

  fromClient(chunk: Buffer): void {
    this.#handshake.fromClient(chunk);
  }

  override timedOut(): void {
    this.host.client.write(handshakeError(this.#handshake.version, 'The handshake took too long.'));
    super.timedOut();
  }

  override drain(): void {
    this.#timer ??= setTimeout(() => {
      this.host.client.write(handshakeError(this.#handshake.version, STOPPING_TEXT));
      this.host.end('proxy', 'stopping');
    }, FIRST_WORD_MS);
  }

  override leave(): void {
    clearTimeout(this.#timer);
    if (!this.#isConnected) {
      this.#cancel();
      this.#pass.leave();
    }
    this.#hold.release();
  }

  #connect(): void {
    this.#cancel = this.host.context.upstreams.connect({
      reads: this.host.reads,
      connected: (socket, address) => this.#connected(socket, address),
      failed: (reason) => {
        this.host.report.gaveUp('unreachable');
        const refused = new Refused(this.host, this.#handshake.version, `Cannot reach the upstream server: ${reason}.`);
        this.host.enter(refused);
        refused.begin();
      },
    });
  }

  #connected(socket: Socket, address: Address): void {
    const { client, clientBrake } = this.host;
    const upstream = {
      socket,
      address,
      toClient: new Outlet(client, new Brake(socket)),
      toUpstream: new Outlet(socket, clientBrake),
    };
    this.#isConnected = true;
    this.host.connected(upstream);
    this.#toUpstream.openTo(socket);
    const next = new Handshaking(this.host, this.#handshake, upstream, this.#pass);
    this.host.enter(next);
    next.begin();
  }
}
