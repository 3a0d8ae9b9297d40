// The state of sum and avg: the exact sum of numbers, and how many they are.

import type { Datum } from '../../reql/data/datum.ts';
import type { ReqlError } from '../../reql/error.ts';
import type { Origin } from '../../reql/origin.ts';
import type { Accumulator, StateCost } from '../aggregate.ts';
import { ExactSum } from './exact-sum.ts';
import { numberElement } from './numeric.ts';

/** What is shown of so many numbers with this sum, which may be past the range of numbers. */
export type Shown = (sum: number, count: number) => Datum | ReqlError;

const COST: StateCost = { base: 480, entry: 0 };

/** Adds numbers up. `origin`: the place of the aggregate, for the error that an element is no number. */
export class Total implements Accumulator {
  count = 0;
  readonly kept = 1;
  readonly cost: StateCost = COST;
  readonly #sum = new ExactSum();
  readonly #origin: Origin | undefined;
  readonly #shown: Shown;

  constructor(origin: Origin | undefined, shown: Shown) {
    this.#origin = origin;
    this.#shown = shown;
  }

  apply(element: Datum): void {
    this.#sum.add(numberElement(element, this.#origin));
    this.count += 1;
  }

  unapply(element: Datum): void {
    this.#sum.subtract(numberElement(element, this.#origin));
    this.count -= 1;
  }

  emit(): Datum | ReqlError {
    return this.#shown(this.#sum.value, this.count);
  }
}
