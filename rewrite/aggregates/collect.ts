// coerceTo('array'): all elements as an array, in ReQL's order of values. Also for terms that take the whole of a stream.

import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { coerceTarget } from './coerce-target.ts';
import { Bag } from './state/bag.ts';

/** `coerceTo('array')`. */
export const collect: Aggregate = {
  term: TermType.COERCE_TO,
  name: "coerceTo('array')",
  takes: (term) => coerceTarget(term) === 'array',
  growth: 'per row',
  empty: '[]',
  examples: ['t.filter({k: "a"}).coerceTo("array").changes()', 't("x").coerceTo("array").changes()'],
  project: (_, row) => [row],
  evaluate: (t, elements) =>
    t.orderBy(
      elements,
      t.func((element) => element, 1),
    ),
  accumulator: (_, context) => new Bag((elements) => elements, context),
};
