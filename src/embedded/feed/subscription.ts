// A feed on one table: what waits to be sent, and who is to be told when there is something (changefeed.cc,
// subscription_t). Callers owe: `close` once the feed is no longer read, or the table keeps it for ever.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import type { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import { overflowDocument } from './change-document.ts';
import type { ChangeQueue, QueuedChange } from './change-queue.ts';
import type { FeedOptions } from './feed-options.ts';

/** Told that a feed has something to take, or has ended. */
export type Wake = () => void;

/** A source of documents that never ends by itself. */
export interface FeedSource {
  /** The note that tells a driver what kind of feed this is. */
  readonly note: ResponseNote;
  readonly includesStates: boolean;
  /** The least time between two batches in seconds. */
  readonly interval: number;
  /** Documents ready to be sent, at most `limit`; none if nothing is. Raises the error that ended the feed. */
  take(limit: number): readonly Datum[];
  /** Whether `take` would give or raise something. */
  readonly ready: boolean;
  /** Whether so much waits that the interval should not be waited for. */
  readonly nearlyFull: boolean;
  /** Sets the one who is told when `ready` or `nearlyFull` becomes true. */
  onWake(wake: Wake): void;
  close(): void;
}

export abstract class Subscription implements FeedSource {
  abstract readonly note: ResponseNote;
  protected readonly options: FeedOptions;
  #wake: Wake | undefined;
  #leave: (() => void) | undefined;
  #error: ReqlError | undefined;
  #check: (() => void) | undefined;
  #skipped = 0;
  #nearlyFull = false;

  constructor(options: FeedOptions) {
    this.options = options;
  }

  get includesStates(): boolean {
    return this.options.includeStates;
  }

  get interval(): number {
    return this.options.interval;
  }

  get ready(): boolean {
    return this.#error !== undefined || this.#skipped > 0 || this.hasDocument();
  }

  get nearlyFull(): boolean {
    return this.#nearlyFull || this.#error !== undefined;
  }

  get ended(): boolean {
    return this.#error !== undefined;
  }

  take(limit: number): readonly Datum[] {
    this.#nearlyFull = false;
    if (this.#error !== undefined) throw this.#error;
    if (this.ready) this.#check?.();
    if (this.#skipped > 0) {
      const skipped = this.#skipped;
      this.#skipped = 0;
      return [overflowDocument(skipped)];
    }
    const documents: Datum[] = [];
    while (documents.length < limit) {
      const document = this.nextDocument(documents.length > 0);
      if (document === undefined) break;
      documents.push(document);
    }
    return documents;
  }

  onWake(wake: Wake): void {
    this.#wake = wake;
  }

  /** Says what raises where the client may no longer read the table. */
  guard(check: () => void): void {
    this.#check = check;
  }

  /** Says how the table forgets this feed. */
  onClose(leave: () => void): void {
    this.#leave = leave;
  }

  close(): void {
    const leave = this.#leave;
    this.#leave = undefined;
    this.#wake = undefined;
    leave?.();
  }

  /** Ends the feed with an error, which the next reader gets. */
  fail(error: ReqlError): void {
    this.#error ??= error;
    this.notify();
  }

  /** Queues a change; throws all away when there are too many (flat_sub_t::add_el). */
  protected enqueue(queue: ChangeQueue, change: QueuedChange): void {
    queue.add(change);
    if (queue.size > this.options.queueSize) {
      this.#skipped += queue.size;
      queue.clear();
    } else if (queue.size > this.options.queueSize / 2) {
      this.#nearlyFull = true;
    }
    this.notify();
  }

  protected notify(): void {
    this.#wake?.();
  }

  protected abstract hasDocument(): boolean;

  /** The next document; `undefined` if there is none, or none that may follow others in the same batch. */
  protected abstract nextDocument(following: boolean): Datum | undefined;
}
