// Observers, which are told what happens in a proxy: the log is one observer, metrics are another. An observer is told in the
// middle of the work: it owes to be quick, to throw nothing, and to change nothing. Bytes and documents are not told one by one,
// but counted (`tally.ts`).

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { LogFields } from '../log.ts';
import type { Carried, Explain, FeedPlan, FeedQuery } from '../relay/feed-port.ts';
import type { QueryText } from '../relay/query-text.ts';
import type { Address } from '../upstream/address.ts';
import type { Token } from '../wire/frame.ts';
import type { HealingCause, JoinOutcome, Party } from './outcomes.ts';

/** A client's connection. Its fields are those of the moment at which they are read. */
export interface ObservedSession {
  /** Its number, from 1 on. */
  readonly id: number;
  /** Where the client is; `undefined` once it has gone. */
  readonly clientHost: string | undefined;
  readonly clientPort: number | undefined;
  /** Milliseconds since it was accepted. */
  readonly ageMs: number;
  /** Known once upstream has let the client in. */
  readonly user: string | undefined;
  readonly protocol: FeedQuery['protocol'] | undefined;
  /** The server that it is connected to. */
  readonly upstream: Address | undefined;
  /** Bytes written that the client has not read. */
  readonly waitingBytes: number;
  /** Bytes read from the client and written to it, and the same for upstream, as sockets count them. */
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly upstreamBytesRead: number;
  readonly upstreamBytesWritten: number;
  /** Ends it; the reason is for the log. */
  destroy(reason: string): void;
}

/** The end of a handshake. */
export type HandshakeEnd =
  | { readonly outcome: 'accepted' }
  /** `reason`: RethinkDB's own words. */
  | { readonly outcome: 'refused'; readonly user: string | undefined; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly user: string | undefined }
  | { readonly outcome: 'late' | 'evicted' | 'unreachable' };

/** The end of a connection. */
export interface SessionEnd {
  /** Who ended it, and why; `undefined` where nobody has said so. */
  readonly by: Party | undefined;
  readonly reason: string | undefined;
  /** Whether the client has said more than the magic number of a protocol. */
  readonly hasSpoken: boolean;
}

/** A live query of a client. */
export interface ObservedFeed {
  /** The number of its connection. */
  readonly connection: number;
  readonly token: Token;
  readonly user: string | undefined;
  /** Its text, which shows data only where logs may. */
  readonly text: QueryText;
  /** Milliseconds since the query came. */
  readonly ageMs: number;
  /** What it has become; `undefined` before it is a feed. */
  readonly opening: FeedOpening | undefined;
  /** What it follows; `undefined` where its documents pass unread, and before it follows anything. */
  readonly share: ObservedShare | undefined;
  /** Documents written to the client. */
  readonly documents: number;
  /** What is kept for it alone: its query, and rows and bytes of its own. */
  readonly stateRows: number;
  readonly stateBytes: number;
  /** Bytes of documents that wait for it alone. */
  readonly waitingBytes: number;
  /** Bytes of all documents that wait for its client to ask: those, and its part of what waits for several. */
  readonly unaskedBytes: number;
  /** Milliseconds that the proxy has worked for it, where it follows nothing, and the part of the last seconds that was worked. */
  readonly workMs: number;
  readonly load: number;
  /** Ends it; the client is told the error. */
  end(error: ReqlError): void;
}

/** The opening of a feed: where it is made, how it is carried, and why it is alone. */
export interface FeedOpening {
  /** The plan that it begins with; a share tells which one it has now. */
  readonly plan: FeedPlan;
  readonly carried: Carried;
  readonly why: string | undefined;
  /** What becomes of the query; `undefined` where there is nothing to say, or what it joins has that to say. */
  readonly explain: Explain | undefined;
}

/**
 * The end of a feed: `aborted` is the proxy's doing, `closed` says that its connection has gone, and `by` who ended that; `undefined`
 * where nobody has said so.
 */
export type FeedEnding =
  | { readonly kind: 'stopped' | 'complete' }
  | { readonly kind: 'closed'; readonly by: Party | undefined; readonly reason: string }
  | { readonly kind: 'aborted'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: ReqlError };

/** A state that one query upstream fills, and that live queries follow. */
export interface ObservedShare {
  /** Its number in the process, from 1 on. */
  readonly id: number;
  /** Where it is folded now: it may outgrow the server plan. */
  readonly plan: FeedPlan;
  /** Milliseconds since it was opened. */
  readonly ageMs: number;
  /** Live queries that follow it. */
  readonly size: number;
  /** What it keeps. */
  readonly stateRows: number;
  readonly stateBytes: number;
  readonly waitingBytes: number;
  /** Documents written to all who ever followed it, and changes that upstream has told it of. */
  readonly documents: number;
  readonly changesRead: number;
  /** Milliseconds that the proxy has worked for it and for all who follow it: reading, folding, writing documents. */
  readonly workMs: number;
  /** The part of the last ten seconds that was worked for it, from 0 to 1. */
  readonly load: number;
  /** Milliseconds since the oldest change that upstream has told and that is not shown yet; 0 where there is none. */
  readonly frontierAgeMs: number;
  /** Milliseconds since something new was last shown; `undefined` where nothing was. */
  readonly lastStepAgeMs: number | undefined;
  readonly isHealing: boolean;
  readonly lastHealing: (HealingReport & { readonly agoMs: number }) | undefined;
  /** Ends it for all who follow. */
  end(error: ReqlError): void;
}

/** A healing that has come to its end. */
export interface HealingReport {
  readonly cause: HealingCause;
  /** The words of the error that began it. */
  readonly reason: string;
  readonly ms: number;
}

/** A live query that could not be kept to be looked at. */
export interface DroppedQuery {
  readonly connection: number;
  readonly token: Token;
  readonly user: string | undefined;
  readonly bytes: number;
  /** The limit that it breaks; `undefined` where memory is short. */
  readonly limit: number | undefined;
}

/** An observer, with a method for each thing that it is told. */
export interface Observer {
  /** A client has connected. */
  sessionOpened(session: ObservedSession): void;
  upstreamConnected(session: ObservedSession, upstream: Address): void;
  /** Once for each session that gets so far. */
  handshakeEnded(session: ObservedSession, end: HandshakeEnd): void;
  /** Upstream has gone, though nobody had ended the connection. */
  upstreamLost(session: ObservedSession, reason: string): void;
  /** A mistake of ours has cost the client its connection. */
  sessionFailed(session: ObservedSession, error: unknown, showsData: boolean): void;
  sessionClosed(session: ObservedSession, end: SessionEnd): void;
  /** A client is not served, since there are so many. */
  clientRefused(clients: number): void;
  /** What came first is no header of the PROXY protocol; `peer` is who sent it. `hasLeft`: it went without a word. */
  headerRefused(peer: string | undefined, reason: string, hasLeft: boolean): void;
  /** `hasLeft`: the client went without a word. */
  tlsFailed(client: string | undefined, reason: string, hasLeft: boolean): void;

  /** A query has become a feed. */
  feedOpened(feed: ObservedFeed): void;
  /** A feed is over. */
  feedEnded(feed: ObservedFeed, end: FeedEnding): void;
  /** A query has not become a feed, and its client was told why, or has gone. */
  feedRefused(feed: ObservedFeed, end: FeedEnding): void;
  queryDropped(query: DroppedQuery): void;
  /** A mistake of ours in a feed. */
  feedFailed(feed: ObservedFeed, error: unknown, message: string): void;
  feedWarned(feed: ObservedFeed, message: string, fields: LogFields): void;
  /** A mistake of ours in what the feeds of a connection share. */
  connectionFailed(connection: number, error: unknown): void;

  shareOpened(share: ObservedShare): void;
  shareEnded(share: ObservedShare): void;
  /** A share has been read again; `feed` is one of those that follow it. */
  shareHealed(share: ObservedShare, feed: ObservedFeed, report: HealingReport): void;
  /** A share could not be read again, and ends. */
  healingFailed(share: ObservedShare, cause: HealingCause): void;
  /** A query found a share of its kind. */
  joinTried(outcome: JoinOutcome): void;
  /** All who wait for the documents of a change have them, so many milliseconds after it was read. */
  changeWritten(ms: number): void;

  upstreamReached(upstream: Address, version: string): void;
  /** `failures`: times in a row. */
  upstreamFailed(upstream: Address, failures: number, reason: string): void;
  /** Somebody is ended, since memory is short. The fields say who holds how much. */
  memoryShort(fields: Readonly<Record<string, unknown>>): void;
}
