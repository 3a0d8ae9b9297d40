// What the report of one process that serves clients says: its totals, its clients and its live queries, read from who is there.

import { readHeap } from '../../proxy/memory/heap.ts';
import type { MemoryReading } from '../../proxy/memory/memory-budget.ts';
import type { ObservedFeed, ObservedSession, ObservedShare } from '../../proxy/observer/observer.ts';
import type { Tally } from '../../proxy/observer/tally.ts';
import { printAddress } from '../../proxy/upstream/address.ts';
import { feedCosts } from './feed-cost.ts';
import type { ProcessStatus } from './question.ts';
import { factsOfFeed, type Roster, type ShareFacts } from './roster.ts';
import type { ClientStatus, FeedDetail, FeedStatus, Moment, SubscriberStatus, UpstreamStatus } from './status.ts';

/** The most clients, feeds and subscribers that are listed. */
const MOST_LISTED = 1000;
const MS_PER_SECOND = 1000;

/** Whom the report is read from. */
export interface Reported {
  readonly roster: Roster;
  readonly tally: Tally;
  memory(): MemoryReading;
  upstreams(): readonly UpstreamStatus[];
}

/** The report of one process. */
export class ProcessReport {
  readonly #id: number;
  readonly #startedAt: number = Date.now();
  readonly #of: Reported;
  readonly #roster: Roster;

  /**
   * @param id the number of the worker; 0 where there is no supervisor
   * @param of is read anew for each report
   */
  constructor(id: number, of: Reported) {
    this.#id = id;
    this.#of = of;
    this.#roster = of.roster;
  }

  /** The process as it is. */
  status(): ProcessStatus {
    const { sessions, feeds, shares, bytes } = this.#roster;
    const followers = this.#followers();
    const passing = [...feeds].filter(({ share }) => share === undefined);
    const carrying = shares.size + passing.length;
    const ofClients = this.#ofClients();
    const { rows, state, heap, maxMemory } = this.#of.memory();
    const { limit, used } = readHeap();
    const letIn = [...sessions.values()].filter(({ protocol }) => protocol !== undefined).length;
    const carriers = [...shares.values()];
    const listed = [
      ...carriers.map((share) => this.#feed(share, followers.get(share) ?? [])),
      ...passing.map((feed) => this.#passing(feed)),
    ];
    return {
      worker: {
        id: this.#id,
        pid: process.pid,
        startedAt: momentOf(this.#startedAt),
        clients: letIn,
        feeds: carrying,
        residentBytes: process.memoryUsage.rss(),
        heapBytes: used,
        heapLimitBytes: limit,
        maxMemoryBytes: maxMemory,
        keptBytes: heap,
      },
      totals: {
        clients: letIn,
        subscribers: feeds.size,
        feeds: carrying,
        healing: carriers.filter(({ isHealing }) => isHealing).length,
        stateRows: rows,
        stateBytes: state,
        waitingBytes: heap - state,
        queriesPassed: this.#of.tally.queriesPassed,
        changesRead: this.#of.tally.changesRead,
        documents: this.#of.tally.documents,
        workSeconds: workSeconds(this.#roster.workMs),
        load: loadOf(this.#roster),
        bytesFromClients: bytes.clientRead,
        bytesToClients: bytes.clientWritten,
      },
      clients: most(
        [...sessions.values()].map((session) => this.#client(session, ofClients.get(session.id) ?? NO_FEEDS)),
        ({ waitingBytes, feeds: open }) => waitingBytes + open,
      ),
      feeds: most(listed, feedCosts(listed)),
      upstreams: this.#of.upstreams(),
    };
  }

  /** Live queries by the share that they follow. */
  #followers(): ReadonlyMap<ObservedShare, readonly ObservedFeed[]> {
    const followers = new Map<ObservedShare, ObservedFeed[]>();
    for (const feed of this.#roster.feeds) {
      if (feed.share === undefined) continue;
      const known = followers.get(feed.share);
      if (known === undefined) followers.set(feed.share, [feed]);
      else known.push(feed);
      this.#roster.note(feed);
    }
    return followers;
  }

  /** The live queries of each connection, summed up. */
  #ofClients(): ReadonlyMap<number, ClientFeeds> {
    const all = new Map<number, ClientFeeds>();
    for (const { connection, unaskedBytes } of this.#roster.feeds) {
      const { feeds, bytes } = all.get(connection) ?? NO_FEEDS;
      all.set(connection, { feeds: feeds + 1, bytes: bytes + unaskedBytes });
    }
    return all;
  }

  #client(session: ObservedSession, { feeds, bytes }: ClientFeeds): ClientStatus {
    const { id, user = null, protocol = null, upstream, ageMs, bytesRead, bytesWritten } = session;
    return {
      id: this.#idOf(id),
      address: clientAddress(session),
      user,
      protocol,
      upstream: upstream === undefined ? null : printAddress(upstream),
      connectedAt: before(ageMs),
      ageSeconds: seconds(ageMs),
      feeds,
      waitingBytes: session.waitingBytes + bytes,
      bytesRead,
      bytesWritten,
    };
  }

  #feed(share: ObservedShare, followers: readonly ObservedFeed[]): FeedStatus {
    const facts = this.#roster.factsOf(share);
    const { ageMs, lastStepAgeMs, lastHealing } = share;
    return {
      id: this.#idOf(share.id),
      query: facts?.text.toJSON() ?? '…',
      user: facts?.user ?? null,
      plan: share.plan,
      openedAt: before(ageMs),
      ageSeconds: seconds(ageMs),
      subscribers: share.size,
      privateBecause: facts?.privateBecause ?? null,
      ...keptFor([share, ...followers]),
      documents: share.documents,
      changesRead: share.changesRead,
      workSeconds: workSeconds(share.workMs),
      load: loadOf(share),
      frontierAgeSeconds: Math.round(share.frontierAgeMs) / MS_PER_SECOND,
      lastChangeAt: lastStepAgeMs === undefined ? null : before(lastStepAgeMs),
      isHealing: share.isHealing,
      lastHealing:
        lastHealing === undefined
          ? null
          : {
              at: before(lastHealing.agoMs),
              cause: lastHealing.cause,
              reason: lastHealing.reason,
              ms: lastHealing.ms,
            },
    };
  }

  /** A live query whose documents pass unread: it has no share, and no number but its connection's and its token. */
  #passing(feed: ObservedFeed): FeedStatus {
    const { connection, token, ageMs } = feed;
    const facts = factsOfPassing(feed);
    return {
      id: `${this.#idOf(connection)}-${token}`,
      query: feed.text.toJSON(),
      user: feed.user ?? null,
      plan: feed.opening?.plan ?? 'native',
      openedAt: before(ageMs),
      ageSeconds: seconds(ageMs),
      subscribers: 1,
      privateBecause: facts?.privateBecause ?? null,
      ...keptFor([feed]),
      documents: null,
      changesRead: null,
      workSeconds: workSeconds(feed.workMs),
      load: loadOf(feed),
      frontierAgeSeconds: 0,
      lastChangeAt: null,
      isHealing: false,
      lastHealing: null,
    };
  }

  /** The live query whose documents pass unread, of an id that the report has given it. */
  passingOf(id: string): ObservedFeed | undefined {
    for (const feed of this.#roster.feeds) {
      if (feed.share === undefined && `${feed.connection}-${feed.token}` === id) return feed;
    }
    return undefined;
  }

  /** One live query and who follows it; null where there is none of that number. */
  detail(id: string): FeedDetail | null {
    const share = this.#roster.shares.get(Number(id));
    if (share !== undefined) {
      const followers = this.#followers().get(share) ?? [];
      return this.#detailOf(this.#feed(share, followers), this.#roster.factsOf(share), followers);
    }
    const passing = this.passingOf(id);
    if (passing === undefined) return null;
    return this.#detailOf(this.#passing(passing), factsOfPassing(passing), [passing]);
  }

  #detailOf(feed: FeedStatus, facts: ShareFacts | undefined, followers: readonly ObservedFeed[]): FeedDetail {
    const subscribers = followers.slice(0, MOST_LISTED).map((follower) => this.#subscriber(follower));
    return { feed, explanation: explained(facts), subscribers };
  }

  #subscriber({ connection, token, ageMs, unaskedBytes, documents }: ObservedFeed): SubscriberStatus {
    const session = this.#roster.sessions.get(connection);
    return {
      client: this.#idOf(connection),
      address: session === undefined ? '' : clientAddress(session),
      token: String(token),
      openedAt: before(ageMs),
      waitingBytes: unaskedBytes,
      documents,
    };
  }

  #idOf(number: number): string {
    return `${this.#id}-${number}`;
  }
}

/** The live queries of one client. */
interface ClientFeeds {
  readonly feeds: number;
  /** Bytes of documents that it has not asked for. */
  readonly bytes: number;
}

const NO_FEEDS: ClientFeeds = { feeds: 0, bytes: 0 };

/** What is said of a feed of which nothing is to be said. */
const UNTOUCHED = ['Left alone. RethinkDB watches it by itself, and its documents pass unread.'];

function explained(facts: ShareFacts | undefined): readonly string[] {
  if (facts?.explain === undefined) return UNTOUCHED;
  return facts.explain({ showsData: facts.text.showsData, alone: facts.privateBecause });
}

function factsOfPassing(feed: ObservedFeed): ShareFacts | undefined {
  return feed.opening === undefined ? undefined : factsOfFeed(feed, feed.opening);
}

/** What is kept for a feed: by itself, and by those who follow it. */
function keptFor(
  all: readonly Pick<ObservedShare, 'stateRows' | 'stateBytes' | 'waitingBytes'>[],
): Pick<FeedStatus, 'stateRows' | 'stateBytes' | 'waitingBytes'> {
  let [stateRows, stateBytes, waitingBytes] = [0, 0, 0];
  for (const each of all) {
    stateRows += each.stateRows;
    stateBytes += each.stateBytes;
    waitingBytes += each.waitingBytes;
  }
  return { stateRows, stateBytes, waitingBytes };
}

function clientAddress({ clientHost: host, clientPort: port }: ObservedSession): string {
  return host === undefined ? '' : printAddress({ host, port: port ?? 0 });
}

/** Those of which something is most, the most first. */
function most<Row>(rows: readonly Row[], of: (row: Row) => number): readonly Row[] {
  return [...rows].sort((a, b) => of(b) - of(a)).slice(0, MOST_LISTED);
}

function momentOf(ms: number): Moment {
  return new Date(ms).toISOString();
}

/** The moment so many milliseconds ago. Whole tenths of a second, so that what has not moved reads the same the next time. */
function before(ageMs: number): Moment {
  return momentOf(Math.round((performance.timeOrigin + performance.now() - ageMs) / 100) * 100);
}

/** Whole microseconds. */
function workSeconds(ms: number): number {
  return Math.round(ms * MS_PER_SECOND) / MS_PER_SECOND ** 2;
}

/** Tenths of a thousandth, so that what rests reads the same the next time. */
function loadOf({ load }: { readonly load: number }): number {
  return Math.round(load * 10_000) / 10_000;
}

function seconds(ms: number): number {
  return Math.floor(ms / MS_PER_SECOND);
}
