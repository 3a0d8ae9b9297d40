// The items of a live array, as rows.

import { typedError, typeName } from '../../../rewrite/reql/data-type.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { type LiveRow, type LiveRows, type LiveValue, NONE, type Operator, type RowSink, shown } from './operator.ts';

/** Items of an array as rows. */
export class FlatRows implements LiveRows, Operator {
  readonly sinks: RowSink[] = [];
  readonly #value: LiveValue;
  #seen = -1;
  #rows = NONE;

  constructor(value: LiveValue) {
    this.#value = value;
  }

  *rows(): Iterable<LiveRow> {
    for (const row of this.#rows) yield [row, undefined];
  }

  settle(): boolean {
    if (this.#value.version !== this.#seen) this.#show();
    return true;
  }

  #show(): void {
    this.#seen = this.#value.version;
    const before = this.#rows;
    this.#rows = rowsOf(shown(this.#value.value));
    for (const sink of this.sinks) {
      for (const row of before) sink.row(row, undefined, undefined);
      for (const row of this.#rows) sink.row(undefined, row, undefined);
    }
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
