// The state of medians and quantiles: numbers in order, of which those beside the rank that is looked for are found, and one
// comes or goes, in O(log n).
//
// The quantile q of n numbers in order, counted from 0, is the number at the rank q·(n-1); between two numbers the value goes
// linearly from one to the other (definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
// Statistician 50, 1996). It is computed without rounding, and rounded once.

import type { Datum } from '../../reql/data/datum.ts';
import { nearest, type Ratio, unitsOf } from '../../reql/data/ratio.ts';
import type { Origin } from '../../reql/origin.ts';
import type { Accumulator } from '../aggregate.ts';
import { Multiset } from './multiset.ts';
import { numberElement } from './numeric.ts';

/** Numbers of which one quantile is known; null where there are none. */
export class RankedNumbers implements Accumulator {
  readonly #numbers = new Multiset();
  /** The part of the numbers that lies below: from 0 to 1. */
  readonly #part: Ratio;
  readonly #origin: Origin | undefined;

  constructor(part: Ratio, origin: Origin | undefined) {
    this.#part = part;
    this.#origin = origin;
  }

  get count(): number {
    return this.#numbers.size;
  }

  get kept(): number {
    return this.#numbers.distinct;
  }

  apply(element: Datum): void {
    this.#numbers.add(numberElement(element, this.#origin));
  }

  unapply(element: Datum): void {
    this.#numbers.remove(numberElement(element, this.#origin));
  }

  value(): number | null {
    if (this.count === 0) return null;
    const { numerator, denominator } = this.#part;
    const rank = numerator * BigInt(this.count - 1);
    const whole = rank / denominator;
    const low = this.#at(Number(whole));
    const rest = rank - whole * denominator;
    return between(low, rest === 0n ? low : this.#at(Number(whole) + 1), rest, denominator);
  }

  #at(place: number): number {
    return numberElement(this.#numbers.at(place) ?? null, this.#origin);
  }
}

/** The number that lies rest/denominator of the way from one number to another. */
function between(low: number, high: number, rest: bigint, denominator: bigint): number {
  // Not -0.
  if (rest === 0n || low === high) return low + 0;
  const [from, to] = [unitsOf(low), unitsOf(high)];
  const places = Math.max(from.places, to.places);
  const start = from.units << BigInt(places - from.places);
  const end = to.units << BigInt(places - to.places);
  return nearest({
    numerator: start * denominator + (end - start) * rest,
    denominator: denominator << BigInt(places),
  });
}
