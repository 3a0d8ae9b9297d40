// A reduction whose reverse the client gives although it can be derived: the derived one is exact and cheaper, so it makes the
// value; the client's is only looked after.

import type { Accumulator, Warning } from '../aggregates/aggregate.ts';
import type { Datum } from '../reql/data/datum.ts';
import { ReqlError } from '../reql/error.ts';
import type { ReversiblePair } from './check-reverse.ts';
import type { DerivedReduction } from './derived-reduction.ts';
import { ReverseWatch } from './reverse-watch.ts';

/** So many of the elements that came last are kept, to look for the smallest counterexample among. */
const RECENT = 8;

export class CheckedReduction implements Accumulator {
  readonly #derived: DerivedReduction;
  readonly #watch: ReverseWatch;
  readonly #recent: Datum[] = [];

  constructor(derived: DerivedReduction, pair: ReversiblePair) {
    this.#derived = derived;
    this.#watch = new ReverseWatch(pair, undefined, () => this.#recent);
  }

  get count(): number {
    return this.#derived.count;
  }

  get kept(): number {
    return this.#derived.kept;
  }

  get warning(): Warning | undefined {
    return this.#watch.warning;
  }

  apply(element: Datum): void {
    if (this.#watch.isDue()) {
      this.#watch.applying(this.#acc(), element);
      this.#recent.push(element);
      if (this.#recent.length > RECENT) this.#recent.shift();
    }
    this.#derived.apply(element);
  }

  unapply(element: Datum): void {
    const acc = this.#watch.isDue() ? this.#acc() : undefined;
    this.#derived.unapply(element);
    const rest = acc === undefined ? undefined : this.#acc();
    if (acc !== undefined && rest !== undefined) this.#watch.try(acc, element, rest);
  }

  value(): Datum | ReqlError {
    return this.#derived.value();
  }

  #acc(): Datum | undefined {
    const acc = this.#derived.value();
    return acc instanceof ReqlError ? undefined : acc;
  }
}
