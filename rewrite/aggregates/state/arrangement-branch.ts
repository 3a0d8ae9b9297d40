// The branches of an arrangement: nodes in order, with how many entries lie below them, and where each begins.

import type { Datum } from '../../reql/data/datum.ts';
import { type Entry, Leaf, type Place, type Upper } from './arrangement-leaf.ts';
import { insert, type Order, remove, sumOf } from './arrangement-places.ts';

/**
 * The most entries of a node, and the most nodes of a branch. V8 gives an array of 32 that grows room for 64, so that nodes
 * that were split have no room that they never use.
 */
export const MOST = 64;
/** Neighbors that have no more than this between them become one. */
const FEW = 32;

/** A leaf, or what is above leaves. */
export type Tree = Leaf | Branch;

/** Nodes in order. */
export class Branch {
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

  /** Adds the arrays of keys that lie below. */
  keyRuns(to: (readonly Datum[])[]): void {
    for (const node of this.nodes) node.keyRuns(to);
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
