// The feeds of one connection, ours and RethinkDB's own: how they open, what the client asks of them, and how they end.

import { type ReqlError, resourceLimit } from '../../rewrite/reql/error.ts';
import { QueryType, ResponseType } from '../../rewrite/reql/protocol.ts';
import type { Party } from '../observer/outcomes.ts';
import { STOPPING } from '../stopping.ts';
import type { Token } from '../wire/frame.ts';
import { queryType } from '../wire/query.ts';
import { errorBody, sequenceBody } from '../wire/response.ts';
import { type ClientConnection, ClientQuery } from './client-query.ts';
import type { NativeFeeds } from './native-feeds.ts';
import type { OwedAnswers } from './owed-answers.ts';
import { QueryText } from './query-text.ts';
import type { ConnectionFacts, RelayOptions } from './relay-options.ts';
import { shortOfMemory } from './size-refusals.ts';
import type { Route, TokenTable } from './token-table.ts';

/** Opening a query takes so many bytes of the heap for each of its own, for a moment: forty for an array of short numbers. */
const OPENING_PER_BYTE = 40;

/** What feeds are opened with. */
interface ClientFeedsSettings {
  readonly options: RelayOptions;
  readonly facts: ConnectionFacts;
  readonly tokens: TokenTable;
  /** RethinkDB's own feeds, which pass. */
  readonly natives: NativeFeeds;
  readonly owed: OwedAnswers;
}

/** The feeds of one connection, by the client's tokens. */
export class ClientFeeds {
  readonly #options: RelayOptions;
  readonly #facts: ConnectionFacts;
  readonly #connection: ClientConnection;
  readonly #tokens: TokenTable;
  readonly #owed: OwedAnswers;
  readonly #feeds = new Map<Token, ClientQuery>();
  /** RethinkDB's own, which pass. */
  readonly #natives: NativeFeeds;
  /** Feeds of RethinkDB's own that have ended because the proxy stops; the client may still ask for more of them. */
  readonly #endedNatives = new Set<Token>();
  #draining = false;

  constructor({ options, facts, tokens, natives, owed }: ClientFeedsSettings, connection: ClientConnection) {
    this.#options = options;
    this.#facts = facts;
    this.#connection = connection;
    this.#tokens = tokens;
    this.#natives = natives;
    this.#owed = owed;
  }

  /** Whether there are none, RethinkDB's own included. */
  get areNone(): boolean {
    return this.#feeds.size === 0 && this.#natives.size === 0 && this.#endedNatives.size === 0;
  }

  /** Whether a token is one of a feed's. */
  has(token: Token): boolean {
    return this.#feeds.has(token) || this.#natives.has(token) || this.#endedNatives.has(token);
  }

  /** Whether the client waits for an answer of one of ours. */
  get areAsked(): boolean {
    return [...this.#feeds.values()].some((feed) => feed.isAsked);
  }

  /** A query under the token of a feed: says whether it is for one of ours, and thus answered; `undefined` where it is for none. */
  ask(token: Token, body: Buffer): boolean | undefined {
    const feed = this.#feeds.get(token);
    if (feed !== undefined) {
      feed.asked(body);
      return true;
    }
    if (!this.#natives.has(token)) return undefined;
    this.#natives.ask(token);
    return false;
  }

  /** Makes a feed of a query; says whether it is one of ours, or refused. */
  open(token: Token, body: Buffer): boolean {
    if (!this.#options.memory.hasRoom(OPENING_PER_BYTE * body.length)) {
      this.#refuseForMemory(token, body.length);
      return true;
    }
    const query = new QueryText(body, this.#options.logQueries);
    const { user } = this.#facts;
    const asked = new ClientQuery(token, query, user, this.#connection);
    try {
      const feed = this.#options.openFeed({ body, ...this.#facts }, asked);
      if (feed === 'native' || (feed === undefined && !asked.isOver)) {
        asked.letGo();
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
      asked.tellEnd();
    }
    return true;
  }

  /** Why the client may not have one more; `undefined` where it may. */
  refusal(): ReqlError | undefined {
    if (this.#draining) return STOPPING;
    const most = this.#options.maxFeedsPerClient;
    if (this.#feeds.size < most) return undefined;
    return resourceLimit(
      `Too many live feeds on this connection: at most ${most}.  Close some of them, or raise \`--max-feeds-per-client\` of the proxy.`,
    );
  }

  /** A feed is over: its token is free. */
  over(query: ClientQuery): void {
    if (this.#feeds.get(query.token) !== query) return;
    this.#feeds.delete(query.token);
    query.tellEnd();
  }

  /** The client has read all that it was sent. */
  resume(): void {
    for (const feed of [...this.#feeds.values()]) feed.resume();
  }

  /** The proxy stops: all end with an error, those of RethinkDB's own too, and none is opened any more. */
  drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    for (const feed of [...this.#feeds.values()]) feed.abort(STOPPING, 'stopping');
    for (const [token, asked] of this.#natives.all) this.#endNative(token, asked);
    this.#natives.clear();
  }

  /** The client will ask nothing more, and why, and by whom. */
  close(reason: string, by: Party | undefined): void {
    for (const feed of this.#feeds.values()) {
      feed.close(reason, by);
      feed.tellEnd();
    }
    this.#feeds.clear();
  }

  /** Lets a feed of RethinkDB's own pass, unless the proxy stops. */
  #openNative(token: Token): boolean {
    if (!this.#draining) {
      this.#natives.ask(token);
      return false;
    }
    this.#connection.sendToClient(token, errorBody(STOPPING));
    return true;
  }

  /** Ends a feed of RethinkDB's own: answers what the client waits for, and drops what upstream still sends. */
  #endNative(token: Token, asked: number): void {
    this.#endedNatives.add(token);
    let owed = asked + 1;
    const route: Route = {
      response: () => {
        owed--;
        if (owed === 0) this.#connection.release(token, route);
      },
    };
    this.#tokens.set(token, route);
    this.#connection.sendToUpstream(token, `[${QueryType.STOP}]`);
    for (let more = asked; more > 0; more--) this.#connection.sendToClient(token, errorBody(STOPPING));
    this.#owed.answered += asked;
  }

  /**
   * Answers a query of the client's for a feed of RethinkDB's that has ended because the proxy stops, and says whether it has; another
   * query begins anew.
   */
  answersForEnded(token: Token, body: Buffer): boolean {
    if (!this.#endedNatives.has(token)) return false;
    const type = queryType(body);
    if (type === QueryType.CONTINUE) this.#connection.sendToClient(token, errorBody(STOPPING));
    else if (type === QueryType.STOP)
      this.#connection.sendToClient(token, sequenceBody(ResponseType.SUCCESS_SEQUENCE, []));
    else this.#endedNatives.delete(token);
    return this.#endedNatives.has(token);
  }

  #refuseForMemory(token: Token, bytes: number): void {
    const { connection } = this.#connection;
    const { user } = this.#facts;
    this.#options.observer.queryDropped({ connection, token, user, bytes, limit: undefined });
    this.#connection.sendToClient(token, errorBody(shortOfMemory(bytes)));
  }
}
