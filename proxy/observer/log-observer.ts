// The log as an observer: one line for each thing that is told, with what it is about as fields. Callers owe a `close`.

import type { Log, LogFields } from '../log.ts';
import { errorFields, mistakeFields } from '../relay/feed-end.ts';
import { type Address, printAddress } from '../upstream/address.ts';
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
import { StrangerLog } from './stranger-log.ts';

/** Writes lines. */
export class LogObserver implements Observer {
  readonly #log: Log;
  readonly #strangers: StrangerLog;

  constructor(log: Log) {
    this.#log = log;
    this.#strangers = new StrangerLog(log);
  }

  /** Sums up what has been counted rather than written. */
  close(): void {
    this.#strangers.close();
  }

  sessionOpened(): void {}

  upstreamConnected({ id }: ObservedSession, upstream: Address): void {
    this.#log.debug({ connection: id, upstream: printAddress(upstream) }, 'upstream connected');
  }

  handshakeEnded(session: ObservedSession, end: HandshakeEnd): void {
    const fields = { connection: session.id, client: session.clientHost };
    switch (end.outcome) {
      case 'accepted':
        this.#log.info({ ...fields, user: session.user, protocol: session.protocol }, 'client ready');
        break;
      case 'refused':
        this.#log.warn({ ...fields, user: end.user, reason: end.reason }, 'upstream refused the client');
        break;
      case 'unknown':
        this.#strangers.warn({ ...fields, user: end.user }, 'client speaks no known handshake');
        break;
      case 'late':
        this.#strangers.warn(fields, 'handshake timed out');
        break;
      case 'evicted':
        this.#strangers.warn(fields, 'handshake given up: others waited');
        break;
      case 'unreachable':
        // The line about upstream says what cannot be reached, and why.
        break;
    }
  }

  upstreamLost({ id }: ObservedSession, reason: string): void {
    this.#log.warn({ connection: id, reason }, 'upstream lost');
  }

  sessionFailed({ id }: ObservedSession, error: unknown, showsData: boolean): void {
    this.#log.error({ connection: id, ...mistakeFields(error, showsData) }, 'session failed');
  }

  sessionClosed({ id, ageMs }: ObservedSession, { by, reason, hasSpoken }: SessionEnd): void {
    const fields = { connection: id, ms: Math.round(ageMs), by, reason };
    // A port scan says next to nothing: its end is a line for `debug`.
    if (hasSpoken) this.#log.info(fields, 'client closed');
    else this.#log.debug(fields, 'client closed');
  }

  clientRefused(clients: number): void {
    this.#strangers.warn({ clients }, 'client refused: too many');
  }

  headerRefused(peer: string | undefined, reason: string, hasLeft: boolean): void {
    const fields = { peer, reason };
    if (hasLeft) this.#log.debug(fields, 'PROXY protocol header refused');
    else this.#strangers.warn(fields, 'PROXY protocol header refused');
  }

  tlsFailed(client: string | undefined, reason: string, hasLeft: boolean): void {
    const fields = { client, reason };
    // A port scan leaves without a word.
    if (hasLeft) this.#log.debug(fields, 'TLS handshake failed');
    else this.#strangers.warn(fields, 'TLS handshake failed');
  }

  feedOpened({ connection, token, user, opening, text: query }: ObservedFeed): void {
    const { plan, carried, why } = opening ?? {};
    this.#log.info({ connection, token, user, plan, carried, why, query }, 'feed opened');
  }

  feedEnded(feed: ObservedFeed, end: FeedEnding): void {
    const { text: query } = feed;
    const fields = endFields(feed, end);
    if (end.kind === 'failed')
      this.#log.warn({ ...feedFields(feed), query, reason: 'it failed', ...fields }, 'feed ended');
    else this.#log.info({ ...feedFields(feed), ...fields }, 'feed ended');
  }

  feedRefused(feed: ObservedFeed, end: FeedEnding): void {
    const { text: query } = feed;
    const fields = endFields(feed, end);
    if (end.kind === 'failed') this.#log.info({ ...feedFields(feed), query, ...fields }, 'feed refused');
    else this.#log.info({ ...feedFields(feed), ...fields }, 'feed ended');
  }

  queryDropped({ limit, ...fields }: DroppedQuery): void {
    if (limit === undefined) this.#log.warn(fields, 'feed refused: memory is short');
    else this.#log.warn({ ...fields, limit }, 'feed refused: its query is too long');
  }

  feedFailed({ connection, token, text: query }: ObservedFeed, error: unknown, message: string): void {
    this.#log.error({ connection, token, query, ...mistakeFields(error, query.showsData) }, message);
  }

  feedWarned({ connection, token, text: query }: ObservedFeed, message: string, fields: LogFields): void {
    this.#log.warn({ connection, token, query, ...fields }, message);
  }

  connectionFailed(connection: number, error: unknown): void {
    this.#log.error({ connection, ...mistakeFields(error, false) }, 'what feeds share upstream failed');
  }

  shareOpened(): void {}

  shareEnded(): void {}

  shareHealed(_share: ObservedShare, feed: ObservedFeed, { reason, ms }: HealingReport): void {
    this.feedWarned(feed, 'feed healed', { reason, ms: Math.round(ms) });
  }

  healingFailed(): void {}

  joinTried(): void {}

  changeWritten(): void {}

  upstreamReached(upstream: Address, version: string): void {
    this.#log.info({ upstream: printAddress(upstream), version }, 'upstream reached');
  }

  upstreamFailed(upstream: Address, failures: number, reason: string): void {
    const fields = { upstream: printAddress(upstream), failures, reason };
    // The first failure, the second, the fourth, the eighth: a server that is down for a day does not fill the log.
    if (Number.isInteger(Math.log2(failures))) this.#log.warn(fields, 'upstream not reached');
    else this.#log.debug(fields, 'upstream not reached');
  }

  memoryShort(fields: Readonly<Record<string, unknown>>): void {
    this.#log.warn(fields, 'memory is short, and the largest holder of it is ended');
  }
}

function feedFields({ connection, token, user, ageMs }: ObservedFeed): Readonly<Record<string, unknown>> {
  return { connection, token, user, ms: Math.round(ageMs) };
}

/** What a line says of the end of a feed. */
function endFields({ text }: ObservedFeed, end: FeedEnding): Readonly<Record<string, string>> {
  switch (end.kind) {
    case 'stopped':
      return { reason: 'the client stopped it' };
    case 'complete':
      return { reason: 'complete' };
    case 'closed':
    case 'aborted':
      return { reason: end.reason };
    case 'failed':
      return errorFields(end.error, text.showsData);
  }
}
