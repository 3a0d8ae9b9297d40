// The elements themselves as rows, equal ones as often as they are there. Nothing is kept.

import type { Datum } from '../../../rewrite/reql/datum.ts';
import type { ElementSink, LiveRows, RowSink } from './operator.ts';
import { pairChanges } from './pair-changes.ts';

export class ListedRows implements LiveRows, ElementSink {
  readonly sinks: RowSink[] = [];

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    pairChanges(gone, come, this.sinks);
  }
}
