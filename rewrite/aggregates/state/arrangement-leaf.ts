// The leaves of an arrangement: entries side by side in arrays.

import { neverApplied } from '../../reductions/never-applied.ts';
import type { Datum } from '../../reql/data/datum.ts';
import { find, insert, type Order, remove, sumOf } from './arrangement-places.ts';

/** A key, its row, and how often the two are there. */
export interface Entry {
  readonly key: Datum;
  /** Null where entries have no rows. */
  readonly row: Datum;
  readonly count: number;
}

/** A leaf, and how many of its entries come before a place. */
export type Place = readonly [leaf: Leaf, before: number];

/** The upper half of a node that was too large, and the least that belongs to it. */
export interface Upper<Half> {
  readonly tree: Half;
  readonly key: Datum;
  readonly row: Datum;
}

/** Entries side by side. */
export class Leaf {
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

  /** Adds the keys, each as often as it is there, as an array that others must not change and that the next change may. */
  keyRuns(to: (readonly Datum[])[]): void {
    const counts = this.#counts;
    if (counts === undefined) to.push(this.#keys);
    else to.push(this.#keys.flatMap((key, i) => Array<Datum>(counts[i] ?? 1).fill(key)));
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
