// The open phase of a connection: frames of the client go upstream, responses come back. All of it passes as the bytes it
// came in, but for the tokens in the table. Sans sockets but for the two outlets.

import { type ReqlError, resourceLimit } from '../../rewrite/reql/error.ts';
import { QueryType, ResponseType } from '../../rewrite/reql/protocol.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { Observer } from '../observer/observer.ts';
import type { Tally } from '../observer/tally.ts';
import { STOPPING } from '../stopping.ts';
import { buildFrame, buildFramePieces, HEADER_BYTES, readLength, readToken, type Token } from '../wire/frame.ts';
import { endsNoreply, isNoreply, queryType } from '../wire/query.ts';
import { errorBody, sequenceBody } from '../wire/response.ts';
import { type FrameSink, Splitter, Verdict } from '../wire/splitter.ts';
import type { Schedule } from '../work/schedule.ts';
import { type ClientConnection, ClientQuery } from './client-query.ts';
import { ConnectionMemory, type Held } from './connection-memory.ts';
import type { FeedQuery, OpenFeed, ProcessResources } from './feed-port.ts';
import { HEAD_BYTES, Inspection } from './inspection.ts';
import { NativeFeeds, TELLING_BYTES } from './native-feeds.ts';
import type { Brake, Outlet } from './outlet.ts';
import { QueryText } from './query-text.ts';
import { refusedUnread } from './refused-unread.ts';
import { ConnectionUpstream } from './shared-upstream.ts';
import { type Route, TokenTable } from './token-table.ts';

/**
 * Reads of fewer bytes hold a few changes: the client gets its documents before upstream is asked for more. Where there
 * are more, upstream is asked first, so that it works while they are folded.
 */
const PROMPT_BYTES = 4096;

/** What a relay is set up with; the same for all connections of a listener. */
export interface RelayOptions extends ProcessResources {
  readonly openFeed: OpenFeed;
  /** Feeds a client may have open at once. */
  readonly maxFeedsPerClient: number;
  /** Live queries with longer bodies are refused; other queries may have any length. */
  readonly maxQueryBytes: number;
  /** Whether logs may show the data in queries. */
  readonly logQueries: boolean;
  /** Makes tokens for the proxy's own queries; random ones if absent. */
  readonly makeToken?: (() => Token) | undefined;
}

/**
 * Queries that a server has in hand for one connection: it reads no more until one is answered (server.cc,
 * connection_loop: 1024). Some are left for others than the client's.
 */
const MOST_AT_ONCE = 1000;

/** Bytes that may wait for the client to read them before feeds hold their answers back. */
const MOST_UNREAD = 1024 * 1024;
/** A response to a feed is gathered whole. V8 makes no text of more than twice as many bytes. */
const MOST_RESPONSE_BYTES = 256 * 1024 * 1024;
/** Opening a query takes so many bytes of the heap for each of its own, for a moment: forty for an array of short numbers. */
const OPENING_PER_BYTE = 40;

/** What the handshake told about the connection. */
export type ConnectionFacts = Omit<FeedQuery, 'body'>;

/** The two ends of a connection, and what can be done to them. */
export interface RelayEnds {
  readonly client: Outlet;
  readonly upstream: Outlet;
  readonly clientBrake: Brake;
  /** Ends the connection in good order; the reason is for the log. */
  end(reason: string): void;
}

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
  readonly #clientBrake: Brake;
  readonly #end: (reason: string) => void;
  readonly #memory: ConnectionMemory;
  readonly #tokens: TokenTable;
  /** The feeds that are open, by the client's tokens. */
  readonly #feeds = new Map<Token, ClientQuery>();
  readonly #natives = new NativeFeeds();
  /** Feeds of RethinkDB's own that have ended because the proxy stops; the client may still ask for more of them. */
  readonly #endedNatives = new Set<Token>();
  readonly #fromClient: Splitter;
  readonly #fromUpstream: Splitter;
  readonly #inspection: Inspection;
  /** Frames of the client that have to wait, and all frames after them. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Held frames that went on. */
  #replayed = 0;
  /** How many of the queries that want no reply are known to be done. */
  #noreplyDone = 0;
  /** Questions to upstream that have no answer yet. */
  #asking = 0;
  /** Answers that are the proxy's own to queries that passed. */
  #answered = 0;
  #onIdle: (() => void) | undefined;
  /** Whether the client has said anything. */
  #isUsed = false;
  #waitsForUse = false;
  #draining = false;
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
    this.#clientBrake = ends.clientBrake;
    this.#end = (reason) => ends.end(reason);
    this.#memory = new ConnectionMemory(options.memory, this.#parts());
    this.#tokens = new TokenTable(options.makeToken);
    this.#inspection = new Inspection(options.maxQueryBytes);
    this.#fromClient = new Splitter(this.#clientSink(), HEAD_BYTES);
    this.#fromUpstream = new Splitter(this.#upstreamSink(), HEADER_BYTES + TELLING_BYTES);
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
    const inHand = this.#owed + this.#tokens.size;
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
    if (!this.#draining) {
      this.#draining = true;
      for (const feed of [...this.#feeds.values()]) feed.abort(STOPPING, 'stopping');
      for (const [token, asked] of this.#natives.all) this.#endNative(token, asked);
      this.#natives.clear();
    }
    this.#checkIdle();
  }

  /** The client will ask nothing more, and why: its feeds are over, and what still comes for them is dropped. */
  closeFeeds(reason: string): void {
    for (const feed of this.#feeds.values()) {
      feed.close(reason);
      feed.tellEnd();
    }
    this.#feeds.clear();
    this.shared.lost();
  }

  /** The connection is gone, and why. */
  close(reason: string): void {
    this.#closed = true;
    this.closeFeeds(reason);
    this.#tokens.clear();
    this.#held = [];
    this.#heldBytes = 0;
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
    if (this.#isSerial && this.#held.length > 0) queueMicrotask(() => this.#replay());
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
    if (this.#feeds.get(query.token) !== query) return;
    this.#feeds.delete(query.token);
    query.tellEnd();
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

  #look(bytes: Buffer, start: number, end: number, length: number): Verdict {
    this.#inspecting = false;
    if (this.#held.length > 0 || this.#mustWait) return Verdict.COLLECT;
    if (this.#feeds.size > 0 || this.#tokens.size > 0 || this.#natives.size > 0 || this.#endedNatives.size > 0) {
      const token = readToken(bytes, start);
      if (this.#feeds.has(token) || this.#tokens.get(token) !== undefined) return Verdict.COLLECT;
      if (this.#natives.has(token) || this.#endedNatives.has(token)) return Verdict.COLLECT;
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
        this.#answered++;
        this.release(token, route);
        this.sendToClient(token, refusedUnread(body, tooLong(bytes, this.#options.maxQueryBytes)) ?? body);
      },
    };
    this.#tokens.set(token, route);
  }

  /** A live query that was too long to be kept has come to its end. */
  #refuse(token: Token, bytes: number, tail: Buffer): void {
    const limit = this.#options.maxQueryBytes;
    const error = this.#dropped ?? tooLong(bytes, limit);
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
          return relay.#heldBytes;
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
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const frame of held) {
      const body = frame.subarray(HEADER_BYTES);
      if (!isNoreply(body)) this.sendToClient(readToken(frame), errorBody(error));
    }
    this.#clientBrake.release();
  }

  /** The client has much to read: feeds hold their answers back until it has read it all. */
  #waitForReader(): void {
    if (this.#isUnread) return;
    this.#isUnread = true;
    this.#memory.count();
    this.#client.onDrain(() => {
      this.#isUnread = false;
      this.#memory.count();
      for (const feed of [...this.#feeds.values()]) feed.resume();
    });
  }

  /** Takes a frame of the client's, or leaves it to pass. */
  #frame(frame: Buffer): boolean {
    const token = readToken(frame);
    const body = frame.subarray(HEADER_BYTES);
    if (this.#endedNatives.has(token) && this.#answersForNative(token, body)) return true;
    if (this.#held.length > 0 || this.#mustWait || this.#tokens.get(token) !== undefined) {
      if (this.#held.length === 0) this.#clientBrake.hold();
      this.#held.push(frame);
      this.#heldBytes += frame.length;
      return true;
    }
    const feed = this.#feeds.get(token);
    if (feed !== undefined) {
      feed.asked(body);
      return true;
    }
    if (this.#natives.has(token)) {
      this.#natives.ask(token);
      return false;
    }
    if (queryType(body) !== QueryType.START || !this.#inspection.mayBeFeed(body, 0, body.length)) return false;
    if (!isNoreply(body)) return this.#openFeed(token, body);
    this.#inspection.countNoreply(body, 0, body.length);
    return false;
  }

  #openFeed(token: Token, body: Buffer): boolean {
    if (!this.memory.hasRoom(OPENING_PER_BYTE * body.length)) {
      this.#dropped = shortOfMemory(body.length);
      this.#refuse(token, body.length, body.subarray(0, 0));
      return true;
    }
    // A copy: what is kept for the life of a feed must not keep the whole read it came in.
    const query = new QueryText(Buffer.from(body), this.#options.logQueries);
    const { user } = this.#facts;
    const asked = new ClientQuery(token, query, user, this);
    try {
      const feed = this.#options.openFeed({ body, ...this.#facts }, asked);
      if (feed === 'native' || (feed === undefined && !asked.isOver)) {
        asked.memory.close();
        return feed === 'native' ? this.#openNative(token) : false;
      }
      if (asked.isOver) {
        asked.tellEnd();
      } else if (feed !== undefined) {
        this.#feeds.set(token, asked);
        asked.open(feed);
      }
    } catch (error) {
      asked.failToOpen(error);
    }
    return true;
  }

  refusal(): ReqlError | undefined {
    if (this.#draining) return STOPPING;
    const most = this.#options.maxFeedsPerClient;
    if (this.#feeds.size < most) return undefined;
    return resourceLimit(`Too many live feeds on this connection: at most ${most}.`);
  }

  /** Lets a feed of RethinkDB's own pass, unless the proxy stops. */
  #openNative(token: Token): boolean {
    if (!this.#draining) {
      this.#natives.ask(token);
      return false;
    }
    this.sendToClient(token, errorBody(STOPPING));
    return true;
  }

  /** Ends a feed of RethinkDB's own: answers what the client waits for, and drops what upstream still sends. */
  #endNative(token: Token, asked: number): void {
    this.#endedNatives.add(token);
    let owed = asked + 1;
    const route: Route = {
      response: () => {
        owed--;
        if (owed === 0) this.release(token, route);
      },
    };
    this.#tokens.set(token, route);
    this.sendToUpstream(token, `[${QueryType.STOP}]`);
    for (let more = asked; more > 0; more--) this.sendToClient(token, errorBody(STOPPING));
    this.#answered += asked;
  }

  /** Answers a query of the client's for a feed that has ended because the proxy stops; another one begins anew. */
  #answersForNative(token: Token, body: Buffer): boolean {
    const type = queryType(body);
    if (type === QueryType.CONTINUE) this.sendToClient(token, errorBody(STOPPING));
    else if (type === QueryType.STOP) this.sendToClient(token, sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
    else this.#endedNatives.delete(token);
    return this.#endedNatives.has(token);
  }

  /** Lets held frames go on as far as nothing stands in their way any more. */
  #replay(): void {
    if (this.#held.length === 0 || this.#closed) return;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const frame of held) {
      if (this.#frame(frame)) continue;
      this.#replayed++;
      this.tally.queriesPassed++;
      this.#upstream.write(frame);
    }
    this.#clientBrake.release();
  }

  /** Whether a query would overtake a feed's answer, which is not upstream's, where no query overtakes another. */
  get #mustWait(): boolean {
    return this.#isSerial && [...this.#feeds.values()].some((feed) => feed.isAsked);
  }

  /** Answers owed to queries that passed. */
  get #owed(): number {
    return (
      this.#fromClient.passed + this.#replayed - this.#inspection.noreply - this.#answered - this.#fromUpstream.passed
    );
  }

  #checkIdle(): void {
    const callback = this.#onIdle;
    if (callback === undefined || this.#owed > 0 || this.#asking > 0 || this.#fromUpstream.passing) return;
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

function tooLong(bytes: number, limit: number): ReqlError {
  return resourceLimit(
    `This live query is ${bytes} bytes long, and Livefold takes ${limit} at most.  To raise the limit, set \`--max-query-bytes\` of the proxy.`,
  );
}

function responseTooLong(bytes: number): ReqlError {
  return resourceLimit(
    `The server answers a live query with ${bytes} bytes at once, and Livefold reads ${MOST_RESPONSE_BYTES} at most.  Watch fewer or smaller values.`,
  );
}

function shortOfMemory(bytes: number): ReqlError {
  return resourceLimit(
    `Livefold is too short of memory to take a live query of ${bytes} bytes apart.  To raise the limit, give Node a larger heap (\`NODE_OPTIONS=--max-old-space-size\`).`,
  );
}
