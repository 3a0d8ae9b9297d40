// The view of a feed, put together from its documents: one value, groups, rows or outputs; or, where they tell no state, the
// last of the documents themselves.

import { compareDatums } from '../../rewrite/reql/data/compare.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../rewrite/reql/data/datum-key.ts';
import { ResponseNote } from '../../rewrite/reql/protocol.ts';
import { firstInOrder } from './first-in-order.ts';
import { byKey, type Ordering } from './ordering.ts';
import { Rate } from './rate.ts';

/** The shape of what is shown. */
export type Shape = 'value' | 'groups' | 'rows' | 'outputs' | 'documents';

/** The mark of a recent change of an item. */
export type Mark = 'added' | 'changed' | 'removed';

/** A value, a group, a row, an output or a document. */
export interface Item {
  /** Absent where there are no groups. */
  readonly group?: Datum;
  readonly value: Datum;
  /** What it was before it changed. */
  readonly before?: Datum;
  /** How often an output is there. */
  readonly count?: number;
  /** Absent on what was there at first. */
  readonly mark?: Mark;
  /** When it came to be as it is, in milliseconds. */
  readonly at: number;
}

/** The phase of the feed. */
export type Phase = 'opening' | 'reading' | 'live' | 'healing' | 'ended';

/** The time for which an item that is gone is still told of, in milliseconds. */
export const LINGER_MS = 1500;
const MOST_DOCUMENTS = 200;

/** The settings of a view. */
export interface ViewSettings {
  readonly ordering: Ordering | undefined;
  readonly isReducer: boolean;
}

/** Puts documents together. */
export class LiveView {
  readonly rate = new Rate();
  readonly #ordering: Ordering;
  readonly #isReducer: boolean;
  #isAtom = false;
  #shape: Shape | undefined;
  #phase: Phase = 'opening';
  #notice: string | undefined;
  /** Items by the key of what they are: of the group, of the row, of the output. Equal rows share a key. */
  readonly #items = new Map<string, Item[]>();
  #gone: Item[] = [];
  /** The first in order, and how many of them at most. */
  #sorted: readonly Item[] | undefined;
  #most = 0;
  /** When something was marked last. */
  #markedAt = Number.NEGATIVE_INFINITY;

  constructor({ ordering, isReducer }: ViewSettings) {
    this.#ordering = ordering ?? byKey;
    this.#isReducer = isReducer;
  }

  /** `undefined` until the first document that is no state. */
  get shape(): Shape | undefined {
    return this.#shape;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** What the feed said last that is neither a state nor a change. */
  get notice(): string | undefined {
    return this.#notice;
  }

  /** How many items there are. */
  get size(): number {
    let size = 0;
    for (const items of this.#items.values()) size += items.length;
    return size;
  }

  /** Takes what a response says of its feed (`ResponseNote`). */
  note(notes: readonly number[]): void {
    if (notes.includes(ResponseNote.ATOM_FEED)) this.#isAtom = true;
    if (this.#phase === 'opening') this.#phase = notes.includes(ResponseNote.INCLUDES_STATES) ? 'reading' : 'live';
  }

  /** Takes note of the end: what has gone of late is told of no more. */
  end(): void {
    this.#phase = 'ended';
    this.#gone = [];
    this.#sorted = undefined;
  }

  /** Takes a document. `now` is milliseconds. */
  take(document: Datum, now: number): void {
    const state = stateOf(document);
    if (state !== undefined) {
      this.#phase = PHASES[state] ?? this.#phase;
      return;
    }
    if (isNotice(document)) {
      this.#notice = String(getField(document, 'error'));
      return;
    }
    if (this.#phase === 'live') this.rate.count(now);
    this.#markedAt = now;
    this.#shape ??= this.#shapeOf(document);
    this.#sorted = undefined;
    if (!isObject(document)) this.#list(document, now);
    else this.#takers[this.#shape](document, now);
  }

  /** The first items in order, as many as there is room for, with those that have gone of late among them. */
  items(now: number, most: number = Number.POSITIVE_INFINITY): readonly Item[] {
    const gone = this.#gone.filter(({ at }) => now - at < LINGER_MS);
    if (gone.length !== this.#gone.length || most !== this.#most) this.#sorted = undefined;
    this.#gone = gone;
    this.#most = most;
    this.#sorted ??= this.#inOrder([...[...this.#items.values()].flat(), ...gone]);
    return this.#sorted;
  }

  /** True while something is told of that will not be for long. */
  isFading(now: number): boolean {
    return this.#gone.length > 0 || now - this.#markedAt < LINGER_MS;
  }

  #shapeOf(document: Datum): Shape {
    if (this.#isReducer) return 'outputs';
    if (!isChange(document)) return 'documents';
    if (this.#isAtom) return 'value';
    return Object.hasOwn(document, 'group') ? 'groups' : 'rows';
  }

  readonly #takers: { readonly [S in Shape]: (document: DatumObject, now: number) => void } = {
    value: (document, now) => {
      const value = getField(document, 'new_val') ?? null;
      const before = getField(document, 'old_val');
      const change = before === undefined ? {} : ({ before, mark: 'changed' } as const);
      this.#items.set('', [{ value, at: now, ...change }]);
    },
    groups: (document, now) => {
      const group = getField(document, 'group') ?? null;
      const key = datumKey(group);
      const [old] = this.#items.get(key) ?? [];
      const { goes, comes } = sides(document);
      const isGone = getField(document, 'type') === 'remove' || (comes === undefined && goes !== undefined);
      if (isGone && getField(document, 'type') !== 'change') {
        this.#items.delete(key);
        this.#gone.push({ group, value: old?.value ?? goes ?? null, mark: 'removed', at: now });
        return;
      }
      this.#items.set(key, [{ group, value: comes ?? null, at: now, ...this.#marked(old, goes) }]);
    },
    rows: (document, now) => {
      const { goes, comes } = sides(document);
      if (goes !== undefined) this.#remove(datumKey(goes), { value: goes, at: now }, comes === undefined);
      if (comes === undefined) return;
      this.#add(datumKey(comes), { value: comes, at: now, ...this.#marked(undefined, goes) });
    },
    outputs: (document, now) => {
      const group = getField(document, 'group');
      const inGroup = group === undefined ? {} : { group };
      const value = getField(document, 'value');
      const { goes, comes } = sides(document);
      if (value !== undefined) {
        this.#countOutput({ ...inGroup, value, at: now }, Number(getField(document, 'count') ?? 1));
        return;
      }
      if (goes !== undefined) this.#countOutput({ ...inGroup, value: goes, at: now }, -1);
      if (comes !== undefined) this.#countOutput({ ...inGroup, value: comes, at: now }, 1);
    },
    documents: (document, now) => this.#list(document, now),
  };

  #list(document: Datum, now: number): void {
    const documents = this.#items.get('') ?? [];
    this.#items.set('', [{ value: document, at: now }, ...documents].slice(0, MOST_DOCUMENTS));
  }

  /** How an item is marked that takes the place of another, or of nothing. */
  #marked(old: Item | undefined, goes: Datum | undefined): Pick<Item, 'before' | 'mark'> {
    const before = old?.value ?? goes;
    if (before !== undefined) return { before, mark: 'changed' };
    return this.#phase === 'live' ? { mark: 'added' } : {};
  }

  #add(key: string, item: Item): void {
    const items = this.#items.get(key);
    if (items === undefined) this.#items.set(key, [item]);
    else items.push(item);
  }

  #remove(key: string, item: Item, isGone: boolean): void {
    const items = this.#items.get(key);
    items?.pop();
    if (items?.length === 0) this.#items.delete(key);
    if (isGone) this.#gone.push({ ...item, mark: 'removed' });
  }

  #countOutput(item: Item, times: number): void {
    const key = datumKey([item.group ?? null, item.value]);
    const [old] = this.#items.get(key) ?? [];
    const count = (old?.count ?? 0) + times;
    if (count === 0) this.#remove(key, item, true);
    else this.#items.set(key, [{ ...item, count, ...this.#marked(old, undefined) }]);
  }

  #compare(a: Item, b: Item): number {
    return (
      compareDatums(a.group ?? null, b.group ?? null) ||
      this.#ordering(a.value, b.value) ||
      compareDatums(a.value, b.value)
    );
  }

  #inOrder(items: readonly Item[]): readonly Item[] {
    if (this.#shape === 'documents' || this.#shape === 'value') return items.slice(0, this.#most);
    return firstInOrder(items, this.#most, (a, b) => this.#compare(a, b));
  }
}

const PHASES: Readonly<Record<string, Phase>> = {
  initializing: 'reading',
  ready: 'live',
  healing: 'healing',
  healed: 'live',
};

function isChange(document: Datum): document is DatumObject {
  return isObject(document) && (Object.hasOwn(document, 'new_val') || Object.hasOwn(document, 'old_val'));
}

function stateOf(document: Datum): string | undefined {
  if (!isObject(document) || isChange(document)) return undefined;
  const state = getField(document, 'state');
  return typeof state === 'string' ? state : undefined;
}

function isNotice(document: Datum): document is DatumObject {
  return isObject(document) && !isChange(document) && Object.hasOwn(document, 'error');
}

/** What goes and what comes. A null beside another value stands for nothing; one that stands alone is a value. */
function sides(document: DatumObject): { readonly goes: Datum | undefined; readonly comes: Datum | undefined } {
  const [old, now] = [getField(document, 'old_val'), getField(document, 'new_val')];
  return {
    goes: old === null && now !== undefined ? undefined : old,
    comes: now === null && old !== undefined ? undefined : now,
  };
}
