// contains: whether the elements satisfy all of some values and functions. Kept as one count for each requirement; an
// element says for each of them whether it counts (1 or 0), so that an update that changes none of them wakes nothing.

import type { Datum } from '../reql/data/datum.ts';
import { spreadOut } from '../reql/term/spread.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import type { Accumulator, Aggregate } from './aggregate.ts';
import { isFunction } from './element.ts';
import { type Requirement, requirementsOf, satisfies } from './requirement.ts';

/** `contains(value or function, ...)`. */
export const contains: Aggregate = {
  term: TermType.CONTAINS,
  name: 'contains',
  growth: 'constant',
  neverNull: true,
  mayLackField: true,
  // Each element may satisfy one function of those that are left when it comes.
  order: (args) => (args.filter(isFunction).length > 1 ? 'read' : 'none'),
  empty: 'false',
  examples: [
    't("k").contains("a").changes()',
    't.contains(row => row("x").gt(1)).changes({includeInitial: true})',
    't("k").contains("a", "b").changes()',
  ],
  project({ t, args }, row) {
    // An element even where a row satisfies nothing: its group is there, with false.
    return [requirementsOf(args).map((requirement) => t.branch(satisfies(t, requirement, row), 1, 0))];
  },
  server(term) {
    const requirements = requirementsOf(argsOf(term));
    return {
      base: requirements.map(() => 0),
      apply: (t, acc, element) => t.map(acc, element, (count, more) => t.add(count, more)),
      unapply: (t, acc, element) => t.map(acc, element, (count, less) => t.sub(count, less)),
      emit: (t, acc) => t.and(...requirements.map(({ need }, index) => t.ge(t.nth(acc, index), need))),
    };
  },
  evaluate(t, elements, term) {
    const count = (index: number): Term => t.sum(t.map(elements, (element) => t.nth(element, index)));
    return t.and(...requirementsOf(argsOf(term)).map(({ need }, index) => t.ge(count(index), need)));
  },
  accumulator: (term) => new Satisfied(requirementsOf(argsOf(term))),
};

/** The arguments after the sequence, `r.args` of an array written out spread. */
function argsOf({ args }: CallTerm): readonly Term[] {
  return spreadOut(args.slice(1));
}

class Satisfied implements Accumulator {
  count = 0;
  readonly #requirements: readonly Requirement[];
  readonly #counts: number[];

  constructor(requirements: readonly Requirement[]) {
    this.#requirements = requirements;
    this.#counts = requirements.map(() => 0);
  }

  get kept(): number {
    return this.#counts.length;
  }

  apply(element: Datum): void {
    this.#change(element, 1);
  }

  unapply(element: Datum): void {
    this.#change(element, -1);
  }

  value(): boolean {
    return this.#requirements.every(({ need }, index) => (this.#counts[index] ?? 0) >= need);
  }

  #change(element: Datum, by: 1 | -1): void {
    this.count += by;
    for (const index of this.#counts.keys()) {
      if (Array.isArray(element) && element[index] === 1) this.#counts[index] = (this.#counts[index] ?? 0) + by;
    }
  }
}
