// Live rows. Rows that are about something (a group, a distinct value) change one by one. Other rows are known by their value alone: in
// each step those that went and those that came are set off against each other, and what is left is paired, rows of the same
// group first and then in the order of the rows, as the server plan does (rewrite/kinds/documents.ts).

import { Multiset } from '../../../rewrite/aggregates/state/multiset.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey, type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { Turn } from '../../work/turn.ts';
import { type Difference, sameSide, type Tell } from './difference.ts';
import { Listeners } from './listeners.ts';
import type { LiveRows, RowSink } from './operator.ts';
import { RowChanges } from './row-changes.ts';
import { Rest, type Steps } from './steps.ts';
import type { View } from './view.ts';

/** Rows. */
export class RowView implements View, RowSink {
  readonly #rows: LiveRows;
  readonly #byGroup: boolean;
  readonly #listeners = new Listeners();
  /** What came, less what went, since the rows last settled: rows without a key. */
  readonly #changed = new RowChanges();
  readonly #rest = new Rest();

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
    for (const [row, name] of this.#rows.rows()) {
      yield { of: 'row', key: keyOf(name), group: undefined, old: undefined, now: row };
    }
  }

  settle(turn: Turn): boolean {
    if (this.#changed.size === 0 && !this.#rest.isOpen) return true;
    return this.#rest.go(turn, () => this.#settle());
  }

  row(old: Datum | undefined, now: Datum | undefined, name: Datum | undefined): void {
    if (this.#listeners.isEmpty) return;
    if (name !== undefined) {
      this.#show(old, now, keyOf(name));
      return;
    }
    if (old !== undefined) this.#changed.add(old, -1);
    if (now !== undefined) this.#changed.add(now, 1);
  }

  *#settle(): Steps {
    const gone = new Multiset();
    const come = new Multiset();
    for (const { row, count } of this.#changed) {
      for (let i = Math.abs(count); i > 0; i--) {
        // Null in a pair would be no row at all.
        if (row === null) this.#show(count < 0 ? row : undefined, count < 0 ? undefined : row, undefined);
        else (count < 0 ? gone : come).add(row);
        yield;
      }
    }
    this.#changed.clear();
    if (this.#byGroup) yield* this.#pairGroups(gone, come);
    const [olds, nows] = [gone.values(), come.values()];
    for (let i = 0; i < Math.max(olds.length, nows.length); i++) {
      this.#show(olds[i], nows[i], undefined);
      yield;
    }
  }

  /** Shows the rows whose group is on both sides, and takes them out. */
  *#pairGroups(gone: Multiset, come: Multiset): Steps {
    const byGroup = new Map<HashKey, Datum[]>();
    // The last one is taken first.
    for (const now of come.values().toReversed()) {
      const key = hashKey(groupOf(now));
      const rows = byGroup.get(key);
      if (rows === undefined) byGroup.set(key, [now]);
      else rows.push(now);
      yield;
    }
    for (const old of gone.values()) {
      const now = byGroup.get(hashKey(groupOf(old)))?.pop();
      if (now !== undefined) {
        gone.remove(old);
        come.remove(now);
        this.#show(old, now, undefined);
      }
      yield;
    }
  }

  #show(old: Datum | undefined, now: Datum | undefined, key: string | undefined): void {
    if (!sameSide(old, now)) this.#listeners.tell({ of: 'row', key, group: undefined, old, now });
  }
}

function keyOf(name: Datum | undefined): string | undefined {
  return name === undefined ? undefined : datumKey(name);
}

function groupOf(row: Datum): Datum {
  return isObject(row) ? (getField(row, 'group') ?? null) : null;
}
