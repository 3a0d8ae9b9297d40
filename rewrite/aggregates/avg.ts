// avg: the exact sum of the numbers that the argument makes of rows, divided by how many they are. Rows without a value,
// or with null, are left out of both.

import type { Datum } from '../reql/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { valueElement } from './element.ts';
import { ExactSum } from './exact-sum.ts';
import { addExactly, exactValue, NOTHING_SUMMED, subtractExactly, sumOf } from './exact-sum-fold.ts';
import { held } from './held.ts';
import { averageOfNothing } from './no-value.ts';
import { finiteResult, numberElement } from './numeric.ts';

/** `avg()`, `avg(field)`, `avg(function)`. */
export const avg: Aggregate = {
  term: TermType.AVG,
  name: 'avg',
  growth: 'constant',
  empty: 'null',
  examples: [
    't.avg("x").changes()',
    't.avg(row => row("x").div(2)).changes({includeInitial: true})',
    't("x").avg().changes()',
  ],
  project: valueElement,
  server: () => ({
    base: [NOTHING_SUMMED, 0],
    apply: (t, acc, x) => t.do((total, n) => [addExactly(t, total, x), t.add(n, 1)], t.args(acc)),
    unapply: (t, acc, x) => t.do((total, n) => [subtractExactly(t, total, x), t.sub(n, 1)], t.args(acc)),
    emit: (t, acc) => t.do((total, n) => t.branch(t.eq(n, 0), t.avg([]), t.div(exactValue(t, total), n)), t.args(acc)),
  }),
  evaluate: (t, elements) =>
    held(t, elements, (numbers) =>
      t.branch(t.isEmpty(numbers), t.avg([]), t.div(exactValue(t, sumOf(t, numbers)), t.count(numbers))),
    ),
  accumulator: ({ origin }) => new Average(origin),
};

/** The exact sum of numbers and their count. */
class Average implements Accumulator {
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
    if (this.count === 0) return averageOfNothing(this.#origin);
    return finiteResult(this.#sum.value / this.count, this.#origin);
  }
}
