// A hash of data with how often each is there, in the order in which they came.

import { neverApplied } from '../../../rewrite/reductions/never-applied.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { type Gauge, keyBytes } from './gauge.ts';

/** A datum that is not its own key. */
interface Counted {
  /** The first of the equal ones. */
  readonly datum: Datum;
  count: number;
}

/** What a datum takes in the hash where it is its own key, and where it is not, beside its key. */
const ATOM = 40;
const ENTRY = 16;

/** Data with how often each is there. Equal data are one, shown as the first of them. */
export class DatumCounts {
  readonly #gauge: Gauge;
  /** A number is the count of a datum that is its own key: most are. */
  readonly #counts = new Map<HashKey, number | Counted>();

  constructor(gauge: Gauge) {
    this.#gauge = gauge;
  }

  /** How often a datum is there. */
  count(datum: Datum): number {
    return countOf(this.#counts.get(hashKey(datum)) ?? 0);
  }

  /** The one of the equal data that is kept, the datum itself where none is. */
  kept(datum: Datum): Datum {
    const entry = this.#counts.get(hashKey(datum));
    return typeof entry === 'object' ? entry.datum : datum;
  }

  /** Adds a datum, and says how often it is there now. */
  add(datum: Datum): number {
    const key = hashKey(datum);
    const entry = this.#counts.get(key);
    if (entry === undefined) {
      // 0 is the key of -0.
      this.#counts.set(key, Object.is(key, datum) && !Object.is(datum, -0) ? 1 : { datum, count: 1 });
      this.#gauge.add(1, datum, bytesOf(key, datum));
      return 1;
    }
    return this.#change(key, entry, 1);
  }

  /**
   * Takes a datum away once, and says how often it is still there. One that is not there any more keeps its place until it is
   * forgotten.
   * @throws ReqlError where it was not there
   */
  remove(datum: Datum): number {
    const key = hashKey(datum);
    const entry = this.#counts.get(key);
    if (entry === undefined || countOf(entry) <= 0) throw neverApplied();
    return this.#change(key, entry, -1);
  }

  /** Lets go of a datum that is not there any more. */
  forget(datum: Datum): void {
    const key = hashKey(datum);
    const entry = this.#counts.get(key);
    if (entry === undefined || countOf(entry) > 0) return;
    this.#counts.delete(key);
    const first = typeof entry === 'number' ? datum : entry.datum;
    this.#gauge.add(-1, first, bytesOf(key, first));
  }

  /** All that are there, and how often. */
  *entries(): IterableIterator<readonly [datum: Datum, count: number]> {
    for (const [key, entry] of this.#counts) {
      const count = countOf(entry);
      if (count > 0) yield [typeof entry === 'number' ? key : entry.datum, count];
    }
  }

  #change(key: HashKey, entry: number | Counted, by: 1 | -1): number {
    if (typeof entry === 'number') {
      this.#counts.set(key, entry + by);
      return entry + by;
    }
    entry.count += by;
    return entry.count;
  }
}

function countOf(entry: number | Counted): number {
  return typeof entry === 'number' ? entry : entry.count;
}

function bytesOf(key: HashKey, datum: Datum): number {
  return typeof key === 'string' && key !== datum ? ENTRY + keyBytes(key) : ATOM;
}
