// The rows of a table as streams: plainly, which `changes` can watch, and with their values in an index.

import { type Reader, Stream } from '../../../rewrite/eval/stream.ts';
import { equalDatums } from '../../../rewrite/reql/compare.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import type { Row } from '../storage/row.ts';
import { type IndexedRow, type ReadSpec, readIndexed, readRows } from './row-range.ts';

export class TableStream extends Stream {
  readonly spec: ReadSpec;
  #rows: Iterator<Row> | undefined;
  #done = false;

  constructor(spec: ReadSpec, origin: Origin | undefined) {
    super(origin);
    this.spec = spec;
  }

  override exhausted(): boolean {
    return this.#done;
  }

  next(reader: Reader): Datum | undefined {
    if (this.#done) return undefined;
    this.#rows ??= readRows(this.spec, reader === 'aggregate');
    const { done, value } = this.#rows.next();
    if (done !== true) return value.value;
    this.#done = true;
    return undefined;
  }
}

/** The rows by an index, a row once per value it has there. */
export class IndexedRowStream extends Stream {
  readonly #rows: Iterator<IndexedRow>;
  #value: Datum = null;

  constructor(spec: ReadSpec, origin: Origin | undefined) {
    super(origin);
    this.#rows = readIndexed(spec);
  }

  /** The index value of the row that was read last. */
  get value(): Datum {
    return this.#value;
  }

  next(_reader: Reader): Datum | undefined {
    const { done, value } = this.#rows.next();
    if (done === true) return undefined;
    this.#value = value.value;
    return value.row.value;
  }
}

/** The different values of an index, or the different rows by it, in its order. */
export class DistinctStream extends Stream {
  readonly #rows: Iterator<IndexedRow>;
  readonly #values: boolean;
  #last: Datum | undefined;

  /** `values`: whether the index values are wanted, not the rows. */
  constructor(spec: ReadSpec, values: boolean, origin: Origin | undefined) {
    super(origin);
    this.#rows = readIndexed(spec);
    this.#values = values;
  }

  next(_reader: Reader): Datum | undefined {
    for (;;) {
      const { done, value } = this.#rows.next();
      if (done === true) return undefined;
      const element = this.#values ? value.value : value.row.value;
      if (this.#last !== undefined && equalDatums(this.#last, element)) continue;
      this.#last = element;
      return element;
    }
  }
}
