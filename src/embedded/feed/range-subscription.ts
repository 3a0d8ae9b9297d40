// A feed on rows of a table: all, a range, or chosen keys, by primary key or by an index (changefeed.cc, range_sub_t).

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import type { KeyRange } from '../storage/ordered-map.ts';
import type { IndexEntry } from '../storage/secondary-index.ts';
import { changeDocument, initialDocument, stateDocument } from './change-document.ts';
import { type ChangeQueue, PlainQueue, SquashingQueue } from './change-queue.ts';
import type { ChangeView, Projected, RowTransform } from './change-view.ts';
import type { FeedOptions } from './feed-options.ts';
import { Subscription } from './subscription.ts';

/** The rows, or the index entries, that a feed is about. Keys are as stored; `copies` counts repeated keys of `getAll`. */
export type Selection =
  | { readonly kind: 'range'; readonly range: KeyRange }
  | { readonly kind: 'keys'; readonly copies: ReadonlyMap<string, number> };

export interface RangeSpec {
  /** By its name: whatever index has it is followed, as in the server. */
  readonly index: string | undefined;
  readonly selection: Selection;
  readonly transform: RowTransform | undefined;
  /** Values of the rows there are when the feed is opened; read lazily, but never later than that. */
  readonly initial: Iterator<Datum>;
}

export class RangeSubscription extends Subscription {
  readonly note = ResponseNote.SEQUENCE_FEED;
  readonly spec: RangeSpec;
  readonly #queue: ChangeQueue;
  #phase: 'initializing' | 'initial' | 'ready' | 'live';
  #ahead: Datum | undefined;

  constructor(options: FeedOptions, spec: RangeSpec) {
    super(options);
    this.spec = spec;
    this.#queue = options.squash ? new SquashingQueue() : new PlainQueue();
    this.#phase = options.includeInitial ? 'initializing' : 'ready';
    this.#settle();
  }

  /** Takes notice of a change to the table. */
  changed(view: ChangeView): void {
    if (this.ended) return;
    const { index } = this.spec;
    if (index === undefined) this.#primaryChanged(view);
    else this.#indexChanged(view, index);
  }

  #primaryChanged(view: ChangeView): void {
    const { key } = view.change;
    const copies = this.#copies(key, key);
    if (copies === 0) return;
    const projected = view.project(this.spec.transform);
    if (!projected.trivial) for (let copy = 0; copy < copies; copy++) this.#changedInside(key, projected);
  }

  #indexChanged(view: ChangeView, index: string): void {
    const entries = view.entries(index);
    if (entries === undefined) return;
    let olds = this.#count(entries.old);
    let nows = this.#count(entries.now);
    if (olds + nows === 0) return;
    const { key } = view.change;
    const projected = view.project(this.spec.transform);
    const { old, now, trivial } = projected;
    for (; olds > 0 && nows > 0; olds--, nows--) {
      if (!trivial) this.#changedInside(key, projected);
    }
    for (; olds > 0; olds--) if (old !== null) this.enqueue(this.#queue, { key, old, now: undefined });
    for (; nows > 0; nows--) if (now !== null) this.enqueue(this.#queue, { key, old: undefined, now });
  }

  /** Queues a change of a row that was and is selected. */
  #changedInside(key: string, projected: Projected): void {
    const { old, now } = projected;
    // Squashed changes are other changes by the time they are shown.
    const document = this.options.squash ? undefined : projected.document(this.options.includeTypes);
    this.enqueue(this.#queue, { key, old, now, document });
  }

  #count(entries: readonly IndexEntry[]): number {
    let count = 0;
    for (const { secondary, sortKey } of entries) count += this.#copies(secondary, sortKey);
    return count;
  }

  #copies(key: string, sortKey: string): number {
    const { selection } = this.spec;
    if (selection.kind === 'keys') return selection.copies.get(key) ?? 0;
    return selection.range.low <= sortKey && sortKey < selection.range.high ? 1 : 0;
  }

  protected override hasDocument(): boolean {
    return this.#phase !== 'live' || this.#queue.size > 0;
  }

  protected override nextDocument(following: boolean): Datum | undefined {
    const { includeTypes } = this.options;
    switch (this.#phase) {
      case 'initializing':
        this.#phase = 'initial';
        this.#settle();
        return stateDocument('initializing', includeTypes);
      case 'initial': {
        const value = this.#ahead ?? null;
        this.#settle();
        return initialDocument(value, includeTypes);
      }
      case 'ready':
        // The server tells `ready` in a batch of its own.
        if (following) return undefined;
        this.#phase = 'live';
        return stateDocument('ready', includeTypes);
      case 'live': {
        const change = this.#queue.take();
        if (change === undefined) return undefined;
        return change.document ?? changeDocument(change.old ?? null, change.now ?? null, includeTypes);
      }
    }
  }

  /** Skips the phases that show nothing, so that `hasDocument` never promises too much. */
  #settle(): void {
    if (this.#phase === 'initializing' && !this.options.includeStates) this.#phase = 'initial';
    if (this.#phase === 'initial') {
      let next = this.spec.initial.next();
      // A row that is null makes no event, at first as later.
      while (next.done !== true && next.value === null) next = this.spec.initial.next();
      this.#ahead = next.done === true ? undefined : next.value;
      if (next.done === true) this.#phase = 'ready';
    }
    if (this.#phase === 'ready' && !this.options.includeStates) this.#phase = 'live';
  }
}
