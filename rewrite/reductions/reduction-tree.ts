// Any reduction, kept as a balanced tree of partial reductions: a change costs O(log n) calls of the function, made when the
// value is asked for, so that taking a value out and putting another in its place is one walk up. Callers owe a function
// that is associative and commutative, as RethinkDB demands of `reduce`.
//
//            f(f(a,b),f(c,d))          nodes[1]
//            f(a,b)   f(c,d)           nodes[2..3]
//            a   b    c   d            nodes[4..7]: the leaves, some of them empty

import type { Datum } from '../reql/data/datum.ts';
import { datumKey } from '../reql/data/datum-key.ts';
import { ReqlError } from '../reql/error.ts';
import { neverApplied } from './never-applied.ts';

/** A reduction function; raises ReqlError. */
export type Combine = (a: Datum, b: Datum) => Datum;

/** A value, an error in the place of one, or nothing. */
type Partial = Datum | ReqlError | undefined;

type Key = string | number;

const SMALLEST = 8;

/** The reduction of a changing bag of values. */
export class ReductionTree {
  readonly #combine: Combine;
  #nodes: Partial[] = empty(SMALLEST);
  /** The leaves that hold each value. */
  #places = new Map<Key, number | number[]>();
  /** Leaves without a value, below `#used`. */
  #free: number[] = [];
  /** How many leaves have been used from the left. */
  #used = 0;
  /** Leaves whose ancestors are out of date. */
  #dirty: number[] = [];
  #size = 0;

  constructor(combine: Combine) {
    this.#combine = combine;
  }

  /** How many values there are. */
  get size(): number {
    return this.#size;
  }

  add(value: Datum): void {
    const leaf = this.#free.pop() ?? this.#next();
    this.#put(leaf, value);
    const key = keyOf(value);
    const places = this.#places.get(key);
    if (places === undefined) this.#places.set(key, leaf);
    else if (typeof places === 'number') this.#places.set(key, [places, leaf]);
    else places.push(leaf);
    this.#size += 1;
  }

  /** Takes out a value that was added. */
  remove(value: Datum): void {
    const leaf = this.#take(keyOf(value));
    this.#put(leaf, undefined);
    this.#free.push(leaf);
    this.#size -= 1;
    if (this.#size * 4 < this.#capacity && this.#capacity > SMALLEST) this.#rebuild(this.#capacity / 2);
  }

  /** The reduction of all values; `undefined` where there are none; the error that the function raised. */
  get value(): Datum | ReqlError | undefined {
    this.#refresh();
    return this.#nodes[1];
  }

  /** The values, in no order that means anything. */
  *[Symbol.iterator](): IterableIterator<Datum> {
    for (let leaf = 0; leaf < this.#used; leaf++) {
      const value = this.#nodes[this.#capacity + leaf];
      if (value !== undefined && !(value instanceof ReqlError)) yield value;
    }
  }

  get #capacity(): number {
    return this.#nodes.length / 2;
  }

  #next(): number {
    if (this.#used === this.#capacity) this.#rebuild(this.#capacity * 2);
    this.#used += 1;
    return this.#used - 1;
  }

  #put(leaf: number, value: Partial): void {
    this.#nodes[this.#capacity + leaf] = value;
    this.#dirty.push(leaf);
  }

  #take(key: Key): number {
    const places = this.#places.get(key);
    if (places === undefined) throw neverApplied();
    if (typeof places === 'number') {
      this.#places.delete(key);
      return places;
    }
    const leaf = places.pop() ?? 0;
    if (places.length === 0) this.#places.delete(key);
    return leaf;
  }

  #rebuild(capacity: number): void {
    const values = [...this];
    this.#nodes = empty(capacity);
    this.#places = new Map();
    this.#free = [];
    this.#used = 0;
    this.#dirty = [];
    this.#size = 0;
    for (const value of values) this.add(value);
  }

  // Level by level, so that a node above many changed leaves is computed once. In order, what is above two leaves comes twice in a row.
  #refresh(): void {
    const level = this.#dirty;
    if (level.length === 0) return;
    this.#dirty = [];
    const capacity = this.#capacity;
    for (let at = 0; at < level.length; at++) level[at] = capacity + (level[at] ?? 0);
    if (level.length > 1) level.sort((a, b) => a - b);
    while (level[0] !== 1) {
      let count = 0;
      let last = 0;
      for (const node of level) {
        const parent = node >> 1;
        if (parent === last) continue;
        this.#nodes[parent] = this.#joined(this.#nodes[2 * parent], this.#nodes[2 * parent + 1]);
        level[count++] = parent;
        last = parent;
      }
      level.length = count;
    }
  }

  #joined(left: Partial, right: Partial): Partial {
    if (left === undefined || right instanceof ReqlError) return right;
    if (right === undefined || left instanceof ReqlError) return left;
    try {
      return this.#combine(left, right);
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  }
}

function empty(capacity: number): Partial[] {
  return new Array<Partial>(2 * capacity).fill(undefined);
}

function keyOf(value: Datum): Key {
  return typeof value === 'number' ? value : datumKey(value);
}
