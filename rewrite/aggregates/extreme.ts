// min and max, which differ in the end of the order that they show. Elements are `[key, row]`, or `[row]` where a row is its
// own key. Of rows with the same key the least is shown; the server shows the one it meets first.

import type { Datum } from '../reql/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import type { TermType } from '../reql/term-type.ts';
import type { Builder } from '../term/build.ts';
import type { Term } from '../term/term.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { keyedElement } from './element.ts';
import { held } from './held.ts';
import { KeyedMultiset } from './keyed-multiset.ts';
import { Multiset } from './multiset.ts';
import { extremeOfNothing } from './no-value.ts';

/** The aggregate for one end of the order. */
export function extreme(term: TermType, name: 'min' | 'max', examples: readonly string[]): Aggregate {
  return {
    term,
    name,
    growth: 'per distinct value',
    argumentIs: 'field',
    // Elements that are their own keys are equal where their keys are.
    order: (args) => (args.length === 0 ? 'none' : 'listed, ties'),
    empty: 'null',
    examples,
    project: keyedElement,
    evaluate: (t, elements) => t.nth(name === 'min' ? t.min(elements) : greatest(t, elements), -1),
    accumulator: ({ origin }) => new Extreme(name, origin),
  };
}

/** Of the elements with the greatest key the least. */
function greatest(t: Builder, elements: Term): Term {
  return held(t, elements, (bag) =>
    t.do(
      (key) => {
        const others = t.func((element) => t.eq(t.nth(element, 0), key ?? null), 1);
        return t.min(t.filter(bag, others));
      },
      t.nth(t.max(bag), 0),
    ),
  );
}

class Extreme implements Accumulator {
  /** Rows that are their own key, without their box. */
  readonly #rows = new Multiset();
  readonly #keyed = new KeyedMultiset();
  readonly #name: 'min' | 'max';
  readonly #origin: Origin | undefined;

  constructor(name: 'min' | 'max', origin: Origin | undefined) {
    this.#name = name;
    this.#origin = origin;
  }

  get count(): number {
    return this.#rows.size + this.#keyed.size;
  }

  get kept(): number {
    return this.#rows.distinct + this.#keyed.distinct;
  }

  apply(element: Datum): void {
    const [key, row] = parts(element);
    if (row === undefined) this.#rows.add(key);
    else this.#keyed.add(key, row);
  }

  unapply(element: Datum): void {
    const [key, row] = parts(element);
    if (row === undefined) this.#rows.remove(key);
    else this.#keyed.remove(key, row);
  }

  emit(): Datum | ReqlError {
    const end = this.#name === 'min' ? 'first' : 'last';
    const found = this.#keyed.size > 0 ? this.#keyed[end] : this.#rows[end];
    return found === undefined ? extremeOfNothing(this.#name, this.#origin) : found;
  }
}

function parts(element: Datum): readonly [key: Datum, row: Datum | undefined] {
  const [key = null, row] = Array.isArray(element) ? element : [element];
  return [key, row];
}
