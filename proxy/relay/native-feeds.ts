// Feeds of RethinkDB's own on one connection, which pass untouched: which are open, and what is owed to the client for them.
// It is known so that they can be ended with an error when the proxy stops.

import { ResponseType } from '../../rewrite/reql/protocol.ts';
import type { Token } from '../wire/frame.ts';

/** How a response that is not the last of a feed begins: `t` comes first (json.cc). */
const PARTIAL = Buffer.from(`{"t":${ResponseType.SUCCESS_PARTIAL},`);

/** Bytes of a response's body that tell whether it is the last. */
export const TELLING_BYTES: number = PARTIAL.length;

/** The feeds by the client's tokens, which are theirs upstream too. */
export class NativeFeeds {
  readonly #asked = new Map<Token, number>();

  get size(): number {
    return this.#asked.size;
  }

  /** Each feed, with the answers that the client waits for. */
  get all(): readonly (readonly [Token, number])[] {
    return [...this.#asked];
  }

  has(token: Token): boolean {
    return this.#asked.has(token);
  }

  /** The client asks: it opens the feed, or asks it for more. */
  ask(token: Token): void {
    this.#asked.set(token, (this.#asked.get(token) ?? 0) + 1);
  }

  /** Upstream answers with a response whose body begins at `start`: the feed is over unless that says there is more. */
  answer(token: Token, bytes: Buffer, start: number): void {
    const asked = this.#asked.get(token);
    if (asked === undefined) return;
    if (PARTIAL.equals(bytes.subarray(start, start + TELLING_BYTES))) this.#asked.set(token, asked - 1);
    else this.#asked.delete(token);
  }

  /** Lets go of all. */
  clear(): void {
    this.#asked.clear();
  }
}
