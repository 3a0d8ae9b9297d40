// sum: the exact sum of the numbers that the argument makes of rows; rows without a value, or with null, are left out.

import type { Datum } from '../reql/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { valueElement } from './element.ts';
import { ExactSum } from './exact-sum.ts';
import { addExactly, exactValue, NOTHING_SUMMED, subtractExactly, sumOf } from './exact-sum-fold.ts';
import { finiteResult, numberElement } from './numeric.ts';

/** `sum()`, `sum(field)`, `sum(function)`. */
export const sum: Aggregate = {
  term: TermType.SUM,
  name: 'sum',
  growth: 'constant',
  empty: '0',
  examples: [
    't.sum("x").changes()',
    't.sum(row => row("x").mul(row("n"))).changes({includeInitial: true})',
    't("x").sum().changes()',
  ],
  project: valueElement,
  server: () => ({
    base: NOTHING_SUMMED,
    apply: addExactly,
    unapply: subtractExactly,
    emit: exactValue,
  }),
  // As exact as the state: the server's own sum depends on the order of its rows.
  evaluate: (t, elements) => exactValue(t, sumOf(t, elements)),
  accumulator: ({ origin }) => new Total(origin),
};

/** The exact sum of numbers. */
class Total implements Accumulator {
  count = 0;
  readonly kept = 1;
  readonly #sum = new ExactSum();
  readonly #origin: Origin | undefined;

  constructor(origin: Origin | undefined) {
    this.#origin = origin;
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
    return finiteResult(this.#sum.value, this.#origin);
  }
}
