// get(key): the one row with a primary key, or null. RethinkDB watches it itself; it is an aggregate where it stands in an
// expression. Its elements are the rows of `getAll(key)`.

import type { Datum } from '../reql/data/datum.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { evaluatedOnce } from './state/evaluated-once.ts';

/** `get(key)` inside an expression. */
export const point: Aggregate = {
  term: TermType.GET,
  name: 'get',
  growth: 'constant',
  givesRow: true,
  empty: 'null',
  examples: ['t.get(1)("n").changes()', 't.get(1)("n").add(t.count()).changes({includeInitial: true})'],
  project: (_, row) => [row],
  server: () => ({
    base: [],
    apply: (_t, _acc, row) => [row],
    unapply: () => [],
    emit: (t, acc) => evaluatedOnce(t, acc, (rows) => t.branch(t.eq(rows, []), null, t.nth(rows, 0))),
  }),
  evaluate: (t, elements) => evaluatedOnce(t, elements, (rows) => t.branch(t.isEmpty(rows), null, t.nth(rows, 0))),
  accumulator: () => new Row(),
};

class Row implements Accumulator {
  count = 0;
  #row: Datum = null;

  get kept(): number {
    return this.count;
  }

  apply(row: Datum): void {
    this.#row = row;
    this.count += 1;
  }

  unapply(): void {
    this.count -= 1;
    if (this.count === 0) this.#row = null;
  }

  value(): Datum {
    return this.#row;
  }
}
