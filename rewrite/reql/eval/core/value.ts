// The value of a term: a datum, or one of the things that are none. The classes are abstract where only a server
// has them (databases, tables, single rows); `src/embedded` derives its own.

import { typeName } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { printDatum, printTruncated, truncate } from '../../data/json-text.ts';
import { logicError, nonExistence, type ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import type { Stream } from '../streams/stream.ts';
import type { Func } from './func.ts';

/** The types of values as type errors name them. */
export type ValueType =
  | 'DATABASE'
  | 'TABLE'
  | 'TABLE_SLICE'
  | 'SELECTION'
  | 'SEQUENCE'
  | 'SINGLE_SELECTION'
  | 'DATUM'
  | 'FUNCTION'
  | 'GROUPED_DATA';

/** A value that is not a datum. */
export abstract class NonDatum {
  /** The type as errors name it. */
  abstract readonly type: ValueType;
  /** The type as `typeOf` and `coerceTo` name it. */
  abstract readonly typeOf: string;

  /** What an error shows of the value. */
  print(): string {
    return `VALUE ${this.type}`;
  }

  /** The fields that `info` shows beside `type`; {} where there are none. */
  info(): DatumObject {
    return {};
  }
}

/** Anything that a term evaluates to. */
export type Value = Datum | NonDatum;

/** A database. `info` gives `name` and `id`. */
export abstract class Db extends NonDatum {
  readonly type = 'DATABASE';
  readonly typeOf = 'DB';
  abstract readonly name: string;

  override print(): string {
    return `db("${this.name}")`;
  }
}

/** A table. `info` gives `name`, `primary_key`, `db`, `id`, `doc_count_estimates` and `indexes`. */
export abstract class Table extends NonDatum {
  readonly type = 'TABLE';
  readonly typeOf = 'TABLE';
  abstract readonly name: string;
  abstract readonly primaryKey: string;

  /** All rows, in no promised order. Errors about the stream point to `origin`. */
  abstract rows(origin: Origin | undefined): Stream;

  /** The whole table as a slice, for terms that narrow or order it by an index. */
  abstract slice(): TableSlice;

  /** A row of this table as a selection of its own. */
  abstract row(row: DatumObject, origin: Origin | undefined): SingleSelection;

  /** The first row by an index, in its order or against it; `notFound` is the error's text where there is none. */
  abstract extreme(index: string, descending: boolean, notFound: string, origin: Origin | undefined): SingleSelection;

  /** The rows by an index, a row once per value it has there; `indexValue` tells the value of the row read last. */
  abstract byIndex(index: string, origin: Origin | undefined): IndexedRows;

  /** `{left, right}` for each element of `left` and each row whose index value is what `key` gives for the element. */
  abstract eqJoin(join: EqJoin, origin: Origin | undefined): Stream;

  override print(): string {
    return `table("${this.name}")`;
  }
}

/** Rows in the order of an index. */
export interface IndexedRows {
  readonly stream: Stream;
  readonly indexValue: () => Datum;
}

/** The parts of an `eqJoin`. */
export interface EqJoin {
  readonly left: Stream;
  readonly key: Func;
  readonly index: string;
  readonly ordered: boolean;
}

/** A part of a table by an index, perhaps in order: `between` and `orderBy({index})`. */
export abstract class TableSlice extends NonDatum {
  readonly type = 'TABLE_SLICE';
  readonly typeOf = 'TABLE_SLICE';
  abstract readonly table: Table;

  /** The rows of the slice, in its order. Errors about the stream point to `origin`. */
  abstract rows(origin: Origin | undefined): Stream;

  /** The slice in the order of an index. Raises QUERY_LOGIC without an origin where it is ordered or bounded otherwise. */
  abstract orderedBy(index: string, descending: boolean): TableSlice;

  /** The rows in the slice's order, those of one index value together. */
  abstract rowGroups(origin: Origin | undefined): Iterable<readonly Datum[]>;

  /** `distinct` on the slice: index values, or rows (no index given). `undefined` where the index is not the slice's. */
  abstract distinct(index: string | undefined, origin: Origin | undefined): Stream | undefined;

  override print(): string {
    return `SELECTION ON table(${this.table.name})`;
  }
}

/** Rows that know their table, so that they can be written. */
export class Selection extends NonDatum {
  readonly type = 'SELECTION';
  readonly table: Table;
  readonly stream: Stream;

  constructor(table: Table, stream: Stream) {
    super();
    this.table = table;
    this.stream = stream;
  }

  get typeOf(): string {
    return this.stream.isArray ? 'SELECTION<ARRAY>' : 'SELECTION<STREAM>';
  }

  override print(): string {
    return `SELECTION ON table(${this.table.name})`;
  }

  override info(): DatumObject {
    return { table: valueInfo(this.table) };
  }
}

/** A row that knows its table, or the absence of one: `get(key)`, `min({index})`, `nth` on a selection. */
export abstract class SingleSelection extends NonDatum {
  readonly type = 'SINGLE_SELECTION';
  readonly typeOf = 'SELECTION<OBJECT>';
  abstract readonly table: Table;

  /** The row as a datum; null where there is none. Reads it once. */
  abstract get(): Datum;

  override print(): string {
    return printDatum(this.get());
  }

  override info(): DatumObject {
    return { table: valueInfo(this.table) };
  }
}

/** Whether a value is no datum. Quick for scalars. */
export function isNonDatum(value: Value): value is NonDatum {
  return typeof value === 'object' && value instanceof NonDatum;
}

/** The type of a value as errors name it. */
export function valueType(value: Value): ValueType {
  return isNonDatum(value) ? value.type : 'DATUM';
}

/** Whether a value stands for a datum: a datum itself, or a single row. */
export function isDatumLike(value: Value): value is Datum | SingleSelection {
  return !isNonDatum(value) || value instanceof SingleSelection;
}

/** The name that `typeOf` shows. */
export function typeOfValue(value: Value): string {
  return isNonDatum(value) ? value.typeOf : typeName(value);
}

/** What `info` shows of a value that is no datum. */
export function valueInfo(value: NonDatum): DatumObject {
  return { type: value.typeOf, ...value.info() };
}

/** What an error shows of any value. */
function printValue(value: Value): string {
  return isNonDatum(value) ? value.print() : printDatum(value);
}

/** `printValue`, cut to 300 bytes. */
export function printValueTruncated(value: Value, meter: Meter): string {
  return isNonDatum(value) ? truncate(value.print()) : printTruncated(value, meter);
}

/** An error about a value: NON_EXISTENCE where it stands for null, else QUERY_LOGIC. */
export function valueError(value: Value, message: string, maker: Origin | undefined): ReqlError {
  const datum = value instanceof SingleSelection ? value.get() : value;
  return datum === null ? nonExistence(message, maker) : logicError(message, maker);
}

/** The error of a value that is of the wrong type; it points to the term that made the value. */
export function wrongType(value: Value, expected: ValueType, maker: Origin | undefined): ReqlError {
  return valueError(value, `Expected type ${expected} but found ${valueType(value)}:\n${printValue(value)}`, maker);
}

/** The datum that a value stands for; raises the type error of values that stand for none. */
export function toDatum(value: Value, maker: Origin | undefined): Datum {
  if (!isNonDatum(value)) return value;
  if (value instanceof SingleSelection) return value.get();
  throw wrongType(value, 'DATUM', maker);
}
