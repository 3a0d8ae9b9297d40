// The elements themselves as rows, equal ones as often as they are there. Nothing is kept.

import type { Datum } from '../../../rewrite/reql/datum.ts';
import type { ElementSink, LiveRows, RowSink } from './operator.ts';

/** Elements as rows. */
export class ListedRows implements LiveRows, ElementSink {
  readonly sinks: RowSink[] = [];

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const sink of this.sinks) {
      for (const row of gone) sink.row(row, undefined, undefined);
      for (const row of come) sink.row(undefined, row, undefined);
    }
  }
}
