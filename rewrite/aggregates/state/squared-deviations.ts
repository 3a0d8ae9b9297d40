// Variances and standard deviations: how far numbers lie from their mean. The state is how many they are, their sum and the
// sum of their squares, all without rounding, so that numbers come and go in any order and leave nothing behind. What is shown
// is rounded once. Doubles, all that a fold inside RethinkDB has, cannot say that.

import type { Datum } from '../../reql/data/datum.ts';
import { type Ratio, unitsOf } from '../../reql/data/ratio.ts';
import type { ReqlError } from '../../reql/error.ts';
import type { Origin } from '../../reql/origin.ts';
import type { Accumulator, NamedAggregate } from '../aggregate.ts';
import { valueElement } from '../element.ts';
import { finiteResult, numberElement } from './numeric.ts';

/** The value that an aggregate makes of squared distances from the mean. */
export interface OfDeviations {
  /** Their sum is divided by how many numbers there are, less this; where nothing is left to divide by there is no value. */
  readonly less: 0 | 1;
  /** Rounds the quotient to a double. */
  readonly round: (quotient: Ratio) => number;
}

/** An aggregate made of squared distances from the mean. */
export function ofDeviations(
  { name, meaning, examples }: Pick<NamedAggregate, 'name' | 'meaning' | 'examples'>,
  of: OfDeviations,
): NamedAggregate {
  return {
    name,
    meaning,
    growth: 'constant',
    neverNull: true,
    empty: 'null',
    examples,
    project: valueElement,
    accumulator: ({ origin }) => new SquaredDeviations(origin, of),
  };
}

/** Adds numbers and their squares up. `origin`: the place of the aggregate, for the error that an element is no number. */
class SquaredDeviations implements Accumulator {
  count = 0;
  readonly kept = 1;
  /** In units of 2^-places. */
  #sum = 0n;
  /** In units of 2^-(2 places). */
  #squares = 0n;
  #places = 0;
  readonly #origin: Origin | undefined;
  readonly #of: OfDeviations;

  constructor(origin: Origin | undefined, of: OfDeviations) {
    this.#origin = origin;
    this.#of = of;
  }

  apply(element: Datum): void {
    const x = this.#inUnits(element);
    this.count += 1;
    this.#sum += x;
    this.#squares += x * x;
  }

  unapply(element: Datum): void {
    const x = this.#inUnits(element);
    this.count -= 1;
    this.#sum -= x;
    this.#squares -= x * x;
    if (this.count === 0) this.#places = 0;
  }

  value(): number | null | ReqlError {
    const { less, round: shown } = this.#of;
    if (this.count <= less) return null;
    const count = BigInt(this.count);
    // The sum of the squared distances is that of the squares, less the square of the sum over the count.
    const numerator = count * this.#squares - this.#sum * this.#sum;
    const denominator = (count * BigInt(this.count - less)) << BigInt(2 * this.#places);
    return finiteResult(shown({ numerator, denominator }), this.#origin);
  }

  /** An element in the units of the sums, which become finer where it needs that. */
  #inUnits(element: Datum): bigint {
    const { units, places } = unitsOf(numberElement(element, this.#origin));
    if (places > this.#places) {
      const finer = BigInt(places - this.#places);
      this.#sum <<= finer;
      this.#squares <<= 2n * finer;
      this.#places = places;
    }
    return units << BigInt(this.#places - places);
  }
}
