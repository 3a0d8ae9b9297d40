// The elements as an array, no longer than an array may be (run option `arrayLimit`): beyond that an error, as the one-shot
// query raises.

import type { Accumulator, StateCost } from '../../../rewrite/aggregates/aggregate.ts';
import { type ArrayLimits, arrayTooLong } from '../../../rewrite/eval/materialize.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { ROOT } from '../../../rewrite/reql/origin.ts';

/** An accumulator whose value is the array of its elements, held to a limit. */
export class LimitedList implements Accumulator {
  readonly #elements: Accumulator;
  readonly #limits: ArrayLimits;

  constructor(elements: Accumulator, limits: ArrayLimits) {
    this.#elements = elements;
    this.#limits = limits;
  }

  get count(): number {
    return this.#elements.count;
  }

  get kept(): number {
    return this.#elements.kept;
  }

  get cost(): StateCost | undefined {
    return this.#elements.cost;
  }

  apply(element: Datum): void {
    this.#elements.apply(element);
  }

  unapply(element: Datum): void {
    this.#elements.unapply(element);
  }

  emit(): Datum | ReqlError {
    if (this.count > this.#limits.arrayLimit) return arrayTooLong(this.#limits, ROOT);
    return this.#elements.emit();
  }
}
