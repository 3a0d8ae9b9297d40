// The accumulator of a reduction that cannot be undone.

import type { Accumulator, StateCost } from '../aggregates/aggregate.ts';
import type { Datum } from '../reql/data/datum.ts';
import type { ReqlError } from '../reql/error.ts';
import { type Combine, ReductionTree } from './reduction-tree.ts';

// A value is in the tree twice, and its places are kept by a text or a number.
const COST: StateCost = { base: 600, entry: 140 };

export class TreeReduction implements Accumulator {
  readonly cost: StateCost = COST;
  readonly #tree: ReductionTree;
  readonly #nothing: ReqlError;

  /** `nothing` is the error of a reduction of no elements. */
  constructor(combine: Combine, nothing: ReqlError) {
    this.#tree = new ReductionTree(combine);
    this.#nothing = nothing;
  }

  get count(): number {
    return this.#tree.size;
  }

  get kept(): number {
    return this.#tree.size;
  }

  apply(element: Datum): void {
    this.#tree.add(element);
  }

  unapply(element: Datum): void {
    this.#tree.remove(element);
  }

  value(): Datum | ReqlError {
    const { value } = this.#tree;
    return value === undefined ? this.#nothing : value;
  }
}
