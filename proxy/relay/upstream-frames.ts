// What becomes of each frame of upstream's: it passes to the client as it came, or it answers a query of the proxy's own.

import type { MemoryBudget } from '../memory/memory-budget.ts';
import { HEADER_BYTES, readToken } from '../wire/frame.ts';
import { type FrameSink, Splitter, Verdict } from '../wire/splitter.ts';
import type { Held } from './connection-memory.ts';
import { type NativeFeeds, TELLING_BYTES } from './native-feeds.ts';
import type { Outlet } from './outlet.ts';
import { MOST_RESPONSE_BYTES, responseTooLong } from './size-refusals.ts';
import type { TokenTable } from './token-table.ts';

/** The settings of the frames of one connection's upstream. */
interface UpstreamFramesSettings {
  readonly client: Outlet;
  /** Who gets the answers to the proxy's own queries. */
  readonly tokens: TokenTable;
  /** RethinkDB's own feeds, whose answers are looked at as they pass. */
  readonly natives: NativeFeeds;
  readonly memory: MemoryBudget;
}

/** The frames of upstream on one connection. */
export class UpstreamFrames {
  readonly #client: Outlet;
  readonly #tokens: TokenTable;
  readonly #natives: NativeFeeds;
  readonly #memory: MemoryBudget;
  readonly #splitter: Splitter;
  /** Whether something of the last read was gathered for a feed, which may keep it. */
  #collected = false;

  constructor({ client, tokens, natives, memory }: UpstreamFramesSettings) {
    this.#client = client;
    this.#tokens = tokens;
    this.#natives = natives;
    this.#memory = memory;
    this.#splitter = new Splitter(this.#sink(), HEADER_BYTES + TELLING_BYTES);
  }

  /** Bytes from upstream. */
  push(chunk: Buffer): void {
    this.#collected = false;
    this.#splitter.push(chunk);
  }

  /** Whether a part of a frame has gone to the client, and the rest is still to come. */
  get isPassing(): boolean {
    return this.#splitter.passing;
  }

  /** Frames that have passed so far, the one that is passing included. */
  get passed(): number {
    return this.#splitter.passed;
  }

  /** Whether upstream is not in the middle of an answer. */
  get areWhole(): boolean {
    return !this.#splitter.passing && this.#splitter.heldBytes === 0;
  }

  /** Whether bytes of the last read are still in use. */
  get keepsBytes(): boolean {
    return this.#collected || this.#splitter.heldBytes > 0;
  }

  /** Runs an action where a frame of the proxy's own may go to the client. */
  betweenFrames(action: () => void): void {
    this.#splitter.betweenFrames(action);
  }

  /** What is kept of the frame that is gathered. */
  part(): Held {
    const splitter = this.#splitter;
    const tokens = this.#tokens;
    return {
      get bytes() {
        return splitter.heldBytes;
      },
      drop(error) {
        const header = splitter.collecting;
        const route = header === undefined ? undefined : tokens.get(readToken(header));
        if (route?.fail === undefined) return;
        route.fail(error);
        splitter.drop();
      },
    };
  }

  #sink(): FrameSink {
    return {
      look: (bytes, start, end, length) => this.#look(bytes, start, end, length),
      pass: (bytes) => this.#client.write(bytes),
      dropped: (header) => this.#tokens.get(readToken(header))?.response(Buffer.alloc(0)),
      frame: (frame) => this.#take(frame),
    };
  }

  #look(bytes: Buffer, start: number, end: number, length: number): Verdict {
    if (this.#tokens.size === 0 && this.#natives.size === 0) return Verdict.PASS;
    const token = readToken(bytes, start);
    const route = this.#tokens.get(token);
    if (route !== undefined) {
      if (length <= MOST_RESPONSE_BYTES) return Verdict.COLLECT;
      // Nothing can be sent from inside a look.
      queueMicrotask(() => route.fail?.(responseTooLong(length)));
      return Verdict.DROP;
    }
    if (!this.#natives.has(token)) return Verdict.PASS;
    const body = start + HEADER_BYTES;
    if (end - body < Math.min(TELLING_BYTES, length)) return Verdict.MORE;
    this.#natives.answer(token, bytes, body);
    return Verdict.PASS;
  }

  /** Gives a whole frame to whoever asked for it; `false` where nobody of the proxy's did. */
  #take(frame: Buffer): boolean {
    this.#collected = true;
    const route = this.#tokens.get(readToken(frame));
    if (route === undefined) return false;
    route.response(frame.subarray(HEADER_BYTES));
    this.#memory.check();
    return true;
  }
}
