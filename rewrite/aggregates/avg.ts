// avg: the exact sum of the numbers that the argument makes of rows, divided by how many they are. Rows without a value,
// or with null, are left out of both.

import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { valueElement } from './element.ts';
import { averageOfNothing } from './no-value.ts';
import { evaluatedOnce } from './state/evaluated-once.ts';
import { addExactly, exactValue, NOTHING_SUMMED, subtractExactly, sumOf } from './state/exact-sum-fold.ts';
import { finiteResult } from './state/numeric.ts';
import { Total } from './state/total.ts';

/** `avg()`, `avg(field)`, `avg(function)`. */
export const avg: Aggregate = {
  term: TermType.AVG,
  name: 'avg',
  growth: 'constant',
  argumentIs: 'field',
  neverNull: true,
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
    evaluatedOnce(t, elements, (numbers) =>
      t.branch(t.isEmpty(numbers), t.avg([]), t.div(exactValue(t, sumOf(t, numbers)), t.count(numbers))),
    ),
  accumulator: ({ origin }) =>
    new Total(origin, (total, count) => (count === 0 ? averageOfNothing(origin) : finiteResult(total / count, origin))),
};
