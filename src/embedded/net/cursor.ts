// A stream that a client takes batch by batch: its answers to START and CONTINUE, and the wait of a feed that has nothing
// to give yet.

import { sequenceBody } from '../../../proxy/wire/response.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { BatchSpec } from '../../../rewrite/reql/eval/streams/batch.ts';
import { PENDING, type Stream } from '../../../rewrite/reql/eval/streams/stream.ts';
import { ResponseNote, ResponseType } from '../../../rewrite/reql/protocol.ts';
import { type FeedStream, feedsOf, notesOf } from '../feed/feed-stream.ts';

/** The limits of a batch. */
export interface BatchLimits {
  readonly rows: number;
  /** Bytes of JSON, roughly. */
  readonly bytes: number;
  /** How many times smaller the first batch is, so that a client soon has something. */
  readonly firstShare: number;
}

/** The most rows of a table in one answer, where no optarg says otherwise and they are small. */
const MOST_TABLE_ROWS = 40_000;

/** Node's timers hold no more, some 24.8 days: longer intervals are cut to it. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An answer's worth of a stream. */
export interface Batch {
  readonly items: readonly string[];
  readonly done: boolean;
}

export class Cursor {
  readonly #stream: Stream;
  readonly #limits: BatchLimits;
  readonly #toJson: (datum: Datum) => string;
  readonly #feeds: readonly FeedStream[];
  readonly #notes: readonly number[];
  #timer: NodeJS.Timeout | undefined;
  // Elements of a batch that did not fit into the last answer.
  #elements: readonly Datum[] = [];
  #at = 0;
  #first = true;
  // The feeds for which the last read had to wait; none where it gave something.
  #awaited: readonly FeedStream[] = [];
  #waiting = false;
  #scheduled = false;

  constructor(stream: Stream, limits: BatchLimits, toJson: (datum: Datum) => string) {
    this.#stream = stream;
    this.#limits = limits;
    this.#toJson = toJson;
    this.#feeds = feedsOf(stream);
    const { kind, includesStates } = notesOf(stream);
    this.#notes = kind === undefined ? [] : [kind, ...(includesStates ? [ResponseNote.INCLUDES_STATES] : [])];
  }

  get isFeed(): boolean {
    return this.#feeds.length > 0;
  }

  /** What there is right now; may be empty for a feed. Raises the errors of the stream. */
  read(): Batch {
    for (const feed of this.#feeds) feed.beginBatch();
    this.#awaited = [];
    const share = this.#first && !this.isFeed ? this.#limits.firstShare : 1;
    const spec: BatchSpec = {
      kind: this.#first ? 'first' : 'normal',
      most: this.#limits.rows,
      bytes: this.#limits.bytes,
      share,
    };
    this.#first = false;
    const mostRows = Math.max(1, Math.floor(Math.min(this.#limits.rows, MOST_TABLE_ROWS) / share));
    const items: string[] = [];
    let bytes = 0;
    // One batch of the stream is one answer; rows of a table are taken until the answer is full.
    const { piecemeal } = this.#stream;
    const full = (): boolean => piecemeal && (items.length >= mostRows || bytes * share >= this.#limits.bytes);
    do {
      if (this.#at >= this.#elements.length) {
        this.#elements = this.#nextElements(spec);
        this.#at = 0;
        if (this.#elements.length === 0) break;
      }
      while (this.#at < this.#elements.length && !full()) {
        const json = this.#toJson(this.#elements[this.#at++] ?? null);
        items.push(json);
        bytes += json.length;
      }
    } while (piecemeal && !full());
    return { items, done: this.#at >= this.#elements.length && this.#ended() };
  }

  #ended(): boolean {
    return this.#stream.exhausted() || (this.#elements.length === 0 && this.#awaited.length === 0);
  }

  #nextElements(spec: BatchSpec): readonly Datum[] {
    try {
      return this.#stream.nextBatch(spec);
    } catch (thrown) {
      if (thrown !== PENDING) throw thrown;
      this.#awaited = this.#feeds.filter((feed) => feed.awaited);
      return [];
    }
  }

  /** A batch as the body of a response. */
  body({ items, done }: Batch): string {
    const ended = done || (items.length === 0 && !this.isFeed);
    return sequenceBody(ended ? ResponseType.SUCCESS_SEQUENCE : ResponseType.SUCCESS_PARTIAL, items, this.#notes);
  }

  /**
   * Calls `ready` once there may be something to read: after the interval of feeds that squash by time, and never before
   * it unless a feed's queue is filling up. Never calls it at once, so that all changes of one write are there by then.
   * Only for feeds, and only one call at a time. After a read that gave nothing only those feeds count of which the stream
   * wanted more: what another one has does not let it go on, as where `map` has an element of one stream and none of the other.
   */
  wait(ready: () => void): void {
    this.#waiting = true;
    const interval = Math.max(...this.#feeds.map(({ source }) => source.interval));
    const watch = (): void => {
      this.#timer = undefined;
      this.#when(() => this.#mayGoOn(({ source, midBatch }) => midBatch || source.ready), ready);
    };
    if (interval === 0 || this.#mayGoOn((feed) => feed.midBatch)) {
      watch();
      return;
    }
    this.#timer = setTimeout(watch, Math.min(interval * 1000, LONGEST_TIMER_MS));
    const waitedFor = this.#awaited.length > 0 ? this.#awaited : this.#feeds;
    this.#when(() => waitedFor.some(({ source }) => source.nearlyFull), ready);
  }

  /** Whether the stream may have something: unless it waits for feeds of which none `has`. */
  #mayGoOn(has: (feed: FeedStream) => boolean): boolean {
    return this.#awaited.length === 0 || this.#awaited.some(has);
  }

  /** Waits no longer. */
  cancel(): void {
    this.#waiting = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Looks at a condition now and whenever a feed says that something has happened. */
  #when(condition: () => boolean, ready: () => void): void {
    const look = (): void => {
      this.#scheduled = false;
      if (!this.#waiting || !condition()) return;
      this.cancel();
      ready();
    };
    const schedule = (): void => {
      if (this.#scheduled || !this.#waiting) return;
      this.#scheduled = true;
      queueMicrotask(look);
    };
    for (const { source } of this.#feeds) source.onWake(schedule);
    schedule();
  }
}
