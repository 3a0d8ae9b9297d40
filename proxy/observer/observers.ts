// Several observers as one.

import type { LogFields } from '../log.ts';
import type { Address } from '../upstream/address.ts';
import type {
  DroppedQuery,
  FeedEnding,
  HandshakeEnd,
  HealingReport,
  ObservedFeed,
  ObservedSession,
  ObservedShare,
  Observer,
  SessionEnd,
} from './observer.ts';
import type { HealingCause, JoinOutcome } from './outcomes.ts';

/** Tells each of them, in their order. */
export class Observers implements Observer {
  readonly #all: readonly Observer[];

  constructor(all: readonly Observer[]) {
    this.#all = all;
  }

  sessionOpened(session: ObservedSession): void {
    for (const each of this.#all) each.sessionOpened(session);
  }

  upstreamConnected(session: ObservedSession, upstream: Address): void {
    for (const each of this.#all) each.upstreamConnected(session, upstream);
  }

  handshakeEnded(session: ObservedSession, end: HandshakeEnd): void {
    for (const each of this.#all) each.handshakeEnded(session, end);
  }

  upstreamLost(session: ObservedSession, reason: string): void {
    for (const each of this.#all) each.upstreamLost(session, reason);
  }

  sessionFailed(session: ObservedSession, error: unknown, showsData: boolean): void {
    for (const each of this.#all) each.sessionFailed(session, error, showsData);
  }

  sessionClosed(session: ObservedSession, end: SessionEnd): void {
    for (const each of this.#all) each.sessionClosed(session, end);
  }

  clientRefused(clients: number): void {
    for (const each of this.#all) each.clientRefused(clients);
  }

  headerRefused(peer: string | undefined, reason: string, hasLeft: boolean): void {
    for (const each of this.#all) each.headerRefused(peer, reason, hasLeft);
  }

  tlsFailed(client: string | undefined, reason: string, hasLeft: boolean): void {
    for (const each of this.#all) each.tlsFailed(client, reason, hasLeft);
  }

  feedOpened(feed: ObservedFeed): void {
    for (const each of this.#all) each.feedOpened(feed);
  }

  feedEnded(feed: ObservedFeed, end: FeedEnding): void {
    for (const each of this.#all) each.feedEnded(feed, end);
  }

  feedRefused(feed: ObservedFeed, end: FeedEnding): void {
    for (const each of this.#all) each.feedRefused(feed, end);
  }

  queryDropped(query: DroppedQuery): void {
    for (const each of this.#all) each.queryDropped(query);
  }

  feedFailed(feed: ObservedFeed, error: unknown, message: string): void {
    for (const each of this.#all) each.feedFailed(feed, error, message);
  }

  feedWarned(feed: ObservedFeed, message: string, fields: LogFields): void {
    for (const each of this.#all) each.feedWarned(feed, message, fields);
  }

  connectionFailed(connection: number, error: unknown): void {
    for (const each of this.#all) each.connectionFailed(connection, error);
  }

  shareOpened(share: ObservedShare): void {
    for (const each of this.#all) each.shareOpened(share);
  }

  shareEnded(share: ObservedShare): void {
    for (const each of this.#all) each.shareEnded(share);
  }

  shareHealed(share: ObservedShare, feed: ObservedFeed, report: HealingReport): void {
    for (const each of this.#all) each.shareHealed(share, feed, report);
  }

  healingFailed(share: ObservedShare, cause: HealingCause): void {
    for (const each of this.#all) each.healingFailed(share, cause);
  }

  joinTried(outcome: JoinOutcome): void {
    for (const each of this.#all) each.joinTried(outcome);
  }

  changeWritten(ms: number): void {
    for (const each of this.#all) each.changeWritten(ms);
  }

  upstreamReached(upstream: Address, version: string): void {
    for (const each of this.#all) each.upstreamReached(upstream, version);
  }

  upstreamFailed(upstream: Address, failures: number, reason: string): void {
    for (const each of this.#all) each.upstreamFailed(upstream, failures, reason);
  }

  memoryShort(fields: Readonly<Record<string, unknown>>): void {
    for (const each of this.#all) each.memoryShort(fields);
  }
}
