// The open phase of a connection: frames of the client go upstream, responses come back. All of it passes as the bytes it
// came in, but for the tokens in the table. Sans sockets but for the two outlets.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { Observer } from '../observer/observer.ts';
import type { Party } from '../observer/outcomes.ts';
import type { Tally } from '../observer/tally.ts';
import { buildFrame, buildFramePieces, HEADER_BYTES, readLength, readToken, type Token } from '../wire/frame.ts';
import { endsNoreply, isNoreply, queryType } from '../wire/query.ts';
import { errorBody } from '../wire/response.ts';
import { type FrameSink, Splitter, Verdict } from '../wire/splitter.ts';
import type { Schedule } from '../work/schedule.ts';
import { ClientFeeds } from './client-feeds.ts';
import type { ClientConnection, ClientQuery } from './client-query.ts';
import { ConnectionMemory, type Held } from './connection-memory.ts';
import { HeldFrames } from './held-frames.ts';
import { HEAD_BYTES, Inspection } from './inspection.ts';
import { TELLING_BYTES } from './native-feeds.ts';
import type { Outlet } from './outlet.ts';
import { OwedAnswers } from './owed-answers.ts';
import { refusedUnread } from './refused-unread.ts';
import type { ConnectionFacts, RelayEnds, RelayOptions } from './relay-options.ts';
import { ConnectionUpstream } from './shared-upstream.ts';
import { MOST_RESPONSE_BYTES, queryTooLong, responseTooLong } from './size-refusals.ts';
import { type Route, TokenTable } from './token-table.ts';

/**
 * Reads of fewer bytes hold a few changes: the client gets its documents before upstream is asked for more. Where there
 * are more, upstream is asked first, so that it works while they are folded.
 */
const PROMPT_BYTES = 4096;

/**
 * Queries that a server has in hand for one connection: it reads no more until one is answered (server.cc,
 * connection_loop: 1024). Some are left for others than the client's.
 */
const MOST_AT_ONCE = 1000;

/** Bytes that may wait for the client to read them before feeds hold their answers back. */
const MOST_UNREAD = 1024 * 1024;

/** Both directions of an open connection. */
export class Relay implements ClientConnection {
  readonly shared: ConnectionUpstream = new ConnectionUpstream(this);
  readonly connection: number;
  readonly #options: RelayOptions;
  readonly #facts: ConnectionFacts;
  /** Whether queries are answered in their order, one after the other. */
  readonly #isSerial: boolean;
  readonly #client: Outlet;
  readonly #upstream: Outlet;
  readonly #end: (reason: string) => void;
  readonly #memory: ConnectionMemory;
  readonly #tokens: TokenTable;
  readonly #feeds: ClientFeeds;
  readonly #fromClient: Splitter;
  readonly #fromUpstream: Splitter;
  readonly #inspection: Inspection;
  readonly #held: HeldFrames;
  readonly #owed: OwedAnswers;
  /** How many of the queries that want no reply are known to be done. */
  #noreplyDone = 0;
  /** Questions to upstream that have no answer yet. */
  #asking = 0;
  #onIdle: (() => void) | undefined;
  /** Whether the client has said anything. */
  #isUsed = false;
  #waitsForUse = false;
  #closed = false;
  /** Whether the frame that the client is sending is looked at as it comes, rather than kept for later. */
  #inspecting = false;
  /** Why the frame of the client that is dropped is, where that is not its length. */
  #dropped: ReqlError | undefined;
  #isUnread = false;
  /** Whether something of the last read from upstream was gathered for a feed, which may keep it. */
  #collected = false;

  constructor(options: RelayOptions, facts: ConnectionFacts, ends: RelayEnds, connection: number) {
    this.connection = connection;
    this.#options = options;
    this.#facts = facts;
    this.#isSerial = facts.protocol === 'V0_3';
    this.#client = ends.client;
    this.#upstream = ends.upstream;
    this.#held = new HeldFrames(ends.clientBrake);
    this.#end = (reason) => ends.end(reason);
    this.#memory = new ConnectionMemory(options.memory, this.#parts());
    this.#tokens = new TokenTable(options.makeToken);
    this.#inspection = new Inspection(options.maxQueryBytes);
    this.#fromClient = new Splitter(this.#clientSink(), HEAD_BYTES);
    this.#fromUpstream = new Splitter(this.#upstreamSink(), HEADER_BYTES + TELLING_BYTES);
    const owed = new OwedAnswers(this.#fromClient, this.#fromUpstream, this.#inspection);
    this.#owed = owed;
    this.#feeds = new ClientFeeds({ options, facts, tokens: this.#tokens, owed }, this);
  }

  /** Bytes from the client. */
  fromClient(chunk: Buffer): void {
    this.#isUsed = true;
    this.#upstream.gather();
    const passed = this.#fromClient.passed;
    this.#fromClient.push(chunk);
    this.tally.queriesPassed += this.#fromClient.passed - passed;
    this.#upstream.flush();
    this.#inspection.forget();
    this.#memory.check();
    if (this.#onIdle !== undefined) this.#checkIdle();
  }

  /** Bytes from upstream. */
  fromUpstream(chunk: Buffer): void {
    const prompt = chunk.length < PROMPT_BYTES;
    this.#client.gather();
    if (prompt) this.#upstream.gather();
    this.#collected = false;
    this.#fromUpstream.push(chunk);
    this.#client.flush();
    if (prompt) this.#upstream.flush();
    this.#memory.check();
    if (this.#onIdle !== undefined) this.#checkIdle();
  }

  /** Whether upstream owes an answer, and would answer a question of the proxy's at once. */
  get isAnswerable(): boolean {
    // V0_3 takes queries one at a time, and a question cannot overtake the rest of a frame.
    if (this.#isSerial || this.#fromClient.passing) return false;
    const inHand = this.#owed.count + this.#tokens.size;
    return (inHand > 0 || this.#fromUpstream.passing) && inHand < MOST_AT_ONCE;
  }

  /** Queries without an answer that upstream has been sent. */
  get noreply(): number {
    return this.#inspection.noreply;
  }

  /** Asks upstream whether it is there: for what it is, which takes it no time. The answer goes nowhere. */
  askForLife(): void {
    this.ask(`[${QueryType.SERVER_INFO}]`, () => {});
  }

  /** Whether bytes of the last read from upstream are still in use. */
  get keepsUpstream(): boolean {
    return this.#collected || this.#fromUpstream.heldBytes > 0 || this.#client.backlog > 0;
  }

  /** Whether upstream is not in the middle of an answer. */
  get betweenAnswers(): boolean {
    return !this.#fromUpstream.passing && this.#fromUpstream.heldBytes === 0;
  }

  /** Whether the client has said anything yet. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /**
   * The proxy stops: all feeds end with an error, those of RethinkDB's own too, and none is opened any more. Calls back when no
   * answer is owed to the client, `noreply` queries included, and, with `waitsForUse`, when there was a query.
   */
  drain(onIdle: () => void, waitsForUse: boolean): void {
    this.#onIdle = onIdle;
    this.#waitsForUse = waitsForUse;
    this.#feeds.drain();
    this.#checkIdle();
  }

  /** The client will ask nothing more, and why, and by whom: its feeds are over, and what still comes for them is dropped. */
  closeFeeds(reason: string, by: Party | undefined): void {
    this.#feeds.close(reason, by);
    this.shared.lost();
  }

  /** The connection is gone, and why, and by whom. */
  close(reason: string, by: Party | undefined): void {
    this.#closed = true;
    this.closeFeeds(reason, by);
    this.#tokens.clear();
    this.#held.clear();
    this.#memory.close();
    this.#onIdle = undefined;
  }

  sendToClient(token: Token, response: string | Buffer): void {
    if (this.#closed) return;
    const pieces = buildFramePieces(token, response);
    this.#fromUpstream.betweenFrames(() => {
      for (const piece of pieces) this.#client.add(piece);
    });
    if (this.#client.backlog > MOST_UNREAD) this.#waitForReader();
    if (this.#isSerial && !this.#held.areNone) queueMicrotask(() => this.#replay());
  }

  get memory(): MemoryBudget {
    return this.#options.memory;
  }

  get work(): Schedule {
    return this.#options.work;
  }

  get observer(): Observer {
    return this.#options.observer;
  }

  get tally(): Tally {
    return this.#options.tally;
  }

  get isUnread(): boolean {
    return this.#isUnread;
  }

  sendToUpstream(token: Token, query: string | Buffer): void {
    if (this.#closed) return;
    const frame = buildFrame(token, query);
    this.#fromClient.betweenFrames(() => this.#upstream.write(frame));
  }

  ask(query: string | Buffer, answer: (body: Buffer) => void): void {
    const route: Route = {
      response: (body) => {
        this.#asking--;
        this.release(token, route);
        answer(body);
      },
    };
    const token = this.claim(route);
    this.#asking++;
    this.sendToUpstream(token, query);
  }

  claim(route: Route): Token {
    const token = this.#tokens.fresh();
    this.#tokens.set(token, route);
    return token;
  }

  release(token: Token, route: Route): void {
    this.#tokens.delete(token, route);
    this.#replay();
  }

  over(query: ClientQuery): void {
    this.#feeds.over(query);
  }

  refusal(): ReqlError | undefined {
    return this.#feeds.refusal();
  }

  #clientSink(): FrameSink {
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
      frame: (frame) => this.#frame(frame),
    };
  }

  #upstreamSink(): FrameSink {
    return {
      look: (bytes, start, end, length) => this.#lookAtResponse(bytes, start, end, length),
      pass: (bytes) => this.#client.write(bytes),
      dropped: (header) => this.#tokens.get(readToken(header))?.response(Buffer.alloc(0)),
      frame: (frame) => {
        this.#collected = true;
        const route = this.#tokens.get(readToken(frame));
        if (route === undefined) return false;
        route.response(frame.subarray(HEADER_BYTES));
        this.memory.check();
        return true;
      },
    };
  }

  #lookAtResponse(bytes: Buffer, start: number, end: number, length: number): Verdict {
    const { natives } = this.#feeds;
    if (this.#tokens.size === 0 && natives.size === 0) return Verdict.PASS;
    const token = readToken(bytes, start);
    const route = this.#tokens.get(token);
    if (route !== undefined) {
      if (length <= MOST_RESPONSE_BYTES) return Verdict.COLLECT;
      // Nothing can be sent from inside a look.
      queueMicrotask(() => route.fail?.(responseTooLong(length)));
      return Verdict.DROP;
    }
    if (!natives.has(token)) return Verdict.PASS;
    const body = start + HEADER_BYTES;
    if (end - body < Math.min(TELLING_BYTES, length)) return Verdict.MORE;
    natives.answer(token, bytes, body);
    return Verdict.PASS;
  }

  #look(bytes: Buffer, start: number, end: number, length: number): Verdict {
    this.#inspecting = false;
    if (!this.#held.areNone || this.#mustWait) return Verdict.COLLECT;
    if (this.#tokens.size > 0 || !this.#feeds.areNone) {
      const token = readToken(bytes, start);
      if (this.#feeds.has(token) || this.#tokens.get(token) !== undefined) return Verdict.COLLECT;
    }
    this.#inspecting = true;
    const verdict = this.#inspection.look(bytes, start, end, length);
    if (verdict === Verdict.PASS && end - start - HEADER_BYTES === length) this.#readAnswer(bytes.subarray(start, end));
    return verdict;
  }

  /** Reads the answer to a query that was too long to be looked into: a refusal of the server's does not tell why it is one. */
  #readAnswer(tail: Buffer): void {
    const unread = this.#inspection.takeUnread();
    if (unread === undefined || endsNoreply(tail)) return;
    const { token, bytes } = unread;
    const route: Route = {
      response: (body) => {
        this.#owed.answered++;
        this.release(token, route);
        this.sendToClient(token, refusedUnread(body, queryTooLong(bytes, this.#options.maxQueryBytes)) ?? body);
      },
    };
    this.#tokens.set(token, route);
  }

  /** A live query that was too long to be kept has come to its end. */
  #refuse(token: Token, bytes: number, tail: Buffer): void {
    const limit = this.#options.maxQueryBytes;
    const error = this.#dropped ?? queryTooLong(bytes, limit);
    const broken = this.#dropped === undefined ? limit : undefined;
    const { connection } = this;
    this.observer.queryDropped({ connection, token, user: this.#facts.user, bytes, limit: broken });
    this.#dropped = undefined;
    if (!endsNoreply(tail)) this.sendToClient(token, errorBody(error));
  }

  /** What the connection holds in buffers. */
  #parts(): readonly Held[] {
    const relay = this;
    return [
      {
        get bytes() {
          return relay.#fromClient.heldBytes;
        },
        drop(error) {
          if (relay.#fromClient.drop()) relay.#dropped = error;
        },
      },
      {
        get bytes() {
          return relay.#fromUpstream.heldBytes;
        },
        drop(error) {
          const header = relay.#fromUpstream.collecting;
          const route = header === undefined ? undefined : relay.#tokens.get(readToken(header));
          if (route?.fail === undefined) return;
          route.fail(error);
          relay.#fromUpstream.drop();
        },
      },
      {
        get bytes() {
          return relay.#held.bytes;
        },
        drop: (error) => relay.#dropHeld(error),
      },
      {
        get bytes() {
          return relay.#isUnread ? relay.#client.backlog : 0;
        },
        drop: () => relay.#end('it does not read, and memory is short'),
      },
    ];
  }

  /** Queries that have to wait are refused instead. */
  #dropHeld(error: ReqlError): void {
    for (const frame of this.#held.take()) {
      const body = frame.subarray(HEADER_BYTES);
      if (!isNoreply(body)) this.sendToClient(readToken(frame), errorBody(error));
    }
    this.#held.release();
  }

  /** The client has much to read: feeds hold their answers back until it has read it all. */
  #waitForReader(): void {
    if (this.#isUnread) return;
    this.#isUnread = true;
    this.#memory.count();
    this.#client.onDrain(() => {
      this.#isUnread = false;
      this.#memory.count();
      this.#feeds.resume();
    });
  }

  /** Takes a frame of the client's, or leaves it to pass. */
  #frame(frame: Buffer): boolean {
    const token = readToken(frame);
    const body = frame.subarray(HEADER_BYTES);
    if (this.#feeds.answersForEnded(token, body)) return true;
    if (!this.#held.areNone || this.#mustWait || this.#tokens.get(token) !== undefined) {
      this.#held.hold(frame);
      return true;
    }
    const taken = this.#feeds.ask(token, body);
    if (taken !== undefined) return taken;
    if (queryType(body) !== QueryType.START || !this.#inspection.mayBeFeed(body, 0, body.length)) return false;
    if (!isNoreply(body)) return this.#feeds.open(token, body);
    this.#inspection.countNoreply(body, 0, body.length);
    return false;
  }

  /** Lets held frames go on as far as nothing stands in their way any more. */
  #replay(): void {
    if (this.#held.areNone || this.#closed) return;
    for (const frame of this.#held.take()) {
      if (this.#frame(frame)) continue;
      this.#owed.replayed++;
      this.tally.queriesPassed++;
      this.#upstream.write(frame);
    }
    this.#held.release();
  }

  /** Whether a query would overtake a feed's answer, which is not upstream's, where no query overtakes another. */
  get #mustWait(): boolean {
    return this.#isSerial && this.#feeds.areAsked;
  }

  #checkIdle(): void {
    const callback = this.#onIdle;
    if (callback === undefined || this.#owed.count > 0 || this.#asking > 0 || this.#fromUpstream.passing) return;
    if (this.#fromClient.heldBytes > 0 || (this.#waitsForUse && !this.#isUsed)) return;
    if (this.#noreplyDone < this.#inspection.noreply) {
      const asked = this.#inspection.noreply;
      this.ask(`[${QueryType.NOREPLY_WAIT}]`, () => {
        this.#noreplyDone = asked;
      });
      return;
    }
    this.#onIdle = undefined;
    callback();
  }
}
