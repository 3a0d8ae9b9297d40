// What others see of a client's feed: its query, what has become of it, what is kept and worked for it, and its end. Observers and the
// budget of memory are told of it here. What the client is owed is `client-query.ts`.

import type { ReqlError } from '../../rewrite/reql/error.ts';
import type { LogFields } from '../log.ts';
import type { Holder, Holding } from '../memory/holding.ts';
import type { FeedEnding, FeedOpening, HealingReport, ObservedFeed, ObservedShare } from '../observer/observer.ts';
import type { Token } from '../wire/frame.ts';
import { Stopwatch } from '../work/stopwatch.ts';
import type { FeedMemory, FollowedShare, ProcessResources } from './feed-port.ts';
import type { QueryText } from './query-text.ts';

/** What a feed is asked for by those who see its record. */
export interface RecordedFeed {
  /** Bytes of documents that the client has not asked for. */
  readonly waitingBytes: number;
  /** Makes what is kept smaller, where the client loses nothing by it. */
  shrink(): void;
  /** Ends it: memory is short, or somebody wants it. */
  end(error: ReqlError): void;
}

/** The connection of a recorded feed. */
export interface RecordedConnection extends ProcessResources {
  /** Its number. */
  readonly connection: number;
}

/** A query is kept for the life of its feed, as terms that take several times its length: eight for many short arguments. */
const TERMS_PER_BYTE = 8;

/** The record of one feed. */
export class FeedRecord implements FeedMemory, Holder, ObservedFeed {
  readonly token: Token;
  readonly user: string | undefined;
  readonly #connection: RecordedConnection;
  readonly #feed: RecordedFeed;
  /** In whole milliseconds, which take no memory of their own. */
  readonly #openedAt: number = Math.floor(performance.now());
  #text: QueryText;
  /** What the budget knows of it, while it keeps something. */
  #holding: Holding | undefined;
  #opening: FeedOpening | undefined;
  #share: FollowedShare | undefined;
  /** The time that is worked for a feed that follows nothing; most follow something. */
  #spent: Stopwatch | undefined;
  #documents = 0;
  /** How the feed ended; `undefined` while it is open. */
  #end: FeedEnding | undefined;

  constructor(
    token: Token,
    text: QueryText,
    user: string | undefined,
    connection: RecordedConnection,
    feed: RecordedFeed,
  ) {
    this.token = token;
    this.user = user;
    this.#text = text;
    this.#connection = connection;
    this.#feed = feed;
    this.addState(0, TERMS_PER_BYTE * text.bytes);
  }

  get name(): string {
    return 'feed';
  }

  /** Whether the feed is over. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  get connection(): number {
    return this.#connection.connection;
  }

  get text(): QueryText {
    return this.#text;
  }

  get opening(): FeedOpening | undefined {
    return this.#opening;
  }

  get share(): ObservedShare | undefined {
    return this.#share;
  }

  get documents(): number {
    return this.#documents;
  }

  get stateRows(): number {
    return this.#holding?.rows ?? 0;
  }

  get stateBytes(): number {
    return this.#holding?.state ?? 0;
  }

  get waitingBytes(): number {
    return this.#holding?.waiting ?? 0;
  }

  get unaskedBytes(): number {
    return this.#feed.waitingBytes;
  }

  get workMs(): number {
    return this.#spent?.ms ?? 0;
  }

  get load(): number {
    return this.#spent?.load ?? 0;
  }

  get ageMs(): number {
    return performance.now() - this.#openedAt;
  }

  shrink(): void {
    this.#feed.shrink();
  }

  end(error: ReqlError): void {
    this.#feed.end(error);
    this.letGo();
  }

  addState(rows: number, bytes: number): void {
    this.#hold()?.addState(rows, bytes);
    this.#letGoOfNothing();
  }

  setWaiting(bytes: number): void {
    if (bytes > 0 || this.#holding !== undefined) this.#hold()?.setWaiting(bytes);
    this.#letGoOfNothing();
  }

  /** Nothing is kept any more. */
  letGo(): void {
    this.#holding?.close();
    this.#holding = undefined;
  }

  #hold(): Holding | undefined {
    if (!this.isOver) this.#holding ??= this.#connection.memory.open(this);
    return this.#holding;
  }

  /** Most of those who follow with others keep nothing, and there are many of those. */
  #letGoOfNothing(): void {
    if (this.#holding?.heap === 0) this.letGo();
  }

  /** The query has the same text as another's, which is kept once. */
  sameTextAs(text: QueryText): void {
    this.addState(0, -TERMS_PER_BYTE * this.#text.bytes);
    this.#text = text;
  }

  /** The query has become a feed. */
  opened(opening: FeedOpening): void {
    this.#opening = opening;
    this.#connection.observer.feedOpened(this);
    this.#text.keepText();
  }

  /** The feed follows this state. */
  follows(share: FollowedShare): void {
    this.#share = share;
  }

  /** So many documents go to the client. */
  wrote(documents: number): void {
    this.#documents += documents;
    this.#connection.tally.documents += documents;
  }

  /** Runs the feed's code. Its time counts for what the feed follows, and for the feed itself where that is nothing. */
  time(run: () => void): void {
    if (this.#opening === undefined) {
      run();
      return;
    }
    if (this.#share === undefined) this.#spent ??= new Stopwatch();
    (this.#share?.spent ?? this.#spent)?.time(run);
  }

  /** The feed is over, and how. The first to say so is believed. */
  ended(end: FeedEnding): void {
    this.#end ??= end;
  }

  /** Tells that the feed is over, or that the query was refused, and why. */
  tellEnd(): void {
    const { observer } = this.#connection;
    if (this.#end === undefined) return;
    if (this.#opening === undefined) observer.feedRefused(this, this.#end);
    else observer.feedEnded(this, this.#end);
  }

  /** Tells of a mistake of ours. */
  tellMistake(error: unknown, message: string): void {
    this.#connection.observer.feedFailed(this, error, message);
  }

  /** Tells that what the feed follows has been read again. */
  tellHealed(share: ObservedShare, report: HealingReport): void {
    this.#connection.observer.shareHealed(share, this, report);
  }

  /** Warns of the query. `data` are fields with data of the client's, which are told only where logs may show them. */
  warn(message: string, fields: LogFields, data: LogFields): void {
    const shown = this.#text.showsData ? data : {};
    this.#connection.observer.feedWarned(this, message, { ...fields, ...shown });
  }
}
