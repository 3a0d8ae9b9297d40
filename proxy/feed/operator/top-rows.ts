// A window on an order: its rows from one place up to another. All rows are kept in order; one that comes or goes before the
// window's end moves each of its ends by one row, which are found in O(log n), however large the window is.
//
//   place:   0   1   2 | 3   4   5   6 | 7   8          a row comes at 1: the row at 2 moves to 3, into the window,
//                      └─ start        └─ end           and the one at 6 to 7, out of it

import { Arrangement, type Entry } from '../../../rewrite/aggregates/state/arrangement.ts';
import type { Top } from '../../../rewrite/live.ts';
import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { Turn } from '../../work/turn.ts';
import type { Gauge } from './gauge.ts';
import type { ElementSink, LiveRow, LiveRows, Operator, RowSink } from './operator.ts';
import { RowChanges } from './row-changes.ts';
import { Rest, type Steps } from './steps.ts';

/** What an element takes beside its row: its keys, and its place in the order. */
const RANKED = 260;

/** Rows in order, of which a part shows. */
export class TopRows implements LiveRows, ElementSink, Operator {
  readonly sinks: RowSink[] = [];
  readonly #start: number;
  readonly #end: number;
  readonly #single: boolean;
  readonly #gauge: Gauge;
  readonly #ordered: Arrangement;
  /** What came into the window and went out of it since it last settled. */
  readonly #moved = new RowChanges();
  readonly #rest = new Rest();
  /** The last row before the window's end; `undefined` where it is not known, or there is none. */
  #last: Entry | undefined;
  /** Whether it has settled once. */
  #begun = false;

  /** Rows whose keys are equal are in the order of the rows themselves. */
  constructor({ descending, start, end }: Pick<Top, 'descending' | 'start' | 'end'>, gauge: Gauge) {
    this.#start = start;
    this.#end = end ?? Number.POSITIVE_INFINITY;
    // A key by itself needs no array around it.
    this.#single = descending.length === 1;
    this.#gauge = gauge;
    this.#ordered = new Arrangement(true, comparing(descending));
  }

  *rows(): Iterable<LiveRow> {
    for (const row of this.#window()) yield [row, undefined];
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) this.#go(element);
    for (const element of come) this.#come(element);
  }

  settle(turn: Turn): boolean {
    if (this.#begun && this.#moved.size === 0 && !this.#rest.isOpen) return true;
    return this.#rest.go(turn, () => this.#settle());
  }

  *#settle(): Steps {
    if (this.#begun) {
      for (const { row, count } of this.#moved) {
        for (let i = Math.abs(count); i > 0; i--) this.#tell(row, count > 0);
        yield;
      }
      this.#moved.clear();
      return;
    }
    this.#begun = true;
    for (const row of this.#window()) {
      this.#tell(row, true);
      yield;
    }
  }

  #tell(row: Datum, comes: boolean): void {
    for (const sink of this.sinks) sink.row(comes ? undefined : row, comes ? row : undefined, undefined);
  }

  *#window(): Iterable<Datum> {
    let left = Math.min(this.#end, this.#ordered.size) - this.#start;
    if (left <= 0) return;
    for (const { row, count } of this.#ordered.entries(this.#start)) {
      for (let i = Math.min(count, left); i > 0; i--) yield row;
      left -= count;
      if (left <= 0) return;
    }
  }

  #come(element: Datum): void {
    const [key, row] = this.#split(element);
    const place = this.#placeOf(key, row);
    if (this.#ordered.add(key, row) === 1) this.#gauge.add(1, row, RANKED);
    if (place >= this.#end) return;
    this.#move(Math.max(place, this.#start), 1);
    this.#move(this.#end, -1);
    this.#last = undefined;
  }

  #go(element: Datum): void {
    const [key, row] = this.#split(element);
    const place = this.#placeOf(key, row);
    // Those at the ends are what they are before it goes.
    if (place < this.#end && this.#ordered.count(key, row) > 0) {
      this.#move(Math.max(place, this.#start), -1);
      this.#move(this.#end, 1);
      this.#last = undefined;
    }
    if (this.#ordered.remove(key, row) === 0) this.#gauge.add(-1, row, RANKED);
  }

  /** The row at a place, if there is one, comes into the window or goes out of it. */
  #move(place: number, by: 1 | -1): void {
    const entry = place < this.#ordered.size ? this.#ordered.at(place) : undefined;
    if (entry !== undefined) this.#moved.add(entry.row, by);
  }

  /** The place of a row where that is before the window's end; before the first moment nobody asks. */
  #placeOf(key: Datum, row: Datum): number {
    if (!this.#begun || this.#start >= this.#end) return this.#end;
    if (this.#ordered.size < this.#end) return this.#ordered.rank(key, row);
    this.#last ??= this.#ordered.at(this.#end - 1);
    const isBeyond = this.#last !== undefined && this.#ordered.compare({ key, row }, this.#last) > 0;
    return isBeyond ? this.#end : this.#ordered.rank(key, row);
  }

  #split(element: Datum): readonly [key: Datum, row: Datum] {
    const [keys, row] = rankedOf(element);
    return [this.#single ? (keys[0] ?? null) : keys, row];
  }
}

/** Compares keys, some of which are descending. */
function comparing(descending: readonly boolean[]): (a: Datum, b: Datum) => number {
  if (descending.length === 1) return descending[0] === true ? (a, b) => compareDatums(b, a) : compareDatums;
  return (a, b) => {
    const [one, other] = [listOf(a), listOf(b)];
    for (let i = 0; i < descending.length; i++) {
      const order = compareDatums(one[i] ?? null, other[i] ?? null);
      if (order !== 0) return descending[i] === true ? -order : order;
    }
    return 0;
  };
}

/** An element: the keys to order by, and the row. */
type Ranked = readonly [keys: readonly Datum[], row: Datum];

function rankedOf(element: Datum): Ranked {
  if (isRanked(element)) return element;
  throw new TypeError('an element of an ordered list is not keys and a row');
}

function isRanked(datum: Datum): datum is Ranked {
  return Array.isArray(datum) && datum.length === 2 && Array.isArray(datum[0]);
}

function listOf(keys: Datum): readonly Datum[] {
  return isList(keys) ? keys : [];
}

function isList(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
