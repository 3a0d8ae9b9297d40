// An observer that does nothing, for those who care for some of what is told.

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

/** Does nothing, whatever is told. */
export class QuietObserver implements Observer {
  sessionOpened(_session: ObservedSession): void {}

  upstreamConnected(_session: ObservedSession, _upstream: Address): void {}

  handshakeEnded(_session: ObservedSession, _end: HandshakeEnd): void {}

  upstreamLost(_session: ObservedSession, _reason: string): void {}

  sessionFailed(_session: ObservedSession, _error: unknown, _showsData: boolean): void {}

  sessionClosed(_session: ObservedSession, _end: SessionEnd): void {}

  clientRefused(_clients: number): void {}

  headerRefused(_peer: string | undefined, _reason: string, _hasLeft: boolean): void {}

  tlsFailed(_client: string | undefined, _reason: string, _hasLeft: boolean): void {}

  feedOpened(_feed: ObservedFeed): void {}

  feedEnded(_feed: ObservedFeed, _end: FeedEnding): void {}

  feedRefused(_feed: ObservedFeed, _end: FeedEnding): void {}

  queryDropped(_query: DroppedQuery): void {}

  feedFailed(_feed: ObservedFeed, _error: unknown, _message: string): void {}

  feedWarned(_feed: ObservedFeed, _message: string, _fields: LogFields): void {}

  connectionFailed(_connection: number, _error: unknown): void {}

  shareOpened(_share: ObservedShare): void {}

  shareEnded(_share: ObservedShare): void {}

  shareHealed(_share: ObservedShare, _feed: ObservedFeed, _report: HealingReport): void {}

  healingFailed(_share: ObservedShare, _cause: HealingCause): void {}

  joinTried(_outcome: JoinOutcome): void {}

  changeWritten(_ms: number): void {}

  upstreamReached(_upstream: Address, _version: string): void {}

  upstreamFailed(_upstream: Address, _failures: number, _reason: string): void {}

  memoryShort(_fields: Readonly<Record<string, unknown>>): void {}
}
