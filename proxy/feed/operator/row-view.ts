// Live rows. Rows that are about something (a group, a distinct value) change one by one. Other rows are known by their value alone: in
// each step those that went and those that came are set off against each other, and what is left is paired: rows of the same name
// first, which are the keys that somebody names them by, a group's in orders of groups (as in rewrite/kinds/documents.ts), and else the
// field `id`; then in the order of the rows.

import { Multiset } from '../../../rewrite/aggregates/state/multiset.ts';
import { keyAt } from '../../../rewrite/kinds/key-places.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey, type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import { type Difference, sameSide, type Tell } from './difference.ts';
import { Listeners } from './listeners.ts';
import type { LiveRows, RowSink } from './operator.ts';
import { RowChanges } from './row-changes.ts';
import type { RowPairing } from './row-pairing.ts';
import { Rest, type Steps } from './steps.ts';
import type { View } from './view.ts';

/** Rows. */
export class RowView implements View, RowSink {
  readonly #rows: LiveRows;
  /** The field by which rows without a key are told apart, where `#pairing` knows none better. */
  readonly #name: 'group' | 'id';
  readonly #pairing: RowPairing;
  readonly #listeners = new Listeners();
  /** What came, less what went, since the rows last settled: rows without a key. */
  readonly #changed = new RowChanges();
  readonly #rest = new Rest();

  /** `byGroup` says that rows without a key are `{group, reduction}`. */
  constructor(rows: LiveRows, byGroup: boolean, pairing: RowPairing) {
    this.#rows = rows;
    this.#name = byGroup ? 'group' : 'id';
    this.#pairing = pairing;
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

  settle(turn: Turn = WHOLE_TURN): boolean {
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
    yield* this.#pairNamed(gone, come);
    const [olds, nows] = [gone.values(), come.values()];
    for (let i = 0; i < Math.max(olds.length, nows.length); i++) {
      this.#show(olds[i], nows[i], undefined);
      yield;
    }
  }

  /** Shows the rows whose name is on both sides, and takes them out. */
  *#pairNamed(gone: Multiset, come: Multiset): Steps {
    if (gone.size === 0 || come.size === 0) return;
    const byName = new Map<HashKey, Datum[]>();
    // The last one is taken first.
    for (const now of come.values().toReversed()) {
      const key = this.#nameOf(now);
      const rows = key === undefined ? undefined : byName.get(key);
      if (rows !== undefined) rows.push(now);
      else if (key !== undefined) byName.set(key, [now]);
      yield;
    }
    for (const old of gone.values()) {
      const key = this.#nameOf(old);
      const now = key === undefined ? undefined : byName.get(key)?.pop();
      if (now !== undefined) {
        gone.remove(old);
        come.remove(now);
        this.#show(old, now, undefined);
      }
      yield;
    }
  }

  #nameOf(row: Datum): HashKey | undefined {
    const { paths } = this.#pairing;
    if (paths !== undefined) return hashKey(keyAt(row, paths));
    const name = isObject(row) ? getField(row, this.#name) : undefined;
    return name === undefined ? undefined : hashKey(name);
  }

  #show(old: Datum | undefined, now: Datum | undefined, key: string | undefined): void {
    if (!sameSide(old, now)) this.#listeners.tell({ of: 'row', key, group: undefined, old, now });
  }
}

function keyOf(name: Datum | undefined): string | undefined {
  return name === undefined ? undefined : datumKey(name);
}
