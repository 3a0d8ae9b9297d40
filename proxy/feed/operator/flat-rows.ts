// The items of a live array, as rows.

import { typedError, typeName } from '../../../rewrite/reql/data-type.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { type LiveRows, type LiveValue, NONE, type Operator, type RowSink, shown } from './operator.ts';
import { pairChanges } from './pair-changes.ts';

export class FlatRows implements LiveRows, Operator {
  readonly sinks: RowSink[] = [];
  readonly #value: LiveValue;
  #seen = -1;
  #rows = NONE;

  constructor(value: LiveValue) {
    this.#value = value;
  }

  settle(): void {
    if (this.#value.version === this.#seen) return;
    this.#seen = this.#value.version;
    const before = this.#rows;
    this.#rows = rowsOf(shown(this.#value.value));
    pairChanges(before, this.#rows, this.sinks);
  }
}

function rowsOf(datum: Datum): readonly Datum[] {
  if (isArray(datum)) return datum;
  if (datum === null) return NONE;
  throw typedError(datum, `Cannot convert ${typeName(datum)} to SEQUENCE`);
}

function isArray(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
