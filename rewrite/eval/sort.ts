// Sorting by functions of the elements. Elements on which a function has no value come before all others.

import { compareDatums } from '../reql/compare.ts';
import type { Datum } from '../reql/datum.ts';
import type { Meter } from '../reql/meter.ts';
import type { Func } from './func.ts';
import { stableSort } from './stable-sort.ts';

/** One key to order by. */
export interface Comparison {
  readonly func: Func;
  readonly descending: boolean;
}

/** An element with its keys, each computed when first needed; `null` stands for a key without a value. */
export class Keyed {
  readonly element: Datum;
  readonly #keys: ({ readonly key: Datum } | null)[] = [];

  constructor(element: Datum) {
    this.element = element;
  }

  /** The key by a function, in a box; `null` where there is none. */
  key(index: number, func: Func): { readonly key: Datum } | null {
    const known = this.#keys[index];
    if (known !== undefined) return known;
    const key = func.tryDatum1(this.element);
    const made = key === undefined ? null : { key };
    this.#keys[index] = made;
    return made;
  }
}

/** Steps that one comparison of a sort takes, its share of the copying included. */
const COMPARISON_STEPS = 2;

/** Compares two elements by all keys: negative, zero or positive. */
export function compareKeyed(a: Keyed, b: Keyed, comparisons: readonly Comparison[], meter: Meter): number {
  meter.spend(COMPARISON_STEPS);
  for (const [index, { func, descending }] of comparisons.entries()) {
    const left = a.key(index, func);
    const right = b.key(index, func);
    if (left === null && right === null) continue;
    const order = left === null ? -1 : right === null ? 1 : compareDatums(left.key, right.key, meter);
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}

/** The elements in order; those that compare equal stay as they were. */
export function sortBy(elements: readonly Datum[], comparisons: readonly Comparison[], meter: Meter): readonly Datum[] {
  const keyed = elements.map((element) => new Keyed(element));
  const sorted = stableSort(keyed, (a, b) => compareKeyed(a, b, comparisons, meter) < 0);
  return sorted.map(({ element }) => element);
}
