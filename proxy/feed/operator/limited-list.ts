// The elements as an array, no longer than an array may be (run option `arrayLimit`): beyond that an error, as the one-shot
// query raises.

import type { Accumulator } from '../../../rewrite/aggregates/aggregate.ts';
import { arraySizeText } from '../../../rewrite/eval/materialize.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { type ReqlError, resourceLimit } from '../../../rewrite/reql/error.ts';
import { ROOT } from '../../../rewrite/reql/origin.ts';

/** An accumulator whose value is the array of its elements, held to a limit. */
export class LimitedList implements Accumulator {
  readonly #elements: Accumulator;
  readonly #limit: number;

  constructor(elements: Accumulator, limit: number) {
    this.#elements = elements;
    this.#limit = limit;
  }

  get count(): number {
    return this.#elements.count;
  }

  get kept(): number {
    return this.#elements.kept;
  }

  apply(element: Datum): void {
    this.#elements.apply(element);
  }

  unapply(element: Datum): void {
    this.#elements.unapply(element);
  }

  emit(): Datum | ReqlError {
    if (this.count > this.#limit) return resourceLimit(arraySizeText(this.#limit), ROOT);
    return this.#elements.emit();
  }
}
