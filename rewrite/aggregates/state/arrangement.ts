// The ordered state that operators share: entries in the order of a key, then of a row, with how often each is there. A B+ tree
// that knows how many lie below each node, so that the entry at a place, the place of an entry, and a change cost O(log n).
//
//   branch:  separators  [  ·  |  k2,r2 |  k3,r3 ]      what is at or above a separator, and below the next, is under it
//   leaf:    keys        [ k1  |  k1    |  k2    ]      entries of a leaf stand side by side in arrays: a walk over bare
//            rows        [ r1  |  r2    |  r3    ]      numbers costs a quarter of one that looks into pairs
//            counts      [ 1   |  3     |  1     ]      absent where all are 1

import { neverApplied } from '../../reductions/never-applied.ts';
import { compareDatums } from '../../reql/data/compare.ts';
import { type Datum, MINVAL } from '../../reql/data/datum.ts';

/** Compares two keys, or two rows: negative, zero or positive. */
export type CompareKeys = (a: Datum, b: Datum) => number;

/** A key, its row, and how often the two are there. */
export interface Entry {
  readonly key: Datum;
  /** Null where entries have no rows. */
  readonly row: Datum;
  readonly count: number;
}

/**
 * The most entries of a node, and the most nodes of a branch. V8 gives an array of 32 that grows room for 64, so that nodes
 * that were split have no room that they never use.
 */
const MOST = 64;
/** Neighbors that have no more than this between them become one. */
const FEW = 32;

/** Entries in order. Equal keys with equal rows are one entry, shown as the first of them. */
export class Arrangement {
  readonly #order: Order;
  #root: Tree;
  #distinct = 0;

  /**
   * @param hasRows whether an entry is a key with a row, of which equal keys have several; else it is a key alone
   * @param compareKeys the order of the keys; that of ReQL if absent
   * @param compareRows the order of the rows of equal keys; that of ReQL if absent
   */
  constructor(hasRows: boolean, compareKeys: CompareKeys = compareDatums, compareRows: CompareKeys = compareDatums) {
    this.#order = { hasRows, compareKeys, compareRows };
    this.#root = new Leaf([], hasRows ? [] : undefined, undefined);
  }

  /** How many entries are there, each as often as it is. */
  get size(): number {
    return this.#root.size;
  }

  /** How many different entries are there. */
  get distinct(): number {
    return this.#distinct;
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

  /** How often an entry is there. */
  count(key: Datum, row: Datum = null): number {
    return this.#root.count(this.#order, key, row);
  }

  /** How many entries come before this one, each as often as it is there. */
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
    return this.#order.compareKeys(a.key, b.key) || this.#order.compareRows(a.row, b.row);
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
    const keys: Datum[] = [];
    for (const [leaf] of this.#root.leaves(0)) leaf.copyKeys(keys);
    return keys;
  }
}

interface Order {
  readonly hasRows: boolean;
  readonly compareKeys: CompareKeys;
  readonly compareRows: CompareKeys;
}

type Tree = Leaf | Branch;

/** A leaf, and how many of its entries come before a place. */
type Place = readonly [leaf: Leaf, before: number];

/** The upper half of a node that was too large, and the least that belongs to it. */
interface Upper<Half> {
  readonly tree: Half;
  readonly key: Datum;
  readonly row: Datum;
}

/** The place of an entry among others in order, the first that is not before it; negative, `~place`, where it is not there. */
function find(
  { compareKeys, compareRows }: Order,
  keys: readonly Datum[],
  rows: readonly Datum[] | undefined,
  key: Datum,
  row: Datum,
): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let order = compareKeys(keys[middle] ?? null, key);
    if (order === 0 && rows !== undefined) order = compareRows(rows[middle] ?? null, row);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

/** Entries side by side. */
class Leaf {
  readonly #keys: Datum[];
  readonly #rows: Datum[] | undefined;
  #counts: number[] | undefined;
  size: number;

  constructor(keys: Datum[], rows: Datum[] | undefined, counts: number[] | undefined) {
    this.#keys = keys;
    this.#rows = rows;
    this.#counts = counts;
    this.size = counts === undefined ? keys.length : sumOf(counts);
  }

  get length(): number {
    return this.#keys.length;
  }

  add(order: Order, key: Datum, row: Datum): number {
    const at = find(order, this.#keys, this.#rows, key, row);
    this.size++;
    if (at >= 0) {
      this.#counts ??= Array.from(this.#keys, () => 1);
      const count = (this.#counts[at] ?? 0) + 1;
      this.#counts[at] = count;
      return count;
    }
    insert(this.#keys, ~at, key);
    if (this.#rows !== undefined) insert(this.#rows, ~at, row);
    if (this.#counts !== undefined) insert(this.#counts, ~at, 1);
    return 1;
  }

  remove(order: Order, key: Datum, row: Datum): number {
    const at = find(order, this.#keys, this.#rows, key, row);
    if (at < 0) throw neverApplied();
    const count = this.#countAt(at) - 1;
    this.size--;
    if (count > 0 && this.#counts !== undefined) {
      this.#counts[at] = count;
      return count;
    }
    remove(this.#keys, at);
    if (this.#rows !== undefined) remove(this.#rows, at);
    if (this.#counts !== undefined) remove(this.#counts, at);
    return 0;
  }

  count(order: Order, key: Datum, row: Datum): number {
    const at = find(order, this.#keys, this.#rows, key, row);
    return at < 0 ? 0 : this.#countAt(at);
  }

  rank(order: Order, key: Datum, row: Datum): number {
    const found = find(order, this.#keys, this.#rows, key, row);
    const at = found < 0 ? ~found : found;
    return this.#counts === undefined ? at : sumOf(this.#counts, at);
  }

  at(place: number): Entry {
    if (this.#counts === undefined) return this.entry(place);
    let index = 0;
    for (let left = place - this.#countAt(0); left >= 0; left -= this.#countAt(index)) index++;
    return this.entry(index);
  }

  entry(index: number): Entry {
    return { key: this.#keys[index] ?? null, row: this.#rows?.[index] ?? null, count: this.#countAt(index) };
  }

  copyKeys(to: Datum[]): void {
    const keys = this.#keys;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] ?? null;
      for (let count = this.#countAt(i); count > 0; count--) to.push(key);
    }
  }

  *leaves(from: number): Generator<Place, void> {
    yield [this, from];
  }

  split(): Upper<Leaf> {
    const half = this.#keys.length >>> 1;
    const tree = new Leaf(this.#keys.splice(half), this.#rows?.splice(half), this.#counts?.splice(half));
    this.size -= tree.size;
    const { key, row } = tree.entry(0);
    return { tree, key, row };
  }

  /** Takes in the entries of the leaf after this one. */
  join(next: Leaf): void {
    if (this.#counts !== undefined || next.#counts !== undefined) {
      this.#counts = [...(this.#counts ?? this.#keys.map(() => 1)), ...(next.#counts ?? next.#keys.map(() => 1))];
    }
    this.#keys.push(...next.#keys);
    if (next.#rows !== undefined) this.#rows?.push(...next.#rows);
    this.size += next.size;
  }

  #countAt(index: number): number {
    return this.#counts === undefined ? 1 : (this.#counts[index] ?? 0);
  }
}

/** Nodes in order. */
class Branch {
  readonly nodes: Tree[];
  /** Where each node begins; of the first it does not matter. */
  readonly #keys: Datum[];
  readonly #rows: Datum[] | undefined;
  size: number;

  constructor(nodes: Tree[], keys: Datum[], rows: Datum[] | undefined) {
    this.nodes = nodes;
    this.#keys = keys;
    this.#rows = rows;
    this.size = sumOf(nodes.map(({ size }) => size));
  }

  get length(): number {
    return this.nodes.length;
  }

  add(order: Order, key: Datum, row: Datum): number {
    const index = this.#indexOf(order, key, row);
    const node = this.#node(index);
    const count = node.add(order, key, row);
    this.size++;
    if (node.length >= MOST) {
      const upper = node.split();
      this.#insert(index + 1, upper);
    }
    return count;
  }

  remove(order: Order, key: Datum, row: Datum): number {
    const index = this.#indexOf(order, key, row);
    const node = this.#node(index);
    const count = node.remove(order, key, row);
    this.size--;
    if (node.length < FEW / 2) this.#joinAt(index);
    return count;
  }

  count(order: Order, key: Datum, row: Datum): number {
    return this.#node(this.#indexOf(order, key, row)).count(order, key, row);
  }

  rank(order: Order, key: Datum, row: Datum): number {
    const index = this.#indexOf(order, key, row);
    let before = 0;
    for (let i = 0; i < index; i++) before += this.#node(i).size;
    return before + this.#node(index).rank(order, key, row);
  }

  at(place: number): Entry {
    let left = place;
    for (const node of this.nodes) {
      if (left < node.size) return node.at(left);
      left -= node.size;
    }
    throw new TypeError('a place beyond the end');
  }

  *leaves(from: number): Generator<Place, void> {
    let left = from;
    for (const node of this.nodes) {
      if (left >= node.size) left -= node.size;
      else {
        yield* node.leaves(left);
        left = 0;
      }
    }
  }

  split(): Upper<Branch> {
    const half = this.nodes.length >>> 1;
    const keys = this.#keys.splice(half);
    const rows = this.#rows?.splice(half);
    const tree = new Branch(this.nodes.splice(half), keys, rows);
    this.size -= tree.size;
    return { tree, key: keys[0] ?? null, row: rows?.[0] ?? null };
  }

  /** Takes in the nodes of the branch after this one, which begins at a separator. */
  join(next: Branch, key: Datum, row: Datum): void {
    next.#keys[0] = key;
    if (next.#rows !== undefined) next.#rows[0] = row;
    this.nodes.push(...next.nodes);
    this.#keys.push(...next.#keys);
    if (next.#rows !== undefined) this.#rows?.push(...next.#rows);
    this.size += next.size;
  }

  /** The node under which an entry belongs. */
  #indexOf({ compareKeys, compareRows }: Order, key: Datum, row: Datum): number {
    const [keys, rows] = [this.#keys, this.#rows];
    let low = 1;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      let order = compareKeys(keys[middle] ?? null, key);
      if (order === 0 && rows !== undefined) order = compareRows(rows[middle] ?? null, row);
      if (order <= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  #node(index: number): Tree {
    const node = this.nodes[index];
    if (node === undefined) throw new TypeError('a branch without nodes');
    return node;
  }

  #insert(index: number, { tree, key, row }: Upper<Tree>): void {
    insert(this.nodes, index, tree);
    insert(this.#keys, index, key);
    if (this.#rows !== undefined) insert(this.#rows, index, row);
  }

  #delete(index: number): void {
    remove(this.nodes, index);
    remove(this.#keys, index);
    if (this.#rows !== undefined) remove(this.#rows, index);
  }

  /** A node has become small: it is one with a neighbor where both are few, and gone where it is empty. */
  #joinAt(index: number): void {
    if (this.nodes.length === 1) return;
    if (this.#node(index).size === 0) this.#delete(index);
    else if (!this.#joinWithNext(index) && index > 0) this.#joinWithNext(index - 1);
  }

  #joinWithNext(index: number): boolean {
    const [node, next] = [this.nodes[index], this.nodes[index + 1]];
    if (node === undefined || next === undefined || node.length + next.length > FEW) return false;
    if (node instanceof Leaf && next instanceof Leaf) node.join(next);
    else if (node instanceof Branch && next instanceof Branch) {
      node.join(next, this.#keys[index + 1] ?? null, this.#rows?.[index + 1] ?? null);
    }
    this.#delete(index + 1);
    return true;
  }
}

function sumOf(counts: readonly number[], end: number = counts.length): number {
  let sum = 0;
  for (let i = 0; i < end; i++) sum += counts[i] ?? 0;
  return sum;
}

// `splice` makes an array of what it takes out, which here is nothing or one.
function insert<Item>(items: Item[], at: number, item: Item): void {
  items.push(item);
  for (let i = items.length - 1; i > at; i--) items[i] = items[i - 1] as Item;
  items[at] = item;
}

function remove<Item>(items: Item[], at: number): void {
  for (let i = at + 1; i < items.length; i++) items[i - 1] = items[i] as Item;
  items.pop();
}
