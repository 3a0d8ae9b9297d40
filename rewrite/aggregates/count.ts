// count: how many elements there are. With an argument: those equal to a value, or those for which a function is true.

import type { Builder, Expression } from '../reql/build/build.ts';
import type { Datum } from '../reql/data/datum.ts';
import type { Term } from '../reql/term/term.ts';
import { funcParts } from '../reql/term/vars.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate, StateCost } from './aggregate.ts';
import { calledOnRow } from './element.ts';

// Every row that counts is the same element, so that RethinkDB drops the changes that leave it so.
const ELEMENT: Expression = [1];

/** `count()`, `count(value)`, `count(function)`. */
export const count: Aggregate = {
  term: TermType.COUNT,
  name: 'count',
  growth: 'constant',
  neverNull: true,
  empty: '0',
  examples: [
    't.count().changes()',
    't.count(row => row("x").gt(1)).changes()',
    't("k").count("a").changes({includeInitial: true})',
  ],
  project({ t, args }, row) {
    const [arg] = args;
    return arg === undefined ? ELEMENT : t.branch(counts(t, arg, row), ELEMENT, []);
  },
  server: () => ({
    base: 0,
    apply: (t, acc) => t.add(acc, 1),
    unapply: (t, acc) => t.sub(acc, 1),
    emit: (_, acc) => acc,
  }),
  evaluate: (t, elements) => t.count(elements),
  accumulator: () => new Counter(),
};

function counts(t: Builder, arg: Term, row: Term): Term {
  const test = calledOnRow(t, arg, row);
  if (test === undefined) return t.eq(row, arg);
  // An object written out as a function's body is a pattern, as in `filter`.
  const body = funcParts(arg)?.body;
  if (body !== undefined && body.kind !== 'call') return t.not(t.isEmpty(t.filter([row], arg)));
  return t.default(test, false);
}

const COST: StateCost = { base: 48, entry: 0 };

/** Counts elements, whatever they are. */
export class Counter implements Accumulator {
  count = 0;
  readonly kept = 1;
  readonly cost: StateCost = COST;

  apply(): void {
    this.count += 1;
  }

  unapply(): void {
    this.count -= 1;
  }

  value(): Datum {
    return this.count;
  }
}
