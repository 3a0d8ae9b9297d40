// A feed on the first n rows by an index: `orderBy({index}).limit(n)`, `min({index})`, `max({index})` (changefeed.cc,
// limit_sub_t). It keeps those n rows only, and reads on in the index when one of them goes.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { ResponseNote } from '../../../rewrite/reql/protocol.ts';
import type { KeyRange } from '../storage/ordered-map.ts';
import type { SecondaryIndex } from '../storage/secondary-index.ts';
import { changeDocument, initialDocument, stateDocument } from './change-document.ts';
import { type ChangeView, leniently, type RowTransform } from './change-view.ts';
import type { FeedOptions } from './feed-options.ts';
import { Subscription } from './subscription.ts';

/** A row, or an index entry, in the order of the feed. */
export interface Place {
  readonly sortKey: string;
  readonly row: Datum;
}

export interface LimitSpec {
  readonly index: { readonly name: string; readonly index: SecondaryIndex } | undefined;
  readonly range: KeyRange;
  readonly descending: boolean;
  readonly limit: number;
  readonly transform: RowTransform | undefined;
  /** Places of the range in feed order, behind the given sort key or from the start. */
  readonly behind: (sortKey: string | undefined) => Iterable<Place>;
}

/** A row in the set: where it stands and what the feed shows for it. */
interface Item {
  readonly sortKey: string;
  readonly value: Datum;
}

interface LimitChange {
  readonly old: Datum | undefined;
  readonly now: Datum | undefined;
  readonly oldOffset: number | null;
  readonly newOffset: number | null;
}

export class LimitSubscription extends Subscription {
  readonly note = ResponseNote.ORDER_BY_LIMIT_FEED;
  readonly spec: LimitSpec;
  #active: readonly Item[];
  #documents: Datum[] = [];
  #held: LimitChange[] = [];

  constructor(options: FeedOptions, spec: LimitSpec) {
    super(options);
    this.spec = spec;
    this.#active = this.#read(undefined, spec.limit, (row) =>
      spec.transform === undefined ? row : (spec.transform.apply(row) ?? null),
    );
    this.#open();
  }

  #open(): void {
    const { includeInitial, includeStates, includeTypes, includeOffsets } = this.options;
    if (includeInitial) {
      if (includeStates) this.#documents.push(stateDocument('initializing', includeTypes));
      this.#active.forEach(({ value }, offset) => {
        this.#documents.push(initialDocument(value, includeTypes, includeOffsets ? offset : undefined));
      });
    }
    if (includeStates) this.#documents.push(stateDocument('ready', includeTypes));
  }

  /** The feed fails where its index is no more the one that has the name (changefeed.cc, foreach_limit). */
  indexSeen(name: string, index: SecondaryIndex): void {
    if (this.spec.index?.name !== name || this.spec.index.index === index) return;
    this.fail(opFailed(`The secondary index \`${name}\` was replaced by a different one.`));
  }

  changed(view: ChangeView): void {
    const { index } = this.spec;
    const seen = index === undefined ? undefined : view.entries(index.name);
    if (index !== undefined && seen !== undefined) this.indexSeen(index.name, seen.index);
    if (this.ended || (index !== undefined && seen === undefined)) return;
    const gone = new Set(this.#sortKeys(view, 'old'));
    const come = this.#items(view);
    const before = this.#active;
    const after = this.#fill(
      this.#insert(
        before.filter(({ sortKey }) => !gone.has(sortKey)),
        come,
      ),
    );
    this.#active = after;
    const changes = this.#difference(before, after);
    if (changes.length === 0) return;
    if (this.options.squash) this.#held.push(...changes);
    else for (const change of changes) this.#push(change);
    this.notify();
  }

  #sortKeys(view: ChangeView, side: 'old' | 'now'): readonly string[] {
    const { index, range } = this.spec;
    const row = view.change[side];
    if (row === undefined) return [];
    const keys =
      index === undefined ? [row.key] : (view.entries(index.name)?.[side] ?? []).map(({ sortKey }) => sortKey);
    return keys.filter((key) => range.low <= key && key < range.high);
  }

  #items(view: ChangeView): readonly Item[] {
    const keys = this.#sortKeys(view, 'now');
    if (keys.length === 0) return [];
    const value = view.project(this.spec.transform).now;
    return value === null ? [] : keys.map((sortKey) => ({ sortKey, value }));
  }

  #before(a: string, b: string): boolean {
    return this.spec.descending ? a > b : a < b;
  }

  /** Puts new items among those in the set; what stands behind the last one is left to `#fill`. */
  #insert(items: readonly Item[], come: readonly Item[]): readonly Item[] {
    const last = items.at(-1);
    if (last === undefined) return items;
    const inside = come.filter(({ sortKey }) => this.#before(sortKey, last.sortKey));
    if (inside.length === 0) return items;
    const merged = [...items, ...inside].sort((a, b) => (this.#before(a.sortKey, b.sortKey) ? -1 : 1));
    return merged.slice(0, this.spec.limit);
  }

  #fill(items: readonly Item[]): readonly Item[] {
    const missing = this.spec.limit - items.length;
    if (missing <= 0) return items;
    const { transform } = this.spec;
    const lenient = (row: Datum) => (transform === undefined ? row : leniently(transform, row));
    return [...items, ...this.#read(items.at(-1)?.sortKey, missing, lenient)];
  }

  #read(behind: string | undefined, count: number, project: (row: Datum) => Datum): readonly Item[] {
    const items: Item[] = [];
    if (count === 0) return items;
    for (const { sortKey, row } of this.spec.behind(behind)) {
      const value = project(row);
      if (value === null) continue;
      items.push({ sortKey, value });
      if (items.length === count) break;
    }
    return items;
  }

  #difference(before: readonly Item[], after: readonly Item[]): readonly LimitChange[] {
    const gone = before.filter((item) => !after.includes(item));
    const come = after.filter((item) => !before.includes(item));
    const offset = (items: readonly Item[], item: Item | undefined) =>
      item === undefined || !this.options.includeOffsets ? null : items.indexOf(item);
    const changes: LimitChange[] = [];
    for (let at = 0; at < Math.max(gone.length, come.length); at++) {
      const change = {
        old: gone[at]?.value,
        now: come[at]?.value,
        oldOffset: offset(before, gone[at]),
        newOffset: offset(after, come[at]),
      };
      if (!this.#nothing(change)) changes.push(change);
    }
    return changes;
  }

  #nothing({ old, now, oldOffset, newOffset }: LimitChange): boolean {
    if (old === undefined || now === undefined) return old === now;
    return oldOffset === newOffset && equalDatums(old, now);
  }

  #push(change: LimitChange): void {
    const { includeTypes, includeOffsets } = this.options;
    const offsets = includeOffsets ? { old: change.oldOffset, now: change.newOffset } : undefined;
    const document = changeDocument(change.old ?? null, change.now ?? null, includeTypes, offsets);
    if (document !== undefined) this.#documents.push(document);
  }

  /** Composes held changes: one that begins where an earlier one ended continues it. */
  #release(): void {
    const composed: LimitChange[] = [];
    for (const change of this.#held) {
      const earlier = composed.findIndex(({ now }) => this.#same(now, change.old));
      const start = composed[earlier];
      if (start === undefined) composed.push(change);
      else composed[earlier] = { ...start, now: change.now };
    }
    this.#held = [];
    for (const change of composed) if (!this.#nothing(change)) this.#push(change);
  }

  #same(a: Datum | undefined, b: Datum | undefined): boolean {
    return a === undefined || b === undefined ? a === b : equalDatums(a, b);
  }

  protected override hasDocument(): boolean {
    return this.#documents.length > 0 || this.#held.length > 0;
  }

  protected override nextDocument(): Datum | undefined {
    if (this.#documents.length === 0) this.#release();
    return this.#documents.shift();
  }
}
