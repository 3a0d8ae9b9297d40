// A multiset in ReQL's total order: values with how often they are there.

import type { Datum } from '../../reql/data/datum.ts';
import { Arrangement } from './arrangement.ts';

/** Values with multiplicities. Equal values (0 and -0, an instant in two time zones) are one, shown as one of them. */
export class Multiset {
  readonly #values = new Arrangement(false);

  /** The number of values, equal ones counted as often as they are there. */
  get size(): number {
    return this.#values.size;
  }

  /** The number of different values. */
  get distinct(): number {
    return this.#values.distinct;
  }

  /** Adds a value, and says how often it is there now. */
  add(value: Datum): number {
    return this.#values.add(value);
  }

  /**
   * Takes a value away once, and says how often it is still there.
   * @throws ReqlError where it is not there
   */
  remove(value: Datum): number {
    return this.#values.remove(value);
  }

  /** The value at a place in the order, counted from 0; `undefined` where there is none. */
  at(place: number): Datum | undefined {
    return this.#values.at(place)?.key;
  }

  /** The least value; `undefined` where there is none. */
  get first(): Datum | undefined {
    return this.at(0);
  }

  /** The greatest value; `undefined` where there is none. */
  get last(): Datum | undefined {
    return this.at(this.size - 1);
  }

  /** The different values with their multiplicities, in order. */
  *entries(): IterableIterator<readonly [value: Datum, count: number]> {
    for (const { key, count } of this.#values.entries()) yield [key, count];
  }

  /** All values in order, equal ones as often as they are there: a new array. */
  values(): readonly Datum[] {
    return this.#values.keys();
  }
}
