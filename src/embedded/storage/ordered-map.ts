// A map sorted by byte-string keys that may change while it is being read: walks go chunk by chunk and resume behind the
// last key they gave, so a row written or deleted meanwhile is simply seen or not.

import SortedBTree from 'sorted-btree';

const BTree = SortedBTree.default ?? SortedBTree;

/** Keys from `low` (included) to `high` (excluded). */
export interface KeyRange {
  readonly low: string;
  readonly high: string;
}

/** Every key there can be: keys are latin1 strings. */
export const ALL_KEYS: KeyRange = { low: '', high: '\uffff' };

/** The key right behind `key`. */
export const successor = (key: string): string => `${key}\x00`;

const FIRST_CHUNK = 16;
const LARGEST_CHUNK = 1024;

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export class OrderedMap<V> {
  readonly #tree = new BTree<string, V>(undefined, compareKeys);

  get size(): number {
    return this.#tree.size;
  }

  set(key: string, value: V): void {
    this.#tree.set(key, value);
  }

  delete(key: string): void {
    this.#tree.delete(key);
  }

  /** The values of a range, lowest key first. */
  *ascending({ low, high }: KeyRange): Generator<V> {
    let from = low;
    for (let size = FIRST_CHUNK; from < high; size = Math.min(size * 4, LARGEST_CHUNK)) {
      const chunk = this.#tree.getRange(from, high, false, size);
      for (const [, value] of chunk) yield value;
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < size) return;
      from = successor(last[0]);
    }
  }

  /** The values of a range, highest key first. */
  *descending({ low, high }: KeyRange): Generator<V> {
    let below = high;
    for (let size = FIRST_CHUNK; low < below; size = Math.min(size * 4, LARGEST_CHUNK)) {
      const chunk = this.#below(low, below, size);
      for (const [, value] of chunk) yield value;
      const last = chunk.at(-1);
      if (last === undefined || chunk.length < size) return;
      below = last[0];
    }
  }

  #below(low: string, below: string, size: number): [string, V][] {
    const chunk: [string, V][] = [];
    for (const [key, value] of this.#tree.entriesReversed(below, undefined, true)) {
      if (key < low || chunk.length === size) break;
      chunk.push([key, value]);
    }
    return chunk;
  }
}
