// The open phase of a connection: bytes of the client go upstream, responses come back. All of it passes as the bytes it came in,
// but for what `client-frames.ts` and `upstream-frames.ts` keep. It has no sockets but the two outlets.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import { QueryType } from '../../rewrite/reql/protocol.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import type { Observer } from '../observer/observer.ts';
import type { Party } from '../observer/outcomes.ts';
import type { Tally } from '../observer/tally.ts';
import { buildFrame, buildFramePieces, type Token } from '../wire/frame.ts';
import type { Schedule } from '../work/schedule.ts';
import { ClientFrames } from './client-frames.ts';
import type { ClientConnection, ClientQuery } from './client-query.ts';
import { ConnectionMemory, type Held } from './connection-memory.ts';
import { NativeFeeds } from './native-feeds.ts';
import type { Outlet } from './outlet.ts';
import type { ConnectionFacts, RelayEnds, RelayOptions } from './relay-options.ts';
import { ConnectionUpstream } from './shared-upstream.ts';
import { type Route, TokenTable } from './token-table.ts';
import { UpstreamFrames } from './upstream-frames.ts';

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
  /** Whether queries are answered in their order, one after the other. */
  readonly #isSerial: boolean;
  readonly #client: Outlet;
  readonly #upstream: Outlet;
  readonly #end: (reason: string) => void;
  readonly #memory: ConnectionMemory;
  readonly #tokens: TokenTable;
  readonly #fromClient: ClientFrames;
  readonly #fromUpstream: UpstreamFrames;
  /** How many of the queries that want no reply are known to be done. */
  #noreplyDone = 0;
  /** Questions to upstream that have no answer yet. */
  #asking = 0;
  #onIdle: (() => void) | undefined;
  /** Whether the client has said anything. */
  #isUsed = false;
  #waitsForUse = false;
  #closed = false;
  #isUnread = false;

  constructor(options: RelayOptions, facts: ConnectionFacts, ends: RelayEnds, connection: number) {
    this.connection = connection;
    this.#options = options;
    this.#isSerial = facts.protocol === 'V0_3';
    this.#client = ends.client;
    this.#upstream = ends.upstream;
    this.#end = (reason) => ends.end(reason);
    this.#tokens = new TokenTable(options.makeToken);
    const natives = new NativeFeeds();
    const tokens = this.#tokens;
    const answers = new UpstreamFrames({ client: ends.client, tokens, natives, memory: options.memory });
    this.#fromUpstream = answers;
    this.#fromClient = new ClientFrames({ options, facts, ends, tokens, natives, answers }, this);
    this.#memory = new ConnectionMemory(options.memory, this.#parts());
  }

  /** Bytes from the client. */
  fromClient(chunk: Buffer): void {
    this.#isUsed = true;
    this.#upstream.gather();
    this.#fromClient.push(chunk);
    this.#upstream.flush();
    this.#memory.check();
    if (this.#onIdle !== undefined) this.#checkIdle();
  }

  /** Bytes from upstream. */
  fromUpstream(chunk: Buffer): void {
    const prompt = chunk.length < PROMPT_BYTES;
    this.#client.gather();
    if (prompt) this.#upstream.gather();
    this.#fromUpstream.push(chunk);
    this.#client.flush();
    if (prompt) this.#upstream.flush();
    this.#memory.check();
    if (this.#onIdle !== undefined) this.#checkIdle();
  }

  /** Whether upstream owes an answer, and would answer a question of the proxy's at once. */
  get isAnswerable(): boolean {
    // V0_3 takes queries one at a time, and a question cannot overtake the rest of a frame.
    if (this.#isSerial || this.#fromClient.isPassing) return false;
    const inHand = this.#fromClient.owed.count + this.#tokens.size;
    return (inHand > 0 || this.#fromUpstream.isPassing) && inHand < MOST_AT_ONCE;
  }

  /** Queries without an answer that upstream has been sent. */
  get noreply(): number {
    return this.#fromClient.noreply;
  }

  /** Asks upstream whether it is there: for what it is, which takes it no time. The answer goes nowhere. */
  askForLife(): void {
    this.ask(`[${QueryType.SERVER_INFO}]`, () => {});
  }

  /** Whether bytes of the last read from upstream are still in use. */
  get keepsUpstream(): boolean {
    return this.#fromUpstream.keepsBytes || this.#client.backlog > 0;
  }

  /** Whether upstream is not in the middle of an answer. */
  get betweenAnswers(): boolean {
    return this.#fromUpstream.areWhole;
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
    this.#fromClient.feeds.drain();
    this.#checkIdle();
  }

  /** The client will ask nothing more, and why, and by whom: its feeds are over, and what still comes for them is dropped. */
  closeFeeds(reason: string, by: Party | undefined): void {
    this.#fromClient.feeds.close(reason, by);
    this.shared.lost();
  }

  /** The connection is gone, and why, and by whom. */
  close(reason: string, by: Party | undefined): void {
    this.#closed = true;
    this.#fromClient.close();
    this.closeFeeds(reason, by);
    this.#tokens.clear();
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
    if (this.#isSerial && this.#fromClient.areHeld) queueMicrotask(() => this.#fromClient.replay());
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
    this.#fromClient.betweenFrames(() => this.#upstream.add(frame));
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
    this.#fromClient.replay();
  }

  over(query: ClientQuery): void {
    this.#fromClient.feeds.over(query);
  }

  refusal(): ReqlError | undefined {
    return this.#fromClient.feeds.refusal();
  }

  /** What the connection holds in buffers. */
  #parts(): readonly Held[] {
    const relay = this;
    return [
      ...this.#fromClient.parts(),
      this.#fromUpstream.part(),
      {
        get bytes() {
          return relay.#isUnread ? relay.#client.backlog : 0;
        },
        drop: () => relay.#end('it does not read, and memory is short'),
      },
    ];
  }

  /** The client has much to read: feeds hold their answers back until it has read it all. */
  #waitForReader(): void {
    if (this.#isUnread) return;
    this.#isUnread = true;
    this.#memory.count();
    this.#client.onDrain(() => {
      this.#isUnread = false;
      this.#memory.count();
      this.#fromClient.feeds.resume();
    });
  }

  #checkIdle(): void {
    const callback = this.#onIdle;
    if (callback === undefined || this.#fromClient.owed.count > 0 || this.#asking > 0 || this.#fromUpstream.isPassing)
      return;
    if (this.#fromClient.gatheredBytes > 0 || (this.#waitsForUse && !this.#isUsed)) return;
    if (this.#noreplyDone < this.#fromClient.noreply) {
      const asked = this.#fromClient.noreply;
      this.ask(`[${QueryType.NOREPLY_WAIT}]`, () => {
        this.#noreplyDone = asked;
      });
      return;
    }
    this.#onIdle = undefined;
    callback();
  }
}
