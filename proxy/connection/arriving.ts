// The first phase: a client that has not shown the magic number of a protocol yet. It costs its socket and no connection to
// upstream, so that whoever only connects takes nothing from RethinkDB.

import { Connecting } from './connecting.ts';
import { EarlyWrites } from './early-writes.ts';
import { HandshakeRelay } from './handshake-relay.ts';
import { FIRST_WORD_MS, type PhaseHost, QuietPhase } from './phase.ts';
import { Refused } from './refused.ts';

/** A client of which nothing is known. */
export class Arriving extends QuietPhase {
  override readonly isArriving: boolean = true;
  readonly #handshake: HandshakeRelay;
  readonly #toUpstream = new EarlyWrites();
  readonly #refusal: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `refusal`: why the client will not be served; `undefined` where it will be. */
  constructor(host: PhaseHost, refusal: string | undefined) {
    super(host);
    this.#refusal = refusal;
    this.#handshake = new HandshakeRelay({
      toClient: (bytes) => host.client.write(bytes),
      toUpstream: (bytes) => this.#toUpstream.write(bytes),
    });
  }

  fromClient(chunk: Buffer): void {
    this.#handshake.fromClient(chunk);
    if (!this.#handshake.hasMagic) return;
    const phase =
      this.#refusal === undefined
        ? new Connecting(this.host, this.#handshake, this.#toUpstream)
        : new Refused(this.host, this.#handshake.version, this.#refusal);
    this.host.enter(phase);
    phase.begin();
  }

  override drain(): void {
    this.#timer = setTimeout(() => this.host.end('proxy', 'stopping'), FIRST_WORD_MS);
  }

  override leave(): void {
    clearTimeout(this.#timer);
  }
}
