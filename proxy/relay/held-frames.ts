// Frames of the client that have to wait for their turn, and all frames after them. While there are some, the client is not read.

import type { Brake } from './outlet.ts';

/** The frames that wait on one connection. */
export class HeldFrames {
  readonly #brake: Brake;
  #frames: Buffer[] = [];
  #bytes = 0;

  /** `brake` holds the client. */
  constructor(brake: Brake) {
    this.#brake = brake;
  }

  get areNone(): boolean {
    return this.#frames.length === 0;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(frame: Buffer): void {
    if (this.areNone) this.#brake.hold();
    this.#frames.push(frame);
    this.#bytes += frame.length;
  }

  /** Takes all out. Callers owe `release` when they are done with them. */
  take(): readonly Buffer[] {
    const frames = this.#frames;
    this.clear();
    return frames;
  }

  /** The client may be read again. */
  release(): void {
    this.#brake.release();
  }

  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
  }
}
