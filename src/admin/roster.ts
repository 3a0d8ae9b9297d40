// The roster of what is there now: connections, live queries and shares of one process. And the bytes of connections that are gone.

import type { ObservedFeed, ObservedSession, ObservedShare } from '../../proxy/observer/observer.ts';
import { QuietObserver } from '../../proxy/observer/quiet-observer.ts';
import type { Explain, FeedPlan } from '../../proxy/relay/feed-port.ts';
import type { QueryText } from '../../proxy/relay/query-text.ts';

/** Bytes of connections. */
export interface BytesMoved {
  readonly clientRead: number;
  readonly clientWritten: number;
  readonly upstreamRead: number;
  readonly upstreamWritten: number;
}

/** The query of a share, and the reason for which it has the share for itself. */
export interface ShareFacts {
  readonly text: QueryText;
  readonly user: string | undefined;
  readonly privateBecause: string | undefined;
  readonly explain: Explain | undefined;
}

const NOTHING: BytesMoved = { clientRead: 0, clientWritten: 0, upstreamRead: 0, upstreamWritten: 0 };

/** Keeps account of who is there. */
export class Roster extends QuietObserver {
  readonly sessions = new Map<number, ObservedSession>();
  readonly feeds = new Set<ObservedFeed>();
  readonly shares = new Map<number, ObservedShare>();
  /** Queries of shares that somebody has followed. */
  readonly #facts = new WeakMap<ObservedShare, ShareFacts>();
  #gone: BytesMoved = NOTHING;
  #goneWorkMs = 0;

  /** Bytes since the process began. */
  get bytes(): BytesMoved {
    let sum = this.#gone;
    for (const session of this.sessions.values()) sum = plus(sum, session);
    return sum;
  }

  /** Milliseconds that have been worked for live queries since the process began. */
  get workMs(): number {
    let sum = this.#goneWorkMs;
    for (const { workMs } of this.shares.values()) sum += workMs;
    for (const { workMs } of this.feeds) sum += workMs;
    return sum;
  }

  /** The part of the last ten seconds that was worked for live queries that are there. */
  get load(): number {
    let sum = 0;
    for (const { load } of this.shares.values()) sum += load;
    for (const { load } of this.feeds) sum += load;
    return sum;
  }

  /** How many live queries there are of each plan, by the plan that they have now. */
  get feedsByPlan(): Readonly<Record<FeedPlan, number>> {
    const feeds: Record<FeedPlan, number> = { server: 0, proxy: 0, native: 0 };
    for (const { share, opening } of this.feeds) {
      const plan = share?.plan ?? opening?.plan;
      if (plan !== undefined) feeds[plan]++;
    }
    return feeds;
  }

  /** What is known of a share; `undefined` where nobody has followed it yet. */
  factsOf(share: ObservedShare): ShareFacts | undefined {
    return this.#facts.get(share);
  }

  /** Notes what a live query says of the share that it follows. */
  note(feed: ObservedFeed): void {
    const { share, opening } = feed;
    if (share === undefined || opening === undefined || this.#facts.has(share)) return;
    this.#facts.set(share, factsOfFeed(feed, opening));
  }

  override sessionOpened(session: ObservedSession): void {
    this.sessions.set(session.id, session);
  }

  override sessionClosed(session: ObservedSession): void {
    if (this.sessions.delete(session.id)) this.#gone = plus(this.#gone, session);
  }

  override feedOpened(feed: ObservedFeed): void {
    this.feeds.add(feed);
  }

  override feedEnded(feed: ObservedFeed): void {
    this.note(feed);
    if (this.feeds.delete(feed)) this.#goneWorkMs += feed.workMs;
  }

  override shareOpened(share: ObservedShare): void {
    this.shares.set(share.id, share);
  }

  override shareEnded(share: ObservedShare): void {
    if (this.shares.delete(share.id)) this.#goneWorkMs += share.workMs;
  }
}

/** The facts that a live query tells of itself. */
export function factsOfFeed({ text, user }: ObservedFeed, opening: NonNullable<ObservedFeed['opening']>): ShareFacts {
  const { carried, why, explain } = opening;
  return { text, user, privateBecause: carried === 'alone' ? why : undefined, explain };
}

function plus(sum: BytesMoved, session: ObservedSession): BytesMoved {
  return {
    clientRead: sum.clientRead + session.bytesRead,
    clientWritten: sum.clientWritten + session.bytesWritten,
    upstreamRead: sum.upstreamRead + session.upstreamBytesRead,
    upstreamWritten: sum.upstreamWritten + session.upstreamBytesWritten,
  };
}
