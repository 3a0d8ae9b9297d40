// What becomes of each frame of the client's: it passes as it came, a feed of ours takes it, it waits for its turn, or it is refused.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import { HEADER_BYTES, readLength, readToken, type Token } from '../wire/frame.ts';
import { endsNoreply, isNoreply, queryType } from '../wire/query.ts';
import { errorBody } from '../wire/response.ts';
import { type FrameSink, Splitter, Verdict } from '../wire/splitter.ts';
import { ClientFeeds } from './client-feeds.ts';
import type { ClientConnection } from './client-query.ts';
import type { Held } from './connection-memory.ts';
import { HeldFrames } from './held-frames.ts';
import { HEAD_BYTES, Inspection } from './inspection.ts';
import type { NativeFeeds } from './native-feeds.ts';
import { OwedAnswers } from './owed-answers.ts';
import { refusedUnread } from './refused-unread.ts';
import type { ConnectionFacts, RelayEnds, RelayOptions } from './relay-options.ts';
import { queryTooLong } from './size-refusals.ts';
import type { Route, TokenTable } from './token-table.ts';

/** The settings of a connection's frames. */
interface ClientFramesSettings {
  readonly options: RelayOptions;
  readonly facts: ConnectionFacts;
  readonly ends: RelayEnds;
  readonly tokens: TokenTable;
  /** RethinkDB's own feeds. */
  readonly natives: NativeFeeds;
  /** Upstream's answers, of which those that have passed are counted. */
  readonly answers: Pick<Splitter, 'passed'>;
}

/** The frames of one client. */
export class ClientFrames {
  /** The feeds of the connection, to which frames go that do not pass. */
  readonly feeds: ClientFeeds;
  /** The answers that upstream owes for what has passed. */
  readonly owed: OwedAnswers;
  readonly #connection: ClientConnection;
  readonly #options: RelayOptions;
  readonly #facts: ConnectionFacts;
  /** Whether queries are answered in their order, one after the other. */
  readonly #isSerial: boolean;
  readonly #upstream: RelayEnds['upstream'];
  readonly #tokens: TokenTable;
  readonly #splitter: Splitter;
  readonly #inspection: Inspection;
  readonly #held: HeldFrames;
  /** Whether the frame that is arriving is looked at as it comes, rather than kept for later. */
  #inspecting = false;
  /** Why the frame that is dropped is, where that is not its length. */
  #dropped: ReqlError | undefined;
  #isClosed = false;

  constructor({ options, facts, ends, tokens, natives, answers }: ClientFramesSettings, connection: ClientConnection) {
    this.#connection = connection;
    this.#options = options;
    this.#facts = facts;
    this.#isSerial = facts.protocol === 'V0_3';
    this.#upstream = ends.upstream;
    this.#tokens = tokens;
    this.#held = new HeldFrames(ends.clientBrake);
    this.#inspection = new Inspection(options.maxQueryBytes);
    this.#splitter = new Splitter(this.#sink(), HEAD_BYTES);
    this.owed = new OwedAnswers(this.#splitter, answers, this.#inspection);
    this.feeds = new ClientFeeds({ options, facts, tokens, natives, owed: this.owed }, connection);
  }

  /** Bytes from the client. */
  push(chunk: Buffer): void {
    const passed = this.#splitter.passed;
    this.#splitter.push(chunk);
    this.#options.tally.queriesPassed += this.#splitter.passed - passed;
    this.#inspection.forget();
  }

  /** Whether a part of a frame has gone upstream, and the rest is still to come. */
  get isPassing(): boolean {
    return this.#splitter.passing;
  }

  /** Bytes of the frame that is gathered. */
  get gatheredBytes(): number {
    return this.#splitter.heldBytes;
  }

  /** Queries without an answer that upstream has been sent. */
  get noreply(): number {
    return this.#inspection.noreply;
  }

  /** Whether frames wait for their turn. */
  get areHeld(): boolean {
    return !this.#held.areNone;
  }

  /** Runs an action where a frame of the proxy's own may go upstream. */
  betweenFrames(action: () => void): void {
    this.#splitter.betweenFrames(action);
  }

  /** Lets frames that wait go on as far as nothing stands in their way any more. */
  replay(): void {
    if (!this.areHeld || this.#isClosed) return;
    for (const frame of this.#held.take()) {
      if (this.#take(frame)) continue;
      this.owed.replayed++;
      this.#options.tally.queriesPassed++;
      this.#upstream.write(frame);
    }
    this.#held.release();
  }

  /** The connection is gone. */
  close(): void {
    this.#isClosed = true;
    this.#held.clear();
  }

  /** What is kept of frames: the one that is gathered, and those that wait. */
  parts(): readonly Held[] {
    const splitter = this.#splitter;
    const held = this.#held;
    return [
      {
        get bytes() {
          return splitter.heldBytes;
        },
        drop: (error) => {
          if (splitter.drop()) this.#dropped = error;
        },
      },
      {
        get bytes() {
          return held.bytes;
        },
        drop: (error) => this.#dropHeld(error),
      },
    ];
  }

  #sink(): FrameSink {
    return {
      look: (bytes, start, end, length) => this.#look(bytes, start, end, length),
      more: (bytes, start, end) => (this.#inspecting ? this.#inspection.more(bytes, start, end) : Verdict.COLLECT),
      pass: (bytes) => this.#upstream.write(bytes),
      passing: (bytes, start, end) => {
        if (this.#inspecting) this.#inspection.passing(bytes, start, end);
      },
      passedOn: (tail) => {
        if (!this.#inspecting) return;
        this.#inspection.passedOn(tail);
        this.#readAnswer(tail);
      },
      dropped: (header, tail) => this.#refuse(readToken(header), readLength(header), tail),
      frame: (frame) => this.#take(frame),
    };
  }

  #look(bytes: Buffer, start: number, end: number, length: number): Verdict {
    this.#inspecting = false;
    if (this.areHeld || this.#mustWait) return Verdict.COLLECT;
    if (this.#tokens.size > 0 || !this.feeds.areNone) {
      const token = readToken(bytes, start);
      if (this.feeds.has(token) || this.#tokens.get(token) !== undefined) return Verdict.COLLECT;
    }
    this.#inspecting = true;
    const verdict = this.#inspection.look(bytes, start, end, length);
    // Asked first of all, since every query comes by here, and hardly any is too long.
    if (this.#inspection.hasUnread && verdict === Verdict.PASS && end - start - HEADER_BYTES === length) {
      this.#readAnswer(bytes.subarray(start, end));
    }
    return verdict;
  }

  /** Takes a whole frame, or leaves it to pass. */
  #take(frame: Buffer): boolean {
    const token = readToken(frame);
    const body = frame.subarray(HEADER_BYTES);
    if (this.feeds.answersForEnded(token, body)) return true;
    if (this.areHeld || this.#mustWait || this.#tokens.get(token) !== undefined) {
      this.#held.hold(frame);
      return true;
    }
    const taken = this.feeds.ask(token, body);
    if (taken !== undefined) return taken;
    if (queryType(body) !== QueryType.START || !this.#inspection.mayBeFeed(body, 0, body.length)) return false;
    if (!isNoreply(body)) return this.feeds.open(token, body);
    this.#inspection.countNoreply(body, 0, body.length);
    return false;
  }

  /** True when answering now would overtake a feed's answer that is still owed (V0_3 clients expect answers in order). */
  get #mustWait(): boolean {
    return this.#isSerial && this.feeds.areAsked;
  }

  /** Reads the answer to a query that was too long to be looked into: a refusal of the server's does not tell why it is one. */
  #readAnswer(tail: Buffer): void {
    const unread = this.#inspection.takeUnread();
    if (unread === undefined || endsNoreply(tail)) return;
    const { token, bytes } = unread;
    const route: Route = {
      response: (body) => {
        this.owed.answered++;
        this.#connection.release(token, route);
        const error = queryTooLong(bytes, this.#options.maxQueryBytes);
        this.#connection.sendToClient(token, refusedUnread(body, error) ?? body);
      },
    };
    this.#tokens.set(token, route);
  }

  /** Answers a live query that was too long to be kept, at its end. */
  #refuse(token: Token, bytes: number, tail: Buffer): void {
    const limit = this.#options.maxQueryBytes;
    const error = this.#dropped ?? queryTooLong(bytes, limit);
    const broken = this.#dropped === undefined ? limit : undefined;
    const { connection } = this.#connection;
    this.#options.observer.queryDropped({ connection, token, user: this.#facts.user, bytes, limit: broken });
    this.#dropped = undefined;
    if (!endsNoreply(tail)) this.#connection.sendToClient(token, errorBody(error));
  }

  /** Refuses the queries that wait. */
  #dropHeld(error: ReqlError): void {
    for (const frame of this.#held.take()) {
      const body = frame.subarray(HEADER_BYTES);
      if (!isNoreply(body)) this.#connection.sendToClient(readToken(frame), errorBody(error));
    }
    this.#held.release();
  }
}
