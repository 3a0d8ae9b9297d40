// A feed of one client and the guard around its code: whoever calls it, the client, upstream or a timer, comes by here, and what it
// throws ends it and nothing else. What it asks upstream, under tokens of its own (`own-queries.ts`), ends with it. What others see of
// it is its `feed-record.ts`, and the answers that its client waits for are `client-query.ts`.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { Term } from '../../rewrite/reql/term/term.ts';
import type { LogFields } from '../log.ts';
import { after } from '../long-timer.ts';
import type { HealingReport, ObservedShare } from '../observer/observer.ts';
import type { Token } from '../wire/frame.ts';
import { failureOf } from './feed-end.ts';
import { openingOf } from './feed-openings.ts';
import type {
  Carried,
  Explain,
  Feed,
  FeedMemory,
  FeedPlan,
  FollowedShare,
  ProcessResources,
  UpstreamPort,
  UpstreamQuery,
  UpstreamSink,
} from './feed-port.ts';
import { FeedRecord, type RecordedConnection, type RecordedFeed } from './feed-record.ts';
import { OwnQueries } from './own-queries.ts';
import type { QueryText } from './query-text.ts';
import type { UpstreamConnection } from './upstream-query.ts';

/** The part of its connection that a feed needs, but for the answers to its client. */
export interface FeedConnection extends UpstreamConnection, RecordedConnection {
  ask(query: string | Buffer, answer: (body: Buffer) => void): void;
  /** What its feeds share upstream. */
  readonly shared: UpstreamPort;
  /** Why the client may not have one more feed; `undefined` where it may. */
  refusal(): ReqlError | undefined;
  /** Whether the client does not read what it was sent. */
  readonly isUnread: boolean;
}

/** A feed, its guard, and what it has open. The rest of it says what its client is told. */
export abstract class GuardedFeed<Connection extends FeedConnection> implements RecordedFeed {
  protected readonly record: FeedRecord;
  /** The feed; `undefined` while the query has not become one. */
  protected feed: Feed | undefined;
  protected readonly connection: Connection;
  /** Queries upstream that are this feed's alone. Most have none, and there are many of those. */
  #upstream: OwnQueries | undefined;
  /** What is called once the feed is over. */
  #whenOver: (() => void)[] | undefined;

  /** `query` and `user` are for the log. */
  constructor(token: Token, query: QueryText, user: string | undefined, connection: Connection) {
    this.connection = connection;
    this.record = new FeedRecord(token, query, user, connection, this);
  }

  /** Ends the feed: memory is short, somebody wants it, or its code has thrown. The client is told with the next thing that it asks. */
  abstract end(error: ReqlError): void;

  /** Whether the feed itself has said that it is over. */
  get isOver(): boolean {
    return this.record.isOver;
  }

  /** Tells that the feed is over, or that the query was refused, and why. */
  tellEnd(): void {
    this.record.tellEnd();
  }

  get text(): QueryText {
    return this.record.text;
  }

  get memory(): FeedMemory {
    return this.record;
  }

  /** Nothing is kept any more. */
  letGo(): void {
    this.record.letGo();
  }

  get waitingBytes(): number {
    return this.feed?.waitingBytes ?? 0;
  }

  /** The query has become this feed. */
  open(feed: Feed): void {
    this.feed = feed;
  }

  /** A mistake of ours has kept the query from becoming a feed. */
  failToOpen(error: unknown): void {
    this.record.tellMistake(error, 'feed failed to open');
    this.end(failureOf(error));
  }

  sameTextAs(text: QueryText): void {
    this.record.sameTextAs(text);
  }

  parsed(term: Term): void {
    this.text.parsed(term);
  }

  admit(): ReqlError | undefined {
    return this.connection.refusal();
  }

  opened(plan: FeedPlan, carried: Carried, why?: string, explain?: Explain): void {
    if (this.isOver) return;
    this.record.opened(openingOf(plan, carried, why, explain));
  }

  follows(share: FollowedShare): void {
    this.record.follows(share);
  }

  wrote(documents: number): void {
    this.record.wrote(documents);
  }

  query(start: string | Buffer, sink: UpstreamSink): UpstreamQuery {
    this.#upstream ??= new OwnQueries();
    return this.#upstream.begin(this.connection, start, {
      response: (body) => this.guard(() => sink.response(body)),
      failed: (error) => this.guard(() => sink.failed(error)),
      lost: () => {},
    });
  }

  ask(query: string, answer: (body: Buffer) => void): void {
    if (this.isOver) return;
    this.connection.ask(query, (body) => {
      if (!this.isOver) this.guard(() => answer(body));
    });
  }

  get shared(): UpstreamPort {
    return this.connection.shared;
  }

  whenOver(callback: () => void): void {
    if (this.isOver) {
      callback();
      return;
    }
    this.#whenOver ??= [];
    this.#whenOver.push(callback);
  }

  schedule(ms: number, callback: () => void): () => void {
    return after(ms, () => {
      if (!this.isOver) this.guard(callback);
    });
  }

  run(work: () => void): void {
    if (!this.isOver) this.guard(work);
  }

  mistake(error: unknown): void {
    this.record.tellMistake(error, 'feed failed');
  }

  healed(share: ObservedShare, report: HealingReport): void {
    this.record.tellHealed(share, report);
  }

  get process(): ProcessResources {
    return this.connection;
  }

  warn(message: string, fields: LogFields, data: LogFields): void {
    this.record.warn(message, fields, data);
  }

  get isUnread(): boolean {
    return this.connection.isUnread;
  }

  /** The client has read all that it was sent. */
  resume(): void {
    if (!this.isOver) this.guard(() => this.feed?.resume?.());
  }

  shrink(): void {
    this.guard(() => this.feed?.shrink?.());
  }

  /** Runs the feed's code. If it throws, the mistake is ours: the client is told, and upstream's feed is stopped. */
  protected guard(run: () => void): void {
    try {
      this.record.time(run);
    } catch (error) {
      this.record.tellMistake(error, 'feed failed');
      this.end(failureOf(error));
    }
  }

  protected closeFeed(): void {
    try {
      this.feed?.close();
    } catch (error) {
      this.record.tellMistake(error, 'feed failed while closing');
    }
  }

  /** Ends the feed, with what it asks upstream, and lets another stand for it. */
  protected replace(by: Feed): void {
    this.closeFeed();
    this.leaveUpstream('stop');
    this.feed = by;
  }

  /** What upstream still answers is nobody's; `stop`: it is told to end it. Whoever waits for the end of the feed is told. */
  protected leaveUpstream(how: 'stop' | 'drop'): void {
    this.#upstream?.[how]();
    const callbacks = this.#whenOver;
    this.#whenOver = undefined;
    for (const callback of callbacks ?? []) callback();
  }
}
