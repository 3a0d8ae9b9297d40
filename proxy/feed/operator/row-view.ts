// Live rows. Rows with a key (a group, a distinct value) change one by one. Other rows are known by their value alone: in
// each step those that went and those that came are set off against each other, and what is left is paired, rows of the same
// group first and then in the order of the rows, as the server plan does (rewrite/kinds/documents.ts).

import { compareDatums, equalDatums } from '../../../rewrite/reql/compare.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import { type Difference, sameSide, type Tell } from './difference.ts';
import { Listeners } from './listeners.ts';
import type { LiveRows, RowSink } from './operator.ts';
import type { View } from './view.ts';

interface Counted {
  readonly row: Datum;
  count: number;
}

/** Rows. */
export class RowView implements View, RowSink {
  readonly #rows: LiveRows;
  readonly #byGroup: boolean;
  readonly #listeners = new Listeners();
  /** What came, less what went, since the rows last settled: rows without a key. */
  readonly #changed = new Map<string, Counted>();

  /** `byGroup` says that rows without a key are `{group, reduction}`. */
  constructor(rows: LiveRows, byGroup: boolean) {
    this.#rows = rows;
    this.#byGroup = byGroup;
    rows.sinks.push(this);
  }

  listen(tell: Tell): () => void {
    return this.#listeners.add(tell);
  }

  *snapshot(): Iterable<Difference> {
    for (const [row, key] of this.#rows.rows()) {
      yield { of: 'row', key, group: undefined, old: undefined, now: row };
    }
  }

  settle(): boolean {
    if (this.#changed.size > 0) this.#showChanges();
    this.#changed.clear();
    return true;
  }

  row(old: Datum | undefined, now: Datum | undefined, key: string | undefined): void {
    if (this.#listeners.isEmpty) return;
    if (key !== undefined) {
      this.#show(old, now, key);
      return;
    }
    if (old !== undefined) this.#count(old, -1);
    if (now !== undefined) this.#count(now, 1);
  }

  #count(row: Datum, by: number): void {
    const name = datumKey(row);
    const known = this.#changed.get(name);
    if (known === undefined) this.#changed.set(name, { row, count: by });
    else if (known.count + by === 0) this.#changed.delete(name);
    else known.count += by;
  }

  #showChanges(): void {
    const gone: Datum[] = [];
    const come: Datum[] = [];
    for (const { row, count } of this.#changed.values()) {
      for (let i = 0; i < Math.abs(count); i++) {
        // Null in a pair would be no row at all.
        if (row === null) this.#show(count < 0 ? row : undefined, count < 0 ? undefined : row, undefined);
        else (count < 0 ? gone : come).push(row);
      }
    }
    gone.sort(compareDatums);
    come.sort(compareDatums);
    if (this.#byGroup) this.#showGroups(gone, come);
    for (let i = 0; i < Math.max(gone.length, come.length); i++) {
      this.#show(gone[i], come[i], undefined);
    }
  }

  /** Shows the rows whose group is on both sides, and takes them out. */
  #showGroups(gone: Datum[], come: Datum[]): void {
    for (const old of gone.splice(0)) {
      const at = come.findIndex((now) => equalDatums(groupOf(now), groupOf(old)));
      const [now] = at < 0 ? [] : come.splice(at, 1);
      if (now === undefined) gone.push(old);
      else this.#show(old, now, undefined);
    }
  }

  #show(old: Datum | undefined, now: Datum | undefined, key: string | undefined): void {
    if (!sameSide(old, now)) this.#listeners.tell({ of: 'row', key, group: undefined, old, now });
  }
}

function groupOf(row: Datum): Datum {
  return isObject(row) ? (getField(row, 'group') ?? null) : null;
}
