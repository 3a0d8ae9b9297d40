// The accumulator of aggregates that are computed from all elements: it keeps them in ReQL's order, so that the value depends
// on what is there and not on how it came to be.

import type { Datum } from '../../reql/data/datum.ts';
import type { ReqlError } from '../../reql/error.ts';
import { type ArrayLimits, arrayTooLong } from '../../reql/eval/streams/materialize.ts';
import { ROOT } from '../../reql/origin.ts';
import type { Accumulator } from '../aggregate.ts';
import { Multiset } from './multiset.ts';

/** Elements as they are; `value` makes the aggregate's value of them, and is called once for each change shown. */
export class Bag implements Accumulator {
  readonly #elements = new Multiset();
  readonly #value: (elements: readonly Datum[]) => Datum | ReqlError;
  readonly #limits: ArrayLimits | undefined;

  /** `limits`: what an array of the elements is held to, where they are made one (run option `arrayLimit`). */
  constructor(value: (elements: readonly Datum[]) => Datum | ReqlError, limits?: ArrayLimits) {
    this.#value = value;
    this.#limits = limits;
  }

  get count(): number {
    return this.#elements.size;
  }

  get kept(): number {
    return this.#elements.distinct;
  }

  apply(element: Datum): void {
    this.#elements.add(element);
  }

  unapply(element: Datum): void {
    this.#elements.remove(element);
  }

  value(): Datum | ReqlError {
    if (this.#limits !== undefined && this.count > this.#limits.arrayLimit) return arrayTooLong(this.#limits, ROOT);
    return this.#value(this.#elements.values());
  }
}
