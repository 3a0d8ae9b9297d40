// A window on an order: its rows from one place up to another. All rows are kept in order; one that comes or goes before the
// window's end moves a row over each of its ends, which are found in O(log n), however large the window is.
//
//   place:   0   1   2 | 3   4   5   6 | 7   8          a row comes at 1: the row at 2 moves to 3, into the window,
//                      └─ start        └─ end           and the one at 6 to 7, out of it
//
// Where the window counts from the end of the order, its ends move besides when the order has grown or shrunk, by one place.

import { Arrangement } from '../../../rewrite/aggregates/state/arrangement.ts';
import type { Entry } from '../../../rewrite/aggregates/state/arrangement-leaf.ts';
import type { CompareKeys, WeighKey } from '../../../rewrite/aggregates/state/arrangement-places.ts';
import type { OrderField, Top } from '../../../rewrite/live.ts';
import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import { type Datum, type DatumObject, getField, isObject, MINVAL } from '../../../rewrite/reql/data/datum.ts';
import { type Bounds, boundsOf, type Window } from '../../../rewrite/window.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import type { Gauge } from './gauge.ts';
import type { ElementSink, LiveRow, LiveRows, Operator, RowSink } from './operator.ts';
import { RowChanges } from './row-changes.ts';
import { Rest, type Steps } from './steps.ts';

/** What the place of a row takes, without and with computed keys beside it. */
const PLACE = 14;
const KEYED = -20;

/** Rows in order, of which a part shows. */
export class TopRows implements LiveRows, ElementSink, Operator {
  readonly sinks: RowSink[] = [];
  readonly #window: Window;
  readonly #keys: number;
  readonly #gauge: Gauge;
  readonly #ordered: Arrangement;
  /** What came into the window and went out of it since it last settled. */
  readonly #moved = new RowChanges();
  readonly #rest = new Rest();
  /** The last row before the window's end; `undefined` where it is not known, or there is none. */
  #last: Entry | undefined;
  /** Whether it has settled once. */
  #begun = false;

  /** Rows that the order takes for equal are in the order of the rows themselves. */
  constructor({ computed, fields, window }: Pick<Top, 'computed' | 'fields' | 'window'>, gauge: Gauge) {
    this.#window = window;
    this.#keys = computed.length;
    this.#gauge = gauge;
    const compareRows = comparingFields(fields);
    const now = (): number => performance.now();
    // Where all keys are fields of the row, the row is its own key.
    this.#ordered =
      computed.length === 0
        ? new Arrangement(false, compareRows, undefined, weighingFields(fields), now)
        : new Arrangement(true, comparingKeys(computed), compareRows, weighingKeys(computed), now);
  }

  *rows(): Iterable<LiveRow> {
    for (const row of this.#shown()) yield [row, undefined];
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) this.#go(element);
    for (const element of come) this.#come(element);
  }

  settle(turn: Turn = WHOLE_TURN): boolean {
    if (this.#begun && this.#moved.size === 0 && !this.#rest.isOpen) return true;
    return this.#rest.go(turn, () => this.#settle());
  }

  *#settle(): Steps {
    if (this.#begun) {
      for (const { row, count } of this.#moved) {
        for (let i = Math.abs(count); i > 0; i--) {
          this.#tell(row, count > 0);
          yield;
        }
      }
      this.#moved.clear();
      return;
    }
    for (const other of this.#ordered.build()) {
      if (other !== undefined) this.#count(-1, other.key, other.row);
      yield;
    }
    this.#begun = true;
    for (const row of this.#shown()) {
      this.#tell(row, true);
      yield;
    }
  }

  #tell(row: Datum, comes: boolean): void {
    for (const sink of this.sinks) sink.row(comes ? undefined : row, comes ? row : undefined, undefined);
  }

  *#shown(): Iterable<Datum> {
    const { start, end } = boundsOf(this.#window, this.#ordered.size);
    let left = end - start;
    if (left <= 0) return;
    for (const entry of this.#ordered.entries(start)) {
      for (let i = Math.min(entry.count, left); i > 0; i--) yield this.#rowOf(entry);
      left -= entry.count;
      if (left <= 0) return;
    }
  }

  #come(element: Datum): void {
    const key = this.#keyOf(element);
    const row = this.#keys === 0 ? null : rankedOf(element)[1];
    if (!this.#begun) {
      this.#ordered.load(key, row);
      this.#count(1, key, row);
      return;
    }
    const before = boundsOf(this.#window, this.#ordered.size);
    const after = boundsOf(this.#window, this.#ordered.size + 1);
    const place = this.#placeOf(key, row, before, after);
    if (this.#ordered.add(key, row) === 1) this.#count(1, key, row);
    if (place !== undefined) this.#shift(place, before, after, 1);
  }

  #go(element: Datum): void {
    const key = this.#keyOf(element);
    const row = this.#keys === 0 ? null : rankedOf(element)[1];
    if (!this.#begun) {
      this.#ordered.unload(key, row);
      return;
    }
    const before = boundsOf(this.#window, this.#ordered.size);
    const after = boundsOf(this.#window, this.#ordered.size - 1);
    const place = this.#placeOf(key, row, before, after);
    // Those at the ends are what they are before it goes.
    if (place !== undefined && this.#ordered.count(key, row) > 0) this.#shift(place, after, before, -1);
    if (this.#ordered.remove(key, row) === 0) this.#count(-1, key, row);
  }

  #count(rows: 1 | -1, key: Datum, row: Datum): void {
    this.#gauge.add(rows, this.#keys === 0 ? key : [key, row], this.#keys === 0 ? PLACE : KEYED);
  }

  /**
   * Notes what a row at a place, which comes (`by` is 1) or goes, moves over the ends of the window. The order holds the row:
   * `without` are the bounds of the window as if it did not, `within` those with it. They differ by one place at most, so that
   * the row itself and those at the bounds are all that can move.
   */
  #shift(place: number, without: Bounds, within: Bounds, by: 1 | -1): void {
    const { start, end } = without;
    this.#compare(place, place, without, within, by);
    if (start !== place) this.#compare(start, place, without, within, by);
    if (end !== place && end !== start) this.#compare(end, place, without, within, by);
    this.#last = undefined;
  }

  /** The row that stands at a place is in the window with the row at `place` and was not without it, or the other way round. */
  #compare(at: number, place: number, without: Bounds, within: Bounds, by: 1 | -1): void {
    const before = at > place ? at - 1 : at;
    const wasShown = at !== place && before >= without.start && before < without.end;
    const isShown = at >= within.start && at < within.end;
    if (isShown !== wasShown) this.#move(at, isShown ? by : -by);
  }

  /** The row at a place comes into the window or goes out of it. */
  #move(place: number, by: number): void {
    const entry = this.#ordered.at(place);
    if (entry !== undefined) this.#moved.add(this.#rowOf(entry), by);
  }

  /** The place of a row; `undefined` where it moves nothing, behind a window that stays where it is. */
  #placeOf(key: Datum, row: Datum, { start, end }: Bounds, after: Bounds): number | undefined {
    const stays = start === after.start && end === after.end;
    if (!stays) return this.#ordered.rank(key, row);
    if (start >= end) return undefined;
    this.#last ??= this.#ordered.at(end - 1);
    const isBehind = this.#last !== undefined && this.#ordered.compare({ key, row }, this.#last) > 0;
    return isBehind ? undefined : this.#ordered.rank(key, row);
  }

  #rowOf({ key, row }: Entry): Datum {
    return this.#keys === 0 ? key : row;
  }

  #keyOf(element: Datum): Datum {
    if (this.#keys === 0) return element;
    const keys = rankedOf(element)[0];
    // A key by itself needs no array around it.
    return this.#keys === 1 ? unboxed(keys[0]) : keys.map(unboxed);
  }
}

/** Compares computed keys. */
function comparingKeys(descending: readonly boolean[]): CompareKeys {
  if (descending.length === 1) return descending[0] === true ? (a, b) => compareDatums(b, a) : compareDatums;
  return (a, b) => {
    const one = listOf(a);
    const other = listOf(b);
    for (let i = 0; i < descending.length; i++) {
      const order = compareDatums(one[i] ?? null, other[i] ?? null);
      if (order !== 0) return descending[i] === true ? -order : order;
    }
    return 0;
  };
}

/** Keys that are computed, where there is one alone, by the number that it is. */
function weighingKeys([first, ...others]: readonly boolean[]): WeighKey | undefined {
  if (first === undefined || others.length > 0) return undefined;
  return first ? (key) => -numberOf(key) : numberOf;
}

/** Rows by the number that their first field is. */
function weighingFields([first]: readonly OrderField[]): WeighKey | undefined {
  if (first === undefined) return undefined;
  const fieldOf = fieldReader(first.field);
  return first.descending ? (row) => -numberOf(fieldOf(row)) : (row) => numberOf(fieldOf(row));
}

function numberOf(datum: Datum): number {
  return typeof datum === 'number' ? datum : Number.NaN;
}

/** Compares rows by their fields, and by all that they are. */
function comparingFields(fields: readonly OrderField[]): CompareKeys {
  return fields.reduceRight<CompareKeys>((next, field) => comparingField(field, next), compareDatums);
}

/** Compares rows by a field, and by `next` where that is equal. */
function comparingField({ field, descending }: OrderField, next: CompareKeys): CompareKeys {
  const fieldOf = fieldReader(field);
  const sign = descending ? -1 : 1;
  return (a, b) => {
    if (a === b) return 0;
    const one = fieldOf(a);
    const other = fieldOf(b);
    if (typeof one === 'number' && typeof other === 'number') {
      return one < other ? -sign : one > other ? sign : next(a, b);
    }
    return sign * compareDatums(one, other) || next(a, b);
  };
}

/** Reads a field, of which what is not there comes before all that is. */
function fieldReader(field: string): (row: Datum) => Datum {
  // A field that all objects have by themselves is there only where it is the row's own.
  const read = field in Object.prototype ? getField : (row: DatumObject): Datum | undefined => row[field];
  return (row) => {
    const value = isObject(row) ? read(row, field) : undefined;
    return value === undefined ? MINVAL : value;
  };
}

function unboxed(box: Datum | undefined): Datum {
  const key = isList(box) ? box[0] : undefined;
  return key === undefined ? MINVAL : key;
}

/** An element: the keys to order by, each in an array of its own, and the row. */
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

function isList(datum: Datum | undefined): datum is readonly Datum[] {
  return Array.isArray(datum);
}
