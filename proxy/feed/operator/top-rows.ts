// The first rows of an order. All rows are kept in a tree; where a change touches the top, it is read anew and compared.

import { BTree } from '../../../rewrite/aggregates/btree.ts';
import { neverApplied } from '../../../rewrite/aggregates/never-applied.ts';
import { compareDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import type { Gauge } from './gauge.ts';
import type { ElementSink, LiveRow, LiveRows, Operator, RowSink } from './operator.ts';

/** An element: the keys to order by, and the row. */
type Ranked = readonly [keys: readonly Datum[], row: Datum];

/** What an element takes beside its row: its keys and two arrays. */
const RANKED = 400;

/** Rows in order, of which the first ones show. */
export class TopRows implements LiveRows, ElementSink, Operator {
  readonly sinks: RowSink[] = [];
  readonly #compare: (a: Ranked, b: Ranked) => number;
  readonly #limit: number;
  readonly #gauge: Gauge;
  /** How often each element is there. */
  readonly #tree: InstanceType<typeof BTree<Ranked, number>>;
  /** The rows of the top as last shown, in order; equal ones as often as they are in it. */
  #top: readonly Ranked[] = [];
  #dirty = false;

  /** Rows whose keys are equal are in the order of the rows themselves. */
  constructor(descending: readonly boolean[], limit: number, gauge: Gauge) {
    this.#compare = (a, b) => compareKeys(a[0], b[0], descending) || compareDatums(a[1], b[1]);
    this.#limit = limit;
    this.#gauge = gauge;
    this.#tree = new BTree<Ranked, number>(undefined, this.#compare);
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) this.#count(rankedOf(element), -1);
    for (const element of come) this.#count(rankedOf(element), 1);
  }

  *rows(): Iterable<LiveRow> {
    for (const [, row] of this.#top) yield [row, undefined];
  }

  settle(): boolean {
    if (this.#dirty) this.#show();
    return true;
  }

  #show(): void {
    this.#dirty = false;
    const before = this.#top;
    this.#top = this.#first();
    this.#showDifference(before, this.#top);
  }

  #count(ranked: Ranked, by: number): void {
    const count = (this.#tree.get(ranked) ?? 0) + by;
    if (count < 0) throw neverApplied();
    if (count === 0) {
      this.#tree.delete(ranked);
      this.#gauge.add(-1, ranked[1], RANKED);
    } else {
      this.#tree.set(ranked, count);
      if (count === by) this.#gauge.add(1, ranked[1], RANKED);
    }
    const last = this.#top.at(-1);
    if (last === undefined || this.#top.length < this.#limit || this.#compare(ranked, last) <= 0) this.#dirty = true;
  }

  #first(): readonly Ranked[] {
    const first: Ranked[] = [];
    if (this.#limit <= 0) return first;
    for (const [ranked, count] of this.#tree.entries()) {
      for (let i = 0; i < count; i++) {
        first.push(ranked);
        if (first.length >= this.#limit) return first;
      }
    }
    return first;
  }

  /** Both lists are in order. */
  #showDifference(before: readonly Ranked[], after: readonly Ranked[]): void {
    let i = 0;
    let j = 0;
    for (let old = before[i], now = after[j]; old !== undefined || now !== undefined; old = before[i], now = after[j]) {
      const order = old === undefined ? 1 : now === undefined ? -1 : this.#compare(old, now);
      if (order <= 0) i++;
      if (order >= 0) j++;
      if (order === 0) continue;
      for (const sink of this.sinks) {
        if (order < 0) sink.row(old?.[1], undefined, undefined);
        else sink.row(undefined, now?.[1], undefined);
      }
    }
  }
}

function compareKeys(a: readonly Datum[], b: readonly Datum[], descending: readonly boolean[]): number {
  for (let i = 0; i < descending.length; i++) {
    const order = compareDatums(a[i] ?? null, b[i] ?? null);
    if (order !== 0) return descending[i] === true ? -order : order;
  }
  return 0;
}

function rankedOf(element: Datum): Ranked {
  if (isRanked(element)) return element;
  throw new TypeError('an element of an ordered list is not keys and a row');
}

function isRanked(datum: Datum): datum is Ranked {
  return Array.isArray(datum) && datum.length === 2 && Array.isArray(datum[0]);
}
