// The elements themselves as rows, equal ones as often as they are there.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { DatumCounts } from './datum-counts.ts';
import type { Gauge } from './gauge.ts';
import type { ElementSink, LiveRow, LiveRows, RowSink } from './operator.ts';

/** Elements as rows. */
export class ListedRows implements LiveRows, ElementSink {
  readonly sinks: RowSink[] = [];
  readonly #counts: DatumCounts;

  constructor(gauge: Gauge) {
    this.#counts = new DatumCounts(gauge);
  }

  *rows(): Iterable<LiveRow> {
    for (const [row, count] of this.#counts.entries()) {
      for (let i = 0; i < count; i++) yield [row, undefined];
    }
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const row of gone) this.#counts.remove(row);
    for (const row of come) this.#counts.add(row);
    for (const row of gone) this.#counts.forget(row);
    for (const sink of this.sinks) {
      for (const row of gone) sink.row(row, undefined, undefined);
      for (const row of come) sink.row(undefined, row, undefined);
    }
  }
}
