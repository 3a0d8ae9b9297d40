// A row of a table as a value of ReQL: by key, or the first by an index (val.cc, get_selection_t, extreme_selection_t).

import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { SingleSelection } from '../../../rewrite/reql/eval/core/value.ts';
import { atMost, TERMINAL } from '../../../rewrite/reql/eval/streams/batch.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import type { EmbeddedSlice, EmbeddedTable } from './embedded-table.ts';

/** A single row that can be written and watched. */
export abstract class RowSelection extends SingleSelection {
  abstract override readonly table: EmbeddedTable;
  /** The row's key, as data. */
  abstract readonly key: Datum;
  /** The term that made the selection; errors about a feed on it point there. */
  abstract readonly origin: Origin | undefined;
}

/** The row of a key, or null. */
export class KeySelection extends RowSelection {
  readonly table: EmbeddedTable;
  readonly key: Datum;
  readonly origin: Origin | undefined;
  #row: Datum | undefined;

  /** `row`: the row, where it has been read already. */
  constructor(table: EmbeddedTable, key: Datum, origin: Origin | undefined, row?: Datum) {
    super();
    this.table = table;
    this.key = key;
    this.origin = origin;
    this.#row = row;
  }

  get(): Datum {
    if (this.#row === undefined) {
      this.table.authorize('read');
      this.#row = this.table.handle.store.get(rowKey(this.key))?.value ?? null;
    }
    return this.#row;
  }
}

/** The first row of a slice in order. */
export class ExtremeSelection extends RowSelection {
  readonly slice: EmbeddedSlice;
  readonly origin: Origin | undefined;
  readonly #emptyText: string;
  #row: Datum | undefined;

  /** `emptyText`: the error's text where there is no row. */
  constructor(slice: EmbeddedSlice, emptyText: string, origin: Origin | undefined) {
    super();
    this.slice = slice;
    this.origin = origin;
    this.#emptyText = emptyText;
  }

  get table(): EmbeddedTable {
    return this.slice.table;
  }

  get key(): Datum {
    const row = this.get();
    return (isObject(row) ? getField(row, this.table.handle.primaryKey) : undefined) ?? null;
  }

  get(): Datum {
    if (this.#row === undefined) {
      const row = this.slice.rows(this.origin).next(atMost(TERMINAL, 1));
      if (row === undefined) throw logicError(this.#emptyText, this.origin);
      this.#row = row;
    }
    return this.#row;
  }
}
