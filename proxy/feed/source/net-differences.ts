// Differences one after the other as one net difference for each thing: what came and went meanwhile is none.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type Difference, type SidesDifference, sameSide, withSides } from '../operator/difference.ts';
import { RowChanges } from '../operator/row-changes.ts';

/** The differences from the moment at which they were taken last. */
export class NetDifferences {
  readonly #keyed = new Map<string, SidesDifference>();
  /** Rows that are known by their value alone. */
  readonly #rows = new RowChanges();
  /** Outputs of a reducer, each as it was told. */
  #others: Difference[] = [];

  get isEmpty(): boolean {
    return this.#keyed.size === 0 && this.#rows.size === 0 && this.#others.length === 0;
  }

  add(difference: Difference): void {
    if (difference.of === 'output') {
      this.#others.push(difference);
    } else if (difference.key === undefined) {
      if (difference.old !== undefined) this.#rows.add(difference.old, -1);
      if (difference.now !== undefined) this.#rows.add(difference.now, 1);
    } else {
      this.#addKeyed(difference, `${difference.of} ${difference.key}`);
    }
  }

  #addKeyed(difference: SidesDifference, key: string): void {
    const before = this.#keyed.get(key);
    const old = before === undefined ? difference.old : before.old;
    if (sameSide(old, difference.now)) this.#keyed.delete(key);
    else this.#keyed.set(key, withSides(difference, old, difference.now));
  }

  /** The net differences, of which there are none from now on. */
  take(): readonly Difference[] {
    const all: Difference[] = [...this.#keyed.values(), ...this.#pairs(), ...this.#others];
    this.#keyed.clear();
    this.#rows.clear();
    this.#others = [];
    return all;
  }

  /** Rows that went and rows that came, one by one. Null in a pair would be no row at all. */
  *#pairs(): Iterable<Difference> {
    const gone: Datum[] = [];
    const come: Datum[] = [];
    for (const { row, count } of this.#rows) {
      for (let i = Math.abs(count); i > 0; i--) {
        if (row === null) yield count < 0 ? rowDifference(row, undefined) : rowDifference(undefined, row);
        else (count < 0 ? gone : come).push(row);
      }
    }
    for (let i = 0; i < Math.max(gone.length, come.length); i++) yield rowDifference(gone[i], come[i]);
  }
}

function rowDifference(old: Datum | undefined, now: Datum | undefined): Difference {
  return { of: 'row', key: undefined, group: undefined, old, now };
}
