// Changes that wait to be sent: all of them in order, or squashed to one per row (changefeed.cc, nonsquashing_queue_t and
// squashing_queue_t).

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';

/** A change to one row as a feed sees it; `undefined` on a side where the feed had, or has, no row. */
export interface QueuedChange {
  readonly key: string;
  readonly old: Datum | undefined;
  readonly now: Datum | undefined;
  /** The document that shows the change, where it is made already. */
  readonly document?: DatumObject | undefined;
}

export interface ChangeQueue {
  readonly size: number;
  add(change: QueuedChange): void;
  take(): QueuedChange | undefined;
  clear(): void;
}

export class PlainQueue implements ChangeQueue {
  #changes: QueuedChange[] = [];
  #taken = 0;

  get size(): number {
    return this.#changes.length - this.#taken;
  }

  add(change: QueuedChange): void {
    this.#changes.push(change);
  }

  take(): QueuedChange | undefined {
    const change = this.#changes[this.#taken];
    if (change === undefined) return undefined;
    this.#taken++;
    if (this.#taken === this.#changes.length) this.clear();
    return change;
  }

  clear(): void {
    this.#changes = [];
    this.#taken = 0;
  }
}

export class SquashingQueue implements ChangeQueue {
  readonly #changes = new Map<string, QueuedChange>();
  /** Where the first change is. To look from the start of a map is to walk over all that was taken before (V8). */
  #walk: Iterator<QueuedChange> | undefined;

  get size(): number {
    return this.#changes.size;
  }

  add(change: QueuedChange): void {
    const waiting = this.#changes.get(change.key);
    if (waiting === undefined) {
      this.#changes.set(change.key, change);
      return;
    }
    const { old } = waiting;
    const { now } = change;
    const nothing = (old ?? null) === null && (now ?? null) === null;
    if (nothing || (old !== undefined && now !== undefined && equalDatums(old, now))) this.#changes.delete(change.key);
    else this.#changes.set(change.key, { key: change.key, old, now });
  }

  take(): QueuedChange | undefined {
    this.#walk ??= this.#changes.values();
    const { value: change } = this.#walk.next();
    if (change === undefined) this.#walk = undefined;
    else this.#changes.delete(change.key);
    return change;
  }

  clear(): void {
    this.#changes.clear();
    this.#walk = undefined;
  }
}
