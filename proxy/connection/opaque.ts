// A connection that the proxy does not understand, or that upstream has refused: bytes pass both ways unseen.

import { type PhaseHost, QuietPhase, type Upstream } from './phase.ts';

/** Bytes that pass unseen. */
export class Opaque extends QuietPhase {
  readonly #upstream: Upstream;

  constructor(host: PhaseHost, upstream: Upstream) {
    super(host);
    this.#upstream = upstream;
  }

  fromClient(chunk: Buffer): void {
    this.#upstream.toUpstream.write(chunk);
  }

  override fromUpstream(chunk: Buffer): boolean {
    this.#upstream.toClient.write(chunk);
    return true;
  }

  override clientEnded(): void {
    this.#upstream.socket.end();
  }
}
