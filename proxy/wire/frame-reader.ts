// Frames one by one, for an end that looks at all of them: a server, or a client of our own.

import { HEADER_BYTES, readToken, type Token } from './frame.ts';
import { Splitter, Verdict } from './splitter.ts';

/** The target to which a reader delivers. */
export interface FrameTarget {
  /** A whole frame. */
  frame(token: Token, body: Buffer): void;
  /** A frame whose claimed length is above the limit: its token and that length. Its bytes are dropped as they come. */
  oversized?(token: Token, length: number): void;
}

/** Reads every frame of a stream. Bodies longer than `limit` bytes are reported by their header and dropped. */
export class FrameReader {
  readonly #splitter: Splitter;

  constructor(target: FrameTarget, limit: number = Number.POSITIVE_INFINITY) {
    this.#splitter = new Splitter({
      look(bytes, start, _end, length) {
        if (length <= limit) return Verdict.COLLECT;
        target.oversized?.(readToken(bytes, start), length);
        return Verdict.PASS;
      },
      pass() {},
      frame(frame) {
        target.frame(readToken(frame), frame.subarray(HEADER_BYTES));
        return true;
      },
    });
  }

  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
  }

  /** Whether the stream stands between two frames. */
  get whole(): boolean {
    return this.#splitter.heldBytes === 0 && !this.#splitter.passing;
  }
}
