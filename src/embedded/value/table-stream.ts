// The rows of a table as streams: plainly, which `changes` can watch, and with their values in an index.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { bind } from '../../../rewrite/reql/eval/core/bind.ts';
import { Batch, type BatchSpec, capacity } from '../../../rewrite/reql/eval/streams/batch.ts';
import { Stream, type Visit } from '../../../rewrite/reql/eval/streams/stream.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import { type Origin, ROOT } from '../../../rewrite/reql/origin.ts';
import type { Row } from '../storage/row.ts';
import { type IndexedRow, type ReadSpec, readIndexed, readRows } from './row-range.ts';

/** Steps that reading a row takes. */
export const ROW_STEPS = 8;

/** The most rows that are taken from a table at once. */
const AT_ONCE = 1000;

export class TableStream extends Stream {
  readonly spec: ReadSpec;
  readonly #authorize: () => void;
  #rows: Iterator<Row> | undefined;
  #done = false;

  /** `authorize` raises PERMISSION_ERROR where the client may not read; it is asked when rows are. */
  constructor(spec: ReadSpec, origin: Origin | undefined, meter: Meter, authorize: () => void) {
    super(origin, meter);
    this.spec = spec;
    this.#authorize = authorize;
  }

  override get piecemeal(): boolean {
    return true;
  }

  override exhausted(): boolean {
    return this.#done && this.given;
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    if (this.#rows === undefined) this.#authorize();
    this.#rows ??= readRows(this.spec);
    const rows: Datum[] = [];
    const most = Math.min(capacity(spec), AT_ONCE);
    while (rows.length < most && !this.#done) {
      this.meter.spend(ROW_STEPS);
      const { done, value } = this.#rows.next();
      if (done === true) this.#done = true;
      else rows.push(value.value);
    }
    return rows;
  }

  // The order of rows does not matter to aggregates; the server gives them its shards one after the other.
  override accumulate(visit: Visit): void {
    this.#authorize();
    const read = ({ value }: Row): Datum => {
      this.meter.spend(ROW_STEPS);
      return value;
    };
    bind(ROOT, () => visit(Array.from(readRows(this.spec, true), read)));
  }
}

/** The rows by an index, a row once per value it has there. */
export class IndexedRowStream extends Stream {
  readonly #rows: Iterator<IndexedRow>;
  #value: Datum = null;

  constructor(spec: ReadSpec, origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.#rows = readIndexed(spec);
  }

  /** The index value of the row that was read last. */
  get value(): Datum {
    return this.#value;
  }

  override get piecemeal(): boolean {
    return true;
  }

  // One row at a time, so that its value is known while it is looked at.
  override batch(): readonly Datum[] {
    this.meter.spend(ROW_STEPS);
    const { done, value } = this.#rows.next();
    if (done === true) return [];
    this.#value = value.value;
    return [value.row.value];
  }

  override accumulate(visit: Visit): void {
    bind(ROOT, () => super.accumulate(visit));
  }
}

/** The different values of an index, or the different rows by it, in its order. */
export class DistinctStream extends Stream {
  readonly #rows: Iterator<IndexedRow>;
  readonly #values: boolean;
  #last: Datum | undefined;
  #done = false;

  /** `values`: whether the index values are wanted, not the rows. */
  constructor(spec: ReadSpec, values: boolean, origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.#rows = readIndexed(spec);
    this.#values = values;
  }

  override exhausted(): boolean {
    return this.#done && this.given;
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    const made = new Batch(spec, this.meter);
    while (!made.full && !this.#done) {
      this.meter.spend(ROW_STEPS);
      const { done, value } = this.#rows.next();
      if (done === true) {
        this.#done = true;
        break;
      }
      const element = this.#values ? value.value : value.row.value;
      if (this.#last !== undefined && equalDatums(this.#last, element, this.meter)) continue;
      this.#last = element;
      made.add(element);
    }
    return made.elements;
  }
}
