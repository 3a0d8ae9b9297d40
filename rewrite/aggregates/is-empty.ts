// isEmpty: whether there are no elements. Kept as their count.

import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { Counter } from './count.ts';

/** `isEmpty()`. */
export const isEmpty: Aggregate = {
  term: TermType.IS_EMPTY,
  name: 'isEmpty',
  growth: 'constant',
  neverNull: true,
  empty: 'true',
  examples: ['t.filter({k: "a"}).isEmpty().changes()', 't.isEmpty().not().changes({includeInitial: true})'],
  project: () => [1],
  server: () => ({
    base: 0,
    apply: (t, acc) => t.add(acc, 1),
    unapply: (t, acc) => t.sub(acc, 1),
    emit: (t, acc) => t.eq(acc, 0),
  }),
  evaluate: (t, elements) => t.isEmpty(elements),
  accumulator: () => new Emptiness(),
};

class Emptiness extends Counter {
  override value(): boolean {
    return this.count === 0;
  }
}
