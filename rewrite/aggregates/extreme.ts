// min and max, which differ in the end of the order that they show. Elements are `[key, row]`, or `[row]` where a row is its
// own key. Of rows with the same key the least (for max the greatest) is shown; the server shows the one it meets first.

import { compareDatums } from '../reql/compare.ts';
import type { Datum } from '../reql/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import type { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { keyedElement } from './element.ts';
import { Multiset } from './multiset.ts';
import { extremeOfNothing } from './no-value.ts';

/** The aggregate for one end of the order. */
export function extreme(term: TermType, name: 'min' | 'max', examples: readonly string[]): Aggregate {
  return {
    term,
    name,
    growth: 'per distinct value',
    empty: 'null',
    examples,
    project: keyedElement,
    evaluate: (t, elements) => t.nth(t[name](elements), -1),
    accumulator: ({ origin }) => new Extreme(name, origin),
  };
}

// Keys are mostly enough, and mostly numbers.
function compareElements(a: Datum, b: Datum): number {
  if (!isPair(a) || !isPair(b)) return compareDatums(a, b);
  return compareDatums(a[0], b[0]) || compareDatums(a[1], b[1]);
}

function isPair(element: Datum): element is readonly [key: Datum, row: Datum] {
  return Array.isArray(element) && element.length === 2;
}

class Extreme implements Accumulator {
  readonly #elements = new Multiset(compareElements);
  readonly #name: 'min' | 'max';
  readonly #origin: Origin | undefined;
  #keyed = false;

  constructor(name: 'min' | 'max', origin: Origin | undefined) {
    this.#name = name;
    this.#origin = origin;
  }

  get count(): number {
    return this.#elements.size;
  }

  get kept(): number {
    return this.#elements.distinct;
  }

  apply(element: Datum): void {
    this.#elements.add(this.#unboxed(element));
  }

  unapply(element: Datum): void {
    this.#elements.remove(this.#unboxed(element));
  }

  emit(): Datum | ReqlError {
    const { first, last } = this.#elements;
    const found = this.#name === 'min' ? first : last;
    if (found === undefined) return extremeOfNothing(this.#name, this.#origin);
    return this.#keyed && Array.isArray(found) ? found.at(-1) : found;
  }

  // A row that is its own key is kept without its box: a bare number takes a fifth of the memory.
  #unboxed(element: Datum): Datum {
    if (!Array.isArray(element)) return element;
    this.#keyed = element.length > 1;
    return this.#keyed ? element : element[0];
  }
}
