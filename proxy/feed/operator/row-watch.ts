// The documents of live rows. Rows with a key (a group, a distinct value) change one by one. Other rows are known by their
// value alone: in each step those that went and those that came are set off against each other, and what is left is
// paired, rows of the same group first and then in the order of the rows, as the server plan does (rewrite/diff.ts).

import { compareDatums, equalDatums } from '../../../rewrite/reql/compare.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import { type Emit, sameSide } from '../documents.ts';
import type { Operator, RowSink } from './operator.ts';

interface Counted {
  readonly row: Datum;
  readonly key: string | undefined;
  count: number;
}

/** Turns changes of rows into documents. */
export class RowWatch implements Operator, RowSink {
  readonly #emit: Emit;
  readonly #byGroup: boolean;
  readonly #initial: boolean;
  /** What came, less what went, since the rows last settled; until the first time that is all rows. */
  readonly #changed = new Map<string, Counted>();
  #ready = false;

  /** `byGroup` says that rows without a key are `{group, reduction}`, `initial` that those there at first are shown. */
  constructor(emit: Emit, byGroup: boolean, initial: boolean) {
    this.#emit = emit;
    this.#initial = initial;
    this.#byGroup = byGroup;
  }

  settle(): void {
    if (this.#ready) this.#showChanges();
    else this.#showInitial();
    this.#changed.clear();
    this.#ready = true;
  }

  row(old: Datum | undefined, now: Datum | undefined, key: string | undefined): void {
    if (!this.#ready && !this.#initial) return;
    if (this.#ready && key !== undefined) {
      this.#show(old, now, key);
      return;
    }
    if (old !== undefined) this.#count(old, key, -1);
    if (now !== undefined) this.#count(now, key, 1);
  }

  #count(row: Datum, key: string | undefined, by: number): void {
    const name = datumKey(row);
    const known = this.#changed.get(name);
    if (known === undefined) this.#changed.set(name, { row, key, count: by });
    else if (known.count + by === 0) this.#changed.delete(name);
    else known.count += by;
  }

  #showInitial(): void {
    for (const { row, key, count } of this.#changed.values()) {
      for (let i = 0; i < count; i++) this.#emit({ kind: 'initial', of: 'row', key, group: undefined, now: row });
    }
  }

  #showChanges(): void {
    if (this.#changed.size === 0) return;
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
    if (sameSide(old, now)) return;
    this.#emit({ kind: 'change', of: 'row', key, group: undefined, old, now });
  }
}

function groupOf(row: Datum): Datum {
  return isObject(row) ? (getField(row, 'group') ?? null) : null;
}
