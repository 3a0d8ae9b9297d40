// Documents that wait for the client to ask for them: in order while they are few, composed where they would be too many
// or where the client wants them composed. Never lost, and never more than there are things to tell of.

import { compose } from './compose.ts';
import type { FeedDocument } from './documents.ts';

/** The queue of documents between what makes them and what sends them. */
export class Outbox {
  readonly #queueSize: number;
  readonly #squash: boolean;
  #waiting: FeedDocument[] = [];
  /** How many of `#waiting`, from the front, have been taken. */
  #taken = 0;
  /** At this many documents the next composing is worth its while. */
  #composeAt: number;
  /** Whether nothing came since the changes were composed. */
  #composed = true;

  /** Up to `queueSize` documents wait as they came; with `squash`, changes are composed whenever documents are taken. */
  constructor(queueSize: number, squash: boolean) {
    this.#queueSize = queueSize;
    this.#squash = squash;
    this.#composeAt = queueSize;
  }

  get length(): number {
    return this.#waiting.length - this.#taken;
  }

  /** The document that is next. */
  get first(): FeedDocument | undefined {
    return this.#waiting[this.#taken];
  }

  push(document: FeedDocument): void {
    this.#waiting.push(document);
    this.#composed = false;
    if (this.length <= this.#composeAt) return;
    this.#replace(compose(this.#rest(), 'all'));
    this.#composeAt = Math.max(this.#queueSize, 2 * this.#waiting.length);
  }

  /** Up to `count` documents, first to last. */
  take(count: number): readonly FeedDocument[] {
    if (this.#squash && !this.#composed) this.#replace(compose(this.#rest(), 'changes'));
    this.#composed = true;
    const batch = this.#waiting.slice(this.#taken, this.#taken + count);
    this.#taken += batch.length;
    if (this.#taken === this.#waiting.length) this.#replace([]);
    // A slow client of a long queue: what was taken is let go of now and then.
    else if (this.#taken > this.#waiting.length / 2) this.#replace(this.#rest());
    return batch;
  }

  /** Lets go of everything. */
  clear(): void {
    this.#replace([]);
  }

  #rest(): FeedDocument[] {
    return this.#taken === 0 ? this.#waiting : this.#waiting.slice(this.#taken);
  }

  #replace(waiting: FeedDocument[]): void {
    this.#waiting = waiting;
    this.#taken = 0;
    if (waiting.length === 0) this.#composeAt = this.#queueSize;
  }
}
