// A client that is not served: it is told why in its own protocol, and its connection ends.

import type { Version } from '../../rewrite/reql/protocol.ts';
import { handshakeError } from '../wire/handshake-message.ts';
import { type PhaseHost, QuietPhase } from './phase.ts';

/** A client that is told why it is not served. */
export class Refused extends QuietPhase {
  readonly #version: Version | undefined;
  readonly #refusal: string;

  constructor(host: PhaseHost, version: Version | undefined, refusal: string) {
    super(host);
    this.#version = version;
    this.#refusal = refusal;
  }

  begin(): void {
    this.host.client.write(handshakeError(this.#version, this.#refusal));
    this.host.end('proxy', `refused: ${this.#refusal}`);
  }

  fromClient(_chunk: Buffer): void {}
}
