// The ordered state that operators share: entries in the order of a key, then of a row, with how often each is there. A B+ tree
// that knows how many lie below each node, so that the entry at a place, the place of an entry, and a change cost O(log n).
//
//   branch:  separators  [  ·  |  k2,r2 |  k3,r3 ]      what is at or above a separator, and below the next, is under it
//   leaf:    keys        [ k1  |  k1    |  k2    ]      entries of a leaf stand side by side in arrays: a walk over bare
//            rows        [ r1  |  r2    |  r3    ]      numbers costs a quarter of one that looks into pairs
//            counts      [ 1   |  3     |  1     ]      absent where all are 1

import { compareDatums } from '../../reql/data/compare.ts';
import { type Datum, MINVAL } from '../../reql/data/datum.ts';
import { Branch, MOST, type Tree } from './arrangement-branch.ts';
import { type Entry, Leaf } from './arrangement-leaf.ts';
import { Loading } from './arrangement-loading.ts';
import { type CompareKeys, compareEntries, type Order, type WeighKey } from './arrangement-places.ts';

/** Entries in order. Equal keys with equal rows are one entry, shown as the first of them. */
export class Arrangement {
  readonly #order: Order;
  readonly #now: () => number;
  #root: Tree;
  #distinct = 0;
  /** What has come and is not there yet. */
  #loading: Loading | undefined;

  /**
   * @param hasRows whether an entry is a key with a row, of which equal keys have several; else it is a key alone
   * @param compareKeys the order of the keys; that of ReQL if absent
   * @param compareRows the order of the rows of equal keys; that of ReQL if absent
   * @param weighKey numbers in the order of the keys, by which those that are loaded are sorted sooner; absent where nobody knows any
   * @param now milliseconds, by which those that are loaded are sorted a few at a time where comparisons cost much; absent where none do
   */
  constructor(
    hasRows: boolean,
    compareKeys: CompareKeys = compareDatums,
    compareRows: CompareKeys = compareDatums,
    weighKey: WeighKey = compareKeys === compareDatums ? numberOf : () => Number.NaN,
    now: () => number = () => 0,
  ) {
    this.#now = now;
    this.#order = { hasRows, compareKeys, compareRows, weighKey };
    this.#root = new Leaf([], hasRows ? [] : undefined, undefined);
  }

  /** The number of entries, each as often as it is there. */
  get size(): number {
    return this.#root.size;
  }

  /** The number of different entries. */
  get distinct(): number {
    return this.#distinct;
  }

  /** Takes an entry that is to be there once all are built, many of which are then in place sooner than one by one. */
  load(key: Datum, row: Datum = null): void {
    this.#loading ??= new Loading(this.#order, this.#now);
    this.#loading.add(key, row);
  }

  /** Takes an entry away once that was loaded. */
  unload(key: Datum, row: Datum = null): void {
    this.#loading ??= new Loading(this.#order, this.#now);
    this.#loading.remove(key, row);
  }

  /**
   * Builds what has been loaded, where nothing was there before, in steps. Each gives an entry that is no more one of those that
   * are there, since it is equal to another or was taken away, or `undefined`.
   * @throws ReqlError where something was unloaded that was not loaded
   */
  *build(): Generator<Entry | undefined, void> {
    const loading = this.#loading;
    if (loading === undefined) return;
    this.#loading = undefined;
    const { tree, distinct } = yield* loading.build();
    this.#root = tree;
    this.#distinct = distinct;
    for (const { key, row } of loading.removed) yield this.remove(key, row) === 0 ? { key, row, count: 1 } : undefined;
  }

  /** Adds a key, with its row if entries have rows, and says how often it is there now. */
  add(key: Datum, row: Datum = null): number {
    const root = this.#root;
    const count = root.add(this.#order, key, row);
    if (count === 1) this.#distinct++;
    if (root.length >= MOST) {
      const upper = root.split();
      this.#root = new Branch(
        [root, upper.tree],
        [null, upper.key],
        this.#order.hasRows ? [null, upper.row] : undefined,
      );
    }
    return count;
  }

  /**
   * Takes an entry away once, and says how often it is still there.
   * @throws ReqlError where it is not there
   */
  remove(key: Datum, row: Datum = null): number {
    const count = this.#root.remove(this.#order, key, row);
    if (count === 0) this.#distinct--;
    const only = this.#root instanceof Branch && this.#root.length === 1 ? this.#root.nodes[0] : undefined;
    if (only !== undefined) this.#root = only;
    return count;
  }

  /** The count of an entry. */
  count(key: Datum, row: Datum = null): number {
    return this.#root.count(this.#order, key, row);
  }

  /** The number of entries before this one, each as often as it is there. */
  rank(key: Datum, row: Datum = null): number {
    return this.#root.rank(this.#order, key, row);
  }

  /** The entry at a place, counted from 0, where each stands as often as it is there; `undefined` where there is none. */
  at(place: number): Entry | undefined {
    return place < 0 || place >= this.size ? undefined : this.#root.at(place);
  }

  /** The first entry; `undefined` where there is none. */
  get first(): Entry | undefined {
    return this.at(0);
  }

  /** The last entry; `undefined` where there is none. */
  get last(): Entry | undefined {
    return this.at(this.size - 1);
  }

  /** Compares two entries by key and row: negative, zero or positive. */
  compare(a: Pick<Entry, 'key' | 'row'>, b: Pick<Entry, 'key' | 'row'>): number {
    return compareEntries(this.#order, a.key, a.row, b.key, b.row);
  }

  /** The first entry of a key; `undefined` where it has none. */
  firstOf(key: Datum): Entry | undefined {
    const entry = this.at(this.rank(key, MINVAL));
    return entry === undefined || this.#order.compareKeys(entry.key, key) !== 0 ? undefined : entry;
  }

  /** The entries in order, from the one at a place on. Not to be read on after a change. */
  *entries(from = 0): Generator<Entry, void> {
    for (const [leaf, skipped] of this.#root.leaves(from)) {
      let left = skipped;
      for (let i = 0; i < leaf.length; i++) {
        const entry = leaf.entry(i);
        left -= entry.count;
        if (left < 0) yield { ...entry, count: Math.min(entry.count, -left) };
        left = Math.max(left, 0);
      }
    }
  }

  /** The rows of a key with how often each is there, in order. Not to be read on after a change. */
  *rowsOf(key: Datum): Generator<Entry, void> {
    for (const entry of this.entries(this.rank(key, MINVAL))) {
      if (this.#order.compareKeys(entry.key, key) !== 0) return;
      yield entry;
    }
  }

  /** The keys in order, each as often as it is there: a new array. */
  keys(): Datum[] {
    const runs: (readonly Datum[])[] = [];
    this.#root.keyRuns(runs);
    let keys: Datum[] = [];
    // Arrays are copied whole, which takes a quarter of the time of their items one by one.
    for (let start = 0; start < runs.length; start += AT_ONCE)
      keys = keys.concat(...runs.slice(start, start + AT_ONCE));
    return keys;
  }
}

/** Arrays that are put together in one call: its arguments stand on the stack. */
const AT_ONCE = 8192;

/** A number is its own weight. */
function numberOf(key: Datum): number {
  return typeof key === 'number' ? key : Number.NaN;
}
