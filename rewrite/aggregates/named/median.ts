// median: the number in the middle, or half way between the two in the middle.

import type { Builder, Expression } from '../../reql/build/build.ts';
import type { Term } from '../../reql/term/term.ts';
import type { Aggregate } from '../aggregate.ts';
import { valueElement } from '../element.ts';
import { RankedNumbers } from '../state/ranked-numbers.ts';

/** Two numbers below this add up to one. */
const HUGE = 2 ** 1000;

/** `changes({aggregate: 'median'})`. */
export const median: Aggregate = {
  name: 'median',
  meaning: 'the number in the middle, or half way between the two in the middle: the quantile 0.5',
  growth: 'per distinct value',
  neverNull: true,
  empty: 'null',
  examples: [
    't("x").changes({aggregate: "median"})',
    't.group("k").map(row => row("x").div(2)).changes({aggregate: "median", includeInitial: true})',
  ],
  project: valueElement,
  evaluate: (t, elements) =>
    t.do(
      (numbers, count) => t.branch(t.eq(count, 0), null, middle(t, numbers, count)),
      inOrder(t, elements),
      t.count(elements),
    ),
  accumulator: ({ origin }) => new RankedNumbers({ numerator: 1n, denominator: 2n }, origin),
};

/** The numbers in order; raises what `avg` raises for an element that is none. */
function inOrder(t: Builder, elements: Term): Term {
  return t.orderBy(
    t.map(elements, (x) => t.div(x, 1)),
    t.func((x) => x, 1),
  );
}

// Rounded once: to halve a number is exact, but for the least ones, and to add two of those is. Not -0.
function middle(t: Builder, numbers: Term, count: Term): Expression {
  const at = (rank: Term): Term => t.nth(numbers, t.floor(t.div(rank, 2)));
  return t.do(
    (low, high) =>
      t.add(
        0,
        t.branch(
          t.and(t.gt(low, -HUGE), t.lt(high, HUGE)),
          t.div(t.add(low, high), 2),
          t.add(t.div(low, 2), t.div(high, 2)),
        ),
      ),
    at(t.sub(count, 1)),
    at(count),
  );
}
