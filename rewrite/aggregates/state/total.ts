// The state of sum and avg: the exact sum of numbers, and how many they are.

import type { Datum } from '../../reql/data/datum.ts';
import type { ReqlError } from '../../reql/error.ts';
import type { Origin } from '../../reql/origin.ts';
import type { Accumulator, StateCost } from '../aggregate.ts';
import { ExactSum } from './exact-sum.ts';
import { numberElement } from './numeric.ts';

/** Reads the value of an aggregate from how many numbers there are and their sum, which may be past the range of numbers. */
export type ReadTotal = (sum: number, count: number) => Datum | ReqlError;

const COST: StateCost = { base: 480, entry: 0 };

/** Adds numbers up. `origin`: the place of the aggregate, for the error that an element is no number. */
export class Total implements Accumulator {
  count = 0;
  readonly kept = 1;
  readonly cost: StateCost = COST;
  readonly #sum = new ExactSum();
  readonly #origin: Origin | undefined;
  readonly #read: ReadTotal;

  constructor(origin: Origin | undefined, read: ReadTotal) {
    this.#origin = origin;
    this.#read = read;
  }

  apply(element: Datum): void {
    this.#sum.add(numberElement(element, this.#origin));
    this.count += 1;
  }

  unapply(element: Datum): void {
    this.#sum.subtract(numberElement(element, this.#origin));
    this.count -= 1;
  }

  value(): Datum | ReqlError {
    return this.#read(this.#sum.value, this.count);
  }
}
