// The state of medians and quantiles: numbers in two ordered halves, those up to the rank that is looked for and those above
// it. A change moves at most one number from one half to the other, so that it costs O(log n) and both numbers beside the
// rank are ends of a half.
//
// The quantile q of n numbers in order, counted from 0, is the number at the rank q·(n-1); between two numbers the value goes
// linearly from one to the other (definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
// Statistician 50, 1996). It is computed without rounding, and rounded once.

import type { Datum } from '../reql/datum.ts';
import type { Origin } from '../reql/origin.ts';
import { nearest, type Ratio, unitsOf } from '../reql/ratio.ts';
import type { Accumulator } from './aggregate.ts';
import { Multiset } from './multiset.ts';
import { numberElement } from './numeric.ts';

/** Numbers of which one quantile is known; null where there are none. */
export class SplitNumbers implements Accumulator {
  /** The numbers of the ranks from 0 to the one looked for, rounded down. */
  readonly #lower = new Multiset();
  readonly #upper = new Multiset();
  /** The part of the numbers that lies below: from 0 to 1. */
  readonly #part: Ratio;
  readonly #origin: Origin | undefined;

  constructor(part: Ratio, origin: Origin | undefined) {
    this.#part = part;
    this.#origin = origin;
  }

  get count(): number {
    return this.#lower.size + this.#upper.size;
  }

  get kept(): number {
    return this.#lower.distinct + this.#upper.distinct;
  }

  apply(element: Datum): void {
    const x = numberElement(element, this.#origin);
    const least = this.#upper.first;
    const isUpper = least !== undefined && x >= numberElement(least, this.#origin);
    (isUpper ? this.#upper : this.#lower).add(x);
    this.#balance();
  }

  unapply(element: Datum): void {
    const x = numberElement(element, this.#origin);
    const greatest = this.#lower.last;
    const isLower = greatest !== undefined && x <= numberElement(greatest, this.#origin);
    (isLower ? this.#lower : this.#upper).remove(x);
    this.#balance();
  }

  emit(): number | null {
    const { last: low } = this.#lower;
    if (low === undefined) return null;
    const { first: high = low } = this.#upper;
    const { rest, denominator } = this.#rank();
    return between(numberElement(low, this.#origin), numberElement(high, this.#origin), rest, denominator);
  }

  /** The rank that is looked for: a whole number, and what is left of it, over the denominator. */
  #rank(): { readonly whole: number; readonly rest: bigint; readonly denominator: bigint } {
    const { numerator, denominator } = this.#part;
    const rank = numerator * BigInt(this.count - 1);
    const whole = rank / denominator;
    return { whole: Number(whole), rest: rank - whole * denominator, denominator };
  }

  #balance(): void {
    const size = this.count === 0 ? 0 : this.#rank().whole + 1;
    while (this.#lower.size > size) move(this.#lower, this.#lower.last, this.#upper);
    while (this.#lower.size < size) move(this.#upper, this.#upper.first, this.#lower);
  }
}

function move(from: Multiset, number: Datum | undefined, to: Multiset): void {
  if (number === undefined) throw new TypeError('a half lacks a number');
  from.remove(number);
  to.add(number);
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
