// Documents that wait for the client to ask for them. What was there at first waits in order. Changes wait in order while
// they are few, and are composed where they would be too many or too large, or where the client wants them composed: they
// are never lost, and never more than there are things to tell of.
//
//   [ first: states, initial values ] [ composed: net changes ] [ latest: changes as they came ]     taken from the left

import { Composer } from './composer.ts';
import { type Change, documentBytes, type FeedDocument, isChange } from './documents.ts';

/** How an outbox is set up. */
export interface OutboxSettings {
  /** Changes that may wait as they came. */
  readonly queueSize: number;
  /** Changes are composed as soon as they come. */
  readonly squash: boolean;
  /** Takes how many bytes wait, whenever that has changed. */
  readonly weighed: (bytes: number) => void;
}

/** Bytes of changes that may wait as they came. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The queue of documents between what makes them and what sends them. */
export class Outbox {
  readonly #settings: OutboxSettings;
  readonly #first = new Queue<FeedDocument>();
  readonly #composed = new Composer();
  readonly #latest = new Queue<Change>();

  constructor(settings: OutboxSettings) {
    this.#settings = settings;
  }

  /** Documents that wait; composed outputs of a reducer count as one. */
  get length(): number {
    return this.#first.length + this.#changes;
  }

  /** Whether what is next is a change. */
  get isChangeNext(): boolean {
    const first = this.#first.peek();
    return first === undefined ? this.#changes > 0 : isChange(first);
  }

  push(document: FeedDocument): void {
    if (isChange(document)) this.#pushChange(document);
    else this.#pushFirst(document);
    this.#weigh();
  }

  /** About `count` documents, first to last: more where one thing takes several to be told of. */
  take(count: number): readonly FeedDocument[] {
    const batch: FeedDocument[] = [];
    while (batch.length < count && this.length > 0) this.#takeInto(batch);
    this.#weigh();
    return batch;
  }

  /** Composes all changes. */
  compose(): void {
    while (this.#latest.length > 0) this.#composeOldest();
    this.#weigh();
  }

  /** Lets go of everything. */
  clear(): void {
    this.#first.clear();
    this.#composed.clear();
    this.#latest.clear();
    this.#weigh();
  }

  get #changes(): number {
    return this.#composed.size + this.#latest.length;
  }

  #pushChange(change: Change): void {
    const { queueSize, squash } = this.#settings;
    this.#latest.push(change, documentBytes(change));
    const most = squash ? 0 : queueSize;
    while (this.#latest.length > 0 && (this.#changes > most || this.#latest.bytes > MOST_BYTES)) this.#composeOldest();
  }

  /** A state, or what was there at first, keeps its place behind the changes that came before it. */
  #pushFirst(document: FeedDocument): void {
    this.compose();
    while (this.#composed.size > 0) for (const change of this.#composed.take()) this.#pushLast(change);
    this.#pushLast(document);
  }

  #pushLast(document: FeedDocument): void {
    this.#first.push(document, documentBytes(document));
  }

  #takeInto(batch: FeedDocument[]): void {
    const first = this.#first.shift();
    if (first !== undefined) {
      batch.push(first);
    } else if (this.#composed.size > 0) {
      for (const change of this.#composed.take()) batch.push(change);
    } else {
      const latest = this.#latest.shift();
      if (latest !== undefined) batch.push(latest);
    }
  }

  #composeOldest(): void {
    const oldest = this.#latest.shift();
    if (oldest !== undefined) this.#composed.add(oldest);
  }

  #weigh(): void {
    this.#settings.weighed(this.#first.bytes + this.#composed.bytes + this.#latest.bytes);
  }
}

/** Things in a row, with how many bytes they take. */
class Queue<Item> {
  #items: (Item | undefined)[] = [];
  #weights: number[] = [];
  /** How many, from the front, have been taken. */
  #taken = 0;
  bytes = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  peek(): Item | undefined {
    return this.#items[this.#taken];
  }

  push(item: Item, bytes: number): void {
    this.#items.push(item);
    this.#weights.push(bytes);
    this.bytes += bytes;
  }

  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#taken];
    this.#items[this.#taken] = undefined;
    this.bytes -= this.#weights[this.#taken] ?? 0;
    this.#taken++;
    if (this.length === 0) {
      this.clear();
    } else if (this.#taken > this.#items.length / 2) {
      // Of a long queue, what was taken is let go of now and then.
      this.#items = this.#items.slice(this.#taken);
      this.#weights = this.#weights.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  clear(): void {
    this.#items.length = 0;
    this.#weights.length = 0;
    this.#taken = 0;
    this.bytes = 0;
  }
}
