// The look at each frame of a client's: is it any business of ours? It sees bytes and says what becomes of them, as cheaply
// as it can, since it looks at everything.

import { QueryType } from '../rewrite/reql/protocol.ts';
import { TermType } from '../rewrite/reql/term-type.ts';
import { HEADER_BYTES } from './wire/frame.ts';
import { changesSearch, looksNoreply, mayHoldChanges, noreplySearch, queryType, rootTermType } from './wire/query.ts';
import { Verdict } from './wire/splitter.ts';

/** Bytes of a body that are enough to see the type of a query and of its root term in any spelling a driver uses. */
const BODY_HEAD_BYTES = 32;

/** The longest body that the server takes (protocols.cc): 128 MiB less one byte. */
const MOST_BYTES = 128 * 1024 * 1024 - 1;

/** The most bytes of a frame, header included, that a look may ask for. */
export const HEAD_BYTES: number = HEADER_BYTES + BODY_HEAD_BYTES;

/** Writes that cannot stand around a live expression: such queries, however long, stream through. */
const WRITES: ReadonlySet<number | undefined> = new Set([
  TermType.INSERT,
  TermType.UPDATE,
  TermType.REPLACE,
  TermType.DELETE,
]);

/** The looks at the frames of one client. */
export class Inspection {
  readonly #maxQueryBytes: number;
  readonly #changes = changesSearch();
  readonly #noreplies = noreplySearch();
  #noreply = 0;

  /** Queries with longer bodies than `maxQueryBytes` pass without a look. */
  constructor(maxQueryBytes: number) {
    this.#maxQueryBytes = Math.min(maxQueryBytes, MOST_BYTES);
  }

  /** Queries let pass so far that seem to want no reply. */
  get noreply(): number {
    return this.#noreply;
  }

  /** Collects a START that may hold CHANGES, and lets all else pass. The arguments are those of `FrameSink.look`. */
  look(bytes: Buffer, start: number, end: number, length: number): Verdict {
    const body = start + HEADER_BYTES;
    const type = queryType(bytes, body, end);
    const partial = end - body < length;
    // The server answers a length that it does not take before there is any body.
    if (length > this.#maxQueryBytes) return Verdict.PASS;
    if (type === undefined && partial) return end - body < BODY_HEAD_BYTES ? Verdict.MORE : Verdict.PASS;
    if (type !== QueryType.START) return Verdict.PASS;
    if (partial) {
      const root = rootTermType(bytes, body, end);
      if (root === undefined && end - body < BODY_HEAD_BYTES) return Verdict.MORE;
      return WRITES.has(root) ? Verdict.PASS : Verdict.COLLECT;
    }
    return this.mayBeFeed(bytes, body, end) ? Verdict.COLLECT : Verdict.PASS;
  }

  /** Whether a whole START may hold CHANGES; counts those that want no reply and may not. */
  mayBeFeed(bytes: Buffer, body: number, end: number): boolean {
    if (mayHoldChanges(bytes, body, end, this.#changes)) return true;
    this.countNoreply(bytes, body, end);
    return false;
  }

  countNoreply(bytes: Buffer, body: number, end: number): void {
    if (looksNoreply(bytes, body, end, this.#noreplies)) this.#noreply++;
  }

  /** Lets go of the bytes looked at. */
  forget(): void {
    this.#changes.forget();
    this.#noreplies.forget();
  }
}
