// The counts of rows that came, less those that went: what is left of a step when what cancels is taken out.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';

/** A row that came (`count` above 0) or went. */
export interface RowChange {
  readonly row: Datum;
  readonly count: number;
}

/** Rows with how often they came. */
export class RowChanges {
  readonly #changes = new Map<HashKey, RowChange>();

  /** How many different rows came or went. */
  get size(): number {
    return this.#changes.size;
  }

  /** A row comes so often, or goes where `by` is below 0. */
  add(row: Datum, by: number): void {
    const key = hashKey(row);
    const known = this.#changes.get(key);
    const count = (known?.count ?? 0) + by;
    if (count === 0) this.#changes.delete(key);
    else this.#changes.set(key, { row: known?.row ?? row, count });
  }

  /** What is left, in the order in which it came up. */
  [Symbol.iterator](): Iterator<RowChange> {
    return this.#changes.values();
  }

  clear(): void {
    this.#changes.clear();
  }
}
