// The look at each frame of a client's: is it any business of ours? It sees bytes and says what becomes of them, as cheaply
// as it can, since it looks at everything. Of a long query nothing is gathered that need not be: what makes it ours stands at its
// beginning (wire/spine.ts).

import { isOverStreams } from '../../rewrite/analyze/native.ts';
import { unitesFeeds } from '../../rewrite/analyze/united.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { HEADER_BYTES, MAX_QUERY_BYTES, readToken, type Token } from '../wire/frame.ts';
import { callsChanges, changesSearch, looksNoreply, mayHoldChanges, noreplySearch, queryType } from '../wire/query.ts';
import { Spine } from '../wire/spine.ts';
import { Verdict } from '../wire/splitter.ts';

/** Bytes of a body that are enough to see the type of a query in any spelling a driver uses. */
const BODY_HEAD_BYTES = 32;

/** The most bytes of a frame, header included, that a look may ask for. */
export const HEAD_BYTES: number = HEADER_BYTES + BODY_HEAD_BYTES;

/**
 * Shorter queries are gathered whole, in however many pieces they come, so that what becomes of one is no matter of how it was cut
 * on its way. As much as one read holds: longer ones always come in pieces.
 */
const SHORT_BYTES = 64 * 1024;

/** What the spine of a query has shown so far. */
interface Seen {
  /** CHANGES is on it. */
  changes: boolean;
  /** A term is on it that takes several feeds: CHANGES may be beside it. */
  unites: boolean;
  /** A term under CHANGES hands on something other than rows, so that RethinkDB cannot watch it by itself. */
  computed: boolean;
}

/** A query that passed because it is too long to be kept, though a live feed may be beside others in it. */
export interface Unread {
  readonly token: Token;
  readonly bytes: number;
}

/** The looks at the frames of one client. */
export class Inspection {
  readonly #maxQueryBytes: number;
  readonly #changes = changesSearch();
  readonly #noreplies = noreplySearch();
  #noreply = 0;
  /** The query that is arriving in pieces. */
  #spine: Spine | undefined;
  #seen: Seen = { changes: false, unites: false, computed: false };
  #isTooLong = false;
  /** The query that passes, where it is too long to be looked into. */
  #unread: Unread | undefined;
  readonly #search = new CallSearch();

  /** Queries with bodies longer than `maxQueryBytes` are not gathered. */
  constructor(maxQueryBytes: number) {
    this.#maxQueryBytes = Math.min(maxQueryBytes, MAX_QUERY_BYTES);
  }

  /** Queries let pass so far that seem to want no reply. */
  get noreply(): number {
    return this.#noreply;
  }

  /**
   * Collects a START that may be ours, drops one that is ours and too long, and lets all else pass. The arguments are
   * those of `FrameSink.look`.
   */
  look(bytes: Buffer, start: number, end: number, length: number): Verdict {
    const body = start + HEADER_BYTES;
    const type = queryType(bytes, body, end);
    const partial = end - body < length;
    this.#spine = undefined;
    this.#unread = undefined;
    // The server answers a length that it does not take before there is any body.
    if (length > MAX_QUERY_BYTES) return Verdict.PASS;
    if (type === undefined && partial) return end - body < BODY_HEAD_BYTES ? Verdict.MORE : Verdict.PASS;
    if (type !== QueryType.START) return Verdict.PASS;
    const tooLong = length > this.#maxQueryBytes;
    if (!partial && !tooLong) return this.mayBeFeed(bytes, body, end) ? Verdict.COLLECT : Verdict.PASS;
    if (!tooLong && length <= SHORT_BYTES) return Verdict.COLLECT;
    this.#begin(tooLong);
    if (tooLong) this.#unread = { token: readToken(bytes, start), bytes: length };
    const verdict = this.more(bytes, body, end);
    if (!partial) return this.#whole(verdict, bytes, body, end);
    return verdict;
  }

  /** More of the query that was last looked at has come: `bytes[start..end)`. */
  more(bytes: Buffer, start: number, end: number): Verdict {
    const spine = this.#spine;
    if (spine === undefined || spine.ended) return Verdict.COLLECT;
    spine.push(bytes, start, end);
    if (!spine.ended) return Verdict.COLLECT;
    if (!this.#seen.changes) return this.#seen.unites && !this.#isTooLong ? Verdict.COLLECT : Verdict.PASS;
    if (!this.#isTooLong) return Verdict.COLLECT;
    return this.#seen.computed ? Verdict.DROP : Verdict.PASS;
  }

  /** A part of a query passes. */
  passing(bytes: Buffer, start: number, end: number): void {
    if (this.#isUnread) this.#search.push(bytes, start, end);
  }

  /** A query that passed in pieces has passed; these are its last bytes. */
  passedOn(tail: Buffer): void {
    if (this.#spine !== undefined) this.countNoreply(tail, 0, tail.length);
  }

  /** Whether the query that is passing, or has passed last, is too long to be looked into. */
  get hasUnread(): boolean {
    return this.#unread !== undefined;
  }

  /** The query that has passed last, once, if CHANGES is called somewhere in it, and nobody has looked where. */
  takeUnread(): Unread | undefined {
    const unread = this.#isUnread && this.#search.found ? this.#unread : undefined;
    this.#unread = undefined;
    return unread;
  }

  /** Whether feeds may be beside others in a query that was too long to be kept. */
  get #isUnread(): boolean {
    return this.#unread !== undefined && this.#seen.unites && !this.#seen.changes;
  }

  /** Whether a whole START may be a feed of ours; counts those that want no reply and may not. */
  mayBeFeed(bytes: Buffer, body: number, end: number): boolean {
    if (mayHoldChanges(bytes, body, end, this.#changes) && holdsChanges(bytes, body, end)) return true;
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

  #begin(tooLong: boolean): void {
    this.#search.begin();
    const seen: Seen = { changes: false, unites: false, computed: false };
    this.#seen = seen;
    this.#isTooLong = tooLong;
    this.#spine = new Spine((type) => {
      if (!seen.changes) {
        seen.unites ||= unitesFeeds(type);
        seen.changes = type === TermType.CHANGES;
        return tooLong || !seen.changes;
      }
      seen.computed = type !== TermType.TABLE && !isOverStreams(type);
      return type !== TermType.TABLE && !seen.computed;
    });
  }

  /** A query that is too long, and all of it is at hand. What its spine leaves open is the server's business. */
  #whole(verdict: Verdict, bytes: Buffer, body: number, end: number): Verdict {
    if (verdict === Verdict.DROP) return verdict;
    this.passing(bytes, body, end);
    this.countNoreply(bytes, body, end);
    return Verdict.PASS;
  }
}

/** So many bytes at the end of a part may be the beginning of a call. */
const OVERLAP_BYTES = 64;

/** Looks for a call of CHANGES in bytes that come in parts. */
class CallSearch {
  #end: Buffer = Buffer.alloc(0);
  found = false;

  begin(): void {
    this.#end = Buffer.alloc(0);
    this.found = false;
  }

  push(bytes: Buffer, start: number, end: number): void {
    if (this.found) return;
    const seam = Buffer.concat([this.#end, bytes.subarray(start, Math.min(end, start + OVERLAP_BYTES))]);
    this.found = callsChanges(seam, 0, seam.length) || callsChanges(bytes, start, end);
    this.#end =
      end - start < OVERLAP_BYTES
        ? seam.subarray(-OVERLAP_BYTES)
        : Buffer.from(bytes.subarray(end - OVERLAP_BYTES, end));
  }
}

/**
 * Whether a whole query that holds CHANGES has it on its spine, or in a feed that is united there, or where no feed can be, which
 * is refused.
 */
function holdsChanges(bytes: Buffer, body: number, end: number): boolean {
  let found = false;
  const spine = new Spine((type) => {
    found = type === TermType.CHANGES || unitesFeeds(type);
    return !found;
  });
  spine.push(bytes, body, end);
  return found || callsChanges(bytes, body, end);
}
