// sum: the exact sum of the numbers that the argument makes of rows; rows without a value, or with null, are left out.

import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { valueElement } from './element.ts';
import { addExactly, exactValue, NOTHING_SUMMED, subtractExactly, sumOf } from './state/exact-sum-fold.ts';
import { finiteResult } from './state/numeric.ts';
import { Total } from './state/total.ts';

/** `sum()`, `sum(field)`, `sum(function)`. */
export const sum: Aggregate = {
  term: TermType.SUM,
  name: 'sum',
  growth: 'constant',
  argumentIs: 'field',
  neverNull: true,
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
  accumulator: ({ origin }) => new Total(origin, (total) => finiteResult(total, origin)),
};
