// The counts of rows that came, less those that went: what is left of a step when what cancels is taken out.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';

/** A row that came (`count` above 0) or went. */
export interface RowChange {
  readonly row: Datum;
  readonly count: number;
}

/** So many rows are compared one by one, which takes less than the text of one of them. */
const FEW = 8;

/** Rows with how often they came. */
export class RowChanges {
  /** Empty where there is a hash of them. */
  #few: RowChange[] = [];
  #many: Map<HashKey, RowChange> | undefined;

  /** How many different rows came or went. */
  get size(): number {
    return this.#many?.size ?? this.#few.length;
  }

  /** A row comes so often, or goes where `by` is below 0. */
  add(row: Datum, by: number): void {
    if (this.#many !== undefined) addTo(this.#many, row, by);
    else this.#addToFew(row, by);
  }

  /** What is left, in the order in which it came up. */
  [Symbol.iterator](): Iterator<RowChange> {
    return this.#many?.values() ?? this.#few.values();
  }

  clear(): void {
    if (this.#few.length > 0) this.#few = [];
    this.#many = undefined;
  }

  #addToFew(row: Datum, by: number): void {
    const few = this.#few;
    for (let at = 0; at < few.length; at++) {
      const known = few[at];
      if (known === undefined || !equalDatums(known.row, row)) continue;
      const count = known.count + by;
      if (count === 0) few.splice(at, 1);
      else few[at] = { row: known.row, count };
      return;
    }
    few.push({ row, count: by });
    if (few.length <= FEW) return;
    this.#few = [];
    this.#many = new Map(few.map((change) => [hashKey(change.row), change]));
  }
}

function addTo(changes: Map<HashKey, RowChange>, row: Datum, by: number): void {
  const key = hashKey(row);
  const known = changes.get(key);
  const count = (known?.count ?? 0) + by;
  if (count === 0) changes.delete(key);
  else changes.set(key, { row: known?.row ?? row, count });
}
