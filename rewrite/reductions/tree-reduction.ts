// The accumulator of a reduction that cannot be undone.

import type { Accumulator, StateCost } from '../aggregates/aggregate.ts';
import { type Reducer, TreeReduce } from '../aggregates/tree-reduce.ts';
import type { Datum } from '../reql/data/datum.ts';
import type { ReqlError } from '../reql/error.ts';

// A value is in the tree twice, and its places are kept by a text or a number.
const COST: StateCost = { base: 600, entry: 140 };

export class TreeReduction implements Accumulator {
  readonly cost: StateCost = COST;
  readonly #tree: TreeReduce;
  readonly #nothing: ReqlError;

  /** `nothing` is the error of a reduction of no elements. */
  constructor(reducer: Reducer, nothing: ReqlError) {
    this.#tree = new TreeReduce(reducer);
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

  emit(): Datum | ReqlError {
    const { value } = this.#tree;
    return value === undefined ? this.#nothing : value;
  }
}
