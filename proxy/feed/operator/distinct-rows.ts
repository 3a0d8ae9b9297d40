// Each distinct element once: it comes with its first occurrence and goes with its last.

import { neverApplied } from '../../../rewrite/aggregates/never-applied.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { datumKey } from '../../../rewrite/reql/datum-key.ts';
import { type Gauge, keyBytes } from './gauge.ts';
import { type ElementSink, isAny, type LiveRows, type LiveValue, type Operator, type RowSink } from './operator.ts';

interface Entry {
  readonly key: string;
  /** The first of the equal elements. */
  readonly datum: Datum;
  count: number;
  shown: boolean;
}

/** What an entry is beside its key and its datum. */
const ENTRY = 16;

/** A hash of elements with how often they are there. */
export class DistinctRows implements LiveRows, ElementSink, Operator {
  readonly sinks: RowSink[] = [];
  readonly #gauge: Gauge;
  readonly #entries = new Map<string, Entry>();
  readonly #touched = new Set<Entry>();
  readonly #missed: LiveValue | undefined;
  #hidden = false;

  /** While `missed` is above 0 there are no rows. */
  constructor(gauge: Gauge, missed?: LiveValue) {
    this.#gauge = gauge;
    this.#missed = missed;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) this.#count(element, -1);
    for (const element of come) this.#count(element, 1);
  }

  settle(): void {
    const hidden = isAny(this.#missed);
    if (hidden !== this.#hidden) for (const entry of this.#entries.values()) this.#touched.add(entry);
    this.#hidden = hidden;
    for (const entry of this.#touched) {
      const { key, datum } = entry;
      if (entry.count <= 0) {
        this.#entries.delete(key);
        this.#gauge.add(-1, datum, ENTRY + keyBytes(key));
      }
      const there = entry.count > 0 && !hidden;
      if (there === entry.shown) continue;
      entry.shown = there;
      for (const sink of this.sinks) sink.row(there ? undefined : datum, there ? datum : undefined, key);
    }
    this.#touched.clear();
  }

  #count(datum: Datum, by: number): void {
    const key = datumKey(datum);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, datum, count: 0, shown: false };
      this.#entries.set(key, entry);
      this.#gauge.add(1, datum, ENTRY + keyBytes(key));
      this.#touched.add(entry);
    } else if (entry.count + by <= 0 || entry.count <= 0) {
      this.#touched.add(entry);
    }
    entry.count += by;
    if (entry.count < 0) throw neverApplied();
  }
}
