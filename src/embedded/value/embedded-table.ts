// A table and parts of it by an index, as values of ReQL (val.cc, table_t and table_slice_t).

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import { type Datum, type DatumObject, getField, isObject, MAXVAL, MINVAL } from '../../../rewrite/reql/data/datum.ts';
import { logicError } from '../../../rewrite/reql/error.ts';
import { type EqJoin, type IndexedRows, Table, TableSlice } from '../../../rewrite/reql/eval/core/value.ts';
import type { Stream } from '../../../rewrite/reql/eval/streams/stream.ts';
import type { Transform } from '../../../rewrite/reql/eval/streams/transform.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import type { Permission } from '../auth/users.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import { EqJoinStream } from './eq-join-stream.ts';
import { ALL_ROWS, type Bounds, isUniverse, type ReadSpec, readIndexed, type Sorting } from './row-range.ts';
import { ExtremeSelection, KeySelection } from './row-selection.ts';
import { DistinctStream, IndexedRowStream, ROW_STEPS, TableStream } from './table-stream.ts';

export class EmbeddedTable extends Table {
  readonly handle: TableHandle;
  /** The term that named the table; errors about using an index twice point there. */
  readonly origin: Origin | undefined;
  /** Raises PERMISSION_ERROR where the client may not do something to the table. */
  readonly authorize: (permission: Permission) => void;
  /** Counts what is read of the table. */
  readonly meter: Meter;

  constructor(
    handle: TableHandle,
    origin: Origin | undefined,
    authorize: (permission: Permission) => void,
    meter: Meter,
  ) {
    super();
    this.meter = meter;
    this.handle = handle;
    this.origin = origin;
    this.authorize = authorize;
  }

  get name(): string {
    return this.handle.name;
  }

  get primaryKey(): string {
    return this.handle.primaryKey;
  }

  rows(origin: Origin | undefined): TableStream {
    return this.slice().rows(origin);
  }

  extreme(index: string, descending: boolean, notFound: string, origin: Origin | undefined): ExtremeSelection {
    return new ExtremeSelection(this.slice().orderedBy(index, descending), notFound, origin);
  }

  byIndex(index: string, origin: Origin | undefined): IndexedRows {
    const { spec } = this.slice().orderedBy(index, false);
    const stream = new IndexedRowStream({ ...spec, sorting: 'unordered' }, origin, this.meter);
    return { stream, indexValue: () => stream.value };
  }

  eqJoin(join: EqJoin, origin: Origin | undefined): EqJoinStream {
    this.authorize('read');
    return new EqJoinStream(join, this.handle, origin, this.meter);
  }

  row(row: DatumObject, origin: Origin | undefined): KeySelection {
    return new KeySelection(this, getField(row, this.handle.primaryKey) ?? null, origin, row);
  }

  /** The whole table as a slice that bounds and an order may be put on. */
  slice(): EmbeddedSlice {
    return new EmbeddedSlice(this, undefined, 'unordered', ALL_ROWS);
  }

  override info(): DatumObject {
    if (this.handle.entry !== undefined) this.authorize('read');
    return this.handle.info();
  }
}

export class EmbeddedSlice extends TableSlice {
  readonly table: EmbeddedTable;
  /** The index that bounds or an order were put on, the primary key's name included. */
  readonly index: string | undefined;
  readonly sorting: Sorting;
  readonly bounds: Bounds;

  constructor(table: EmbeddedTable, index: string | undefined, sorting: Sorting, bounds: Bounds) {
    super();
    this.table = table;
    this.index = index;
    this.sorting = sorting;
    this.bounds = bounds;
  }

  /** What reading the slice reads. */
  get spec(): ReadSpec {
    const { handle } = this.table;
    return {
      table: handle,
      index: this.index === handle.primaryKey ? undefined : this.index,
      range: { kind: 'bounds', bounds: this.bounds },
      sorting: this.sorting,
    };
  }

  rows(origin: Origin | undefined): TableStream {
    return new TableStream(this.spec, origin, this.table.meter, () => this.table.authorize('read'));
  }

  orderedBy(index: string, descending: boolean): EmbeddedSlice {
    if (this.sorting !== 'unordered') {
      throw logicError('Cannot perform multiple indexed ORDER_BYs on the same table.', this.table.origin);
    }
    if (this.index !== undefined && this.index !== index) {
      throw logicError(
        `Cannot order by index \`${index}\` after calling BETWEEN on index \`${this.index}\`.`,
        this.table.origin,
      );
    }
    return new EmbeddedSlice(this.table, index, descending ? 'descending' : 'ascending', this.bounds);
  }

  *rowGroups(_origin: Origin | undefined): Generator<readonly Datum[]> {
    this.table.authorize('read');
    let group: Datum[] = [];
    let last: Datum | undefined;
    for (const { value, row } of readIndexed(this.spec)) {
      if (last !== undefined && !equalDatums(last, value)) {
        yield group;
        group = [];
      }
      this.table.meter.spend(ROW_STEPS);
      group.push(row.value);
      last = value;
    }
    if (group.length > 0) yield group;
  }

  distinct(index: string | undefined, origin: Origin | undefined): Stream | undefined {
    const { primaryKey } = this.table;
    const name = index ?? primaryKey;
    if (index === primaryKey) return this.rows(origin).transform(fieldTransform(primaryKey, origin));
    if (this.index !== undefined && this.index !== name) return undefined;
    this.table.authorize('read');
    const read = this.sorting === 'unordered' ? this.orderedBy(this.index ?? name, false) : this;
    return new DistinctStream(read.spec, index !== undefined, origin, this.table.meter);
  }

  withBounds(index: string, bounds: Bounds): EmbeddedSlice {
    if (!isUniverse(this.bounds)) {
      throw logicError('Cannot perform multiple BETWEENs on the same table.', this.table.origin);
    }
    if (this.index !== undefined && this.index !== index) {
      throw logicError(
        `Cannot call BETWEEN on index \`${index}\` after ordering on index \`${this.index}\`.`,
        this.table.origin,
      );
    }
    return new EmbeddedSlice(this.table, index, this.sorting, bounds);
  }

  override info(): DatumObject {
    const { left, leftOpen, right, rightOpen } = this.bounds;
    return {
      index: this.index ?? null,
      ...boundInfo('left', left, leftOpen, MINVAL, MAXVAL),
      ...boundInfo('right', right, rightOpen, MAXVAL, MINVAL),
      sorting: this.sorting.toUpperCase(),
      table: { type: this.table.typeOf, ...this.table.info() },
    };
  }
}

/** Each row's value of one field, which all rows have. */
function fieldTransform(name: string, origin: Origin | undefined): Transform {
  return {
    kind: 'map',
    functions: [],
    origin,
    apply: (row, emit) => emit((isObject(row) ? getField(row, name) : undefined) ?? null),
  };
}

function boundInfo(
  side: 'left' | 'right',
  bound: Datum,
  open: boolean,
  unbounded: Datum,
  unachievable: Datum,
): DatumObject {
  if (bound === unbounded) return { [`${side}_bound_type`]: 'unbounded' };
  if (bound === unachievable) return { [`${side}_bound_type`]: 'unachievable' };
  return { [`${side}_bound`]: bound, [`${side}_bound_type`]: open ? 'open' : 'closed' };
}
