// One side of a join: rows by their key, in a hash. Most keys of a side that is joined by its own key have one row, which then
// stands in the hash by itself.

import { Arrangement } from '../../../rewrite/aggregates/state/arrangement.ts';
import { neverApplied } from '../../../rewrite/reductions/never-applied.ts';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumHash } from '../../../rewrite/reql/data/datum-hash.ts';
import type { HashKey } from '../../../rewrite/reql/data/datum-key.ts';

/** A row, and how often it is there. */
export interface Counted {
  readonly row: Datum;
  readonly count: number;
}

/** The rows of a key. */
export interface RowsOfKey {
  readonly key: Datum;
  readonly rows: readonly Counted[];
}

/** So many rows of a key are compared one by one, which takes less than finding one in an order. */
const FEW = 16;

/** Rows by their keys, of each how often it is there. */
export class KeyedRows {
  readonly #rows = new Map<HashKey, Datum | Several>();
  #size = 0;
  #isLoading = true;

  /** How many rows are there, each as often as it is. */
  get size(): number {
    return this.#size;
  }

  /** All that was there at first has been added. */
  loaded(): void {
    this.#isLoading = false;
  }

  /** Adds a row under the hash of its key, and says how often it is there now. */
  add(hash: HashKey, key: Datum, row: Datum): number {
    this.#size++;
    const known = this.#rows.get(hash);
    if (known instanceof Several) return known.add(row, this.#isLoading);
    if (known === undefined && hash === key) {
      this.#rows.set(hash, row);
      return 1;
    }
    const several = new Several(key);
    this.#rows.set(hash, several);
    if (known !== undefined) several.add(known, this.#isLoading);
    return several.add(row, this.#isLoading);
  }

  /**
   * Takes a row away once, and says how often it is still there.
   * @throws ReqlError where it is not there
   */
  remove(hash: HashKey, row: Datum): number {
    const known = this.#rows.get(hash);
    if (known instanceof Several) {
      const count = known.remove(row);
      if (known.isEmpty) this.#rows.delete(hash);
      this.#size--;
      return count;
    }
    if (known === undefined || !equalDatums(known, row)) throw neverApplied();
    this.#rows.delete(hash);
    this.#size--;
    return 0;
  }

  /** The rows of a key. */
  of(hash: HashKey): readonly Counted[] {
    const known = this.#rows.get(hash);
    return known === undefined ? NO_ROWS : listOf(known);
  }

  /** All keys with their rows. Not to be read on after a change. */
  *entries(): Generator<RowsOfKey & { readonly hash: HashKey }, void> {
    for (const [hash, known] of this.#rows) {
      yield { hash, key: known instanceof Several ? known.key : hash, rows: listOf(known) };
    }
  }
}

const NO_ROWS: readonly Counted[] = [];

function listOf(rows: Datum | Several): readonly Counted[] {
  return rows instanceof Several ? rows.list() : [{ row: rows, count: 1 }];
}

/** Rows of one key. */
class Several {
  readonly key: Datum;
  /** Empty where there is an order of them. */
  #rows: Datum[] = [];
  /** Absent where each is there once. */
  #counts: number[] | undefined;
  /** For how many more the array has room, since they went from it. */
  #room = 0;
  /** By their hashes: two rows are only compared where those are equal. */
  #ordered: Arrangement | undefined;
  /** Whether the array may have room for sixteen more, as one that grows by itself. */
  #isRoomy = false;

  constructor(key: Datum) {
    this.key = key;
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0 && (this.#ordered === undefined || this.#ordered.size === 0);
  }

  /** `more`: others are likely to follow before anybody asks for them. */
  add(row: Datum, more: boolean): number {
    if (this.#ordered !== undefined) return this.#ordered.add(datumHash(row), row);
    const at = this.#placeOf(row);
    if (at >= 0) return this.#changeCount(at, 1);
    if (more) {
      this.#isRoomy = true;
      this.#rows.push(row);
    } else if (this.#room > 0) {
      this.#room--;
      this.#rows.push(row);
    } else {
      // An array that grows by itself has more room than rows of a key need.
      this.#rows = this.#rows.concat([row]);
    }
    this.#counts?.push(1);
    if (this.#rows.length > FEW) this.#order();
    return 1;
  }

  remove(row: Datum): number {
    if (this.#ordered !== undefined) return this.#ordered.remove(datumHash(row), row);
    const at = this.#placeOf(row);
    if (at < 0) throw neverApplied();
    if (this.#countAt(at) > 1) return this.#changeCount(at, -1);
    takeAway(this.#rows, at);
    if (this.#counts !== undefined) takeAway(this.#counts, at);
    this.#room++;
    return 0;
  }

  list(): readonly Counted[] {
    if (this.#ordered !== undefined) return Array.from(this.#ordered.entries(), ({ row, count }) => ({ row, count }));
    this.#trim();
    return this.#rows.map((row, at) => ({ row, count: this.#countAt(at) }));
  }

  #trim(): void {
    if (!this.#isRoomy) return;
    this.#rows = this.#rows.slice();
    this.#room = 0;
    this.#isRoomy = false;
  }

  #countAt(at: number): number {
    return this.#counts?.[at] ?? 1;
  }

  #changeCount(at: number, by: 1 | -1): number {
    this.#counts ??= this.#rows.map(() => 1);
    const count = this.#countAt(at) + by;
    this.#counts[at] = count;
    return count;
  }

  #placeOf(row: Datum): number {
    for (let at = 0; at < this.#rows.length; at++) if (equalDatums(this.#rows[at] ?? null, row)) return at;
    return -1;
  }

  /** Too many to look at one by one. */
  #order(): void {
    const ordered = new Arrangement(true);
    for (const { row, count } of this.list()) for (let i = 0; i < count; i++) ordered.add(datumHash(row), row);
    this.#rows = [];
    this.#room = 0;
    this.#counts = undefined;
    this.#ordered = ordered;
  }
}

/** Takes an item away; the last one has its place. */
function takeAway<Item>(items: Item[], at: number): void {
  const last = items.pop();
  if (last !== undefined && at < items.length) items[at] = last;
}
