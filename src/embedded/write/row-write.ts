// A write to one row: the new value is made, checked and stored, and what became of it is counted (btree.cc,
// rdb_replace_and_return_superblock).

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import { dataType, isPlainOrPseudoObject, typeName } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, type DatumObject, getField, MAXVAL, MINVAL } from '../../../rewrite/reql/data/datum.ts';
import { printDatum } from '../../../rewrite/reql/data/json-text.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { logicError, opFailed, ReqlError } from '../../../rewrite/reql/error.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { ReturnChanges } from '../terms/write-optargs.ts';
import type { WriteStats } from './write-stats.ts';

/** The mode of a write. */
export interface WriteMode {
  readonly table: TableHandle;
  readonly returnChanges: ReturnChanges;
  /** The table's write hook; absent where there is none or where it is ignored. */
  readonly hook: ((context: DatumObject, old: Datum, now: Datum) => Datum) | undefined;
  /** The time that the hook is told. */
  readonly now: Datum;
}

/** The outcome of one write, for those who list it themselves. */
export interface RowOutcome {
  /** The entry of `changes`, where one is due. */
  readonly change: DatumObject | undefined;
  /** The primary key by which `insert` puts the entry in order. */
  readonly orderKey: Datum;
}

/** Writes the row of `key`: `make` gives its new value for the old, null standing for no row. Errors are counted. */
export function writeRow(mode: WriteMode, key: string, make: (old: Datum) => Datum, stats: WriteStats): RowOutcome {
  const { table, returnChanges } = mode;
  const old: Datum = table.store.get(key)?.value ?? null;
  const order = (value: Datum): Datum =>
    isPlainOrPseudoObject(value) ? (getField(value, table.primaryKey) ?? null) : null;
  let now: Datum | undefined;
  try {
    now = applyHook(mode, old, make(old));
    checkRow(table, key, old, now);
    const changed = !equalDatums(old, now);
    if (changed) store(table, key, old, now);
    stats.count(countOf(old, now, changed));
    const due = returnChanges === 'always' || (returnChanges === 'yes' && changed);
    return { change: due ? { new_val: now, old_val: old } : undefined, orderKey: order(now === null ? old : now) };
  } catch (error) {
    if (!(error instanceof ReqlError)) throw error;
    stats.error(error.message);
    const change = returnChanges === 'always' ? { error: error.message, new_val: old, old_val: old } : undefined;
    return { change, orderKey: order(now ?? old) };
  }
}

function countOf(old: Datum, now: Datum, changed: boolean) {
  if (old === null) return now === null ? 'skipped' : 'inserted';
  if (now === null) return 'deleted';
  return changed ? 'replaced' : 'unchanged';
}

function store(table: TableHandle, key: string, old: Datum, now: Datum): void {
  const row = (value: Datum) => (isPlainOrPseudoObject(value) ? value : undefined);
  if (isPlainOrPseudoObject(now)) checkStorable(now);
  if (table.write === undefined) table.store.put(key, row(now));
  else table.write(row(old), row(now));
}

/** Raises QUERY_LOGIC for a new value that is no row, or not this one. */
export function checkRow(table: TableHandle, key: string, old: Datum, now: Datum): void {
  if (now === null) return;
  if (!isPlainOrPseudoObject(now)) {
    throw logicError(`Inserted value must be an OBJECT (got ${typeName(now)}):\n${printDatum(now)}`);
  }
  const name = table.primaryKey;
  const primary = getField(now, name);
  if (primary === undefined) throw missingKey(name, now);
  if (isPlainOrPseudoObject(old) && !equalDatums(getField(old, name) ?? null, primary)) {
    throw logicError(`Primary key \`${name}\` cannot be changed (\`${printDatum(old)}\` -> \`${printDatum(now)}\`).`);
  }
  if (rowKey(primary) !== key) {
    throw logicError(`Primary key \`${name}\` cannot be changed (${printDatum(old)} -> ${printDatum(now)})`);
  }
}

/** The error of a row without a primary key. */
export function missingKey(name: string, row: Datum): ReqlError {
  return logicError(`Inserted object must have primary key \`${name}\`:\n${printDatum(row)}`);
}

const MOST_ELEMENTS = 100_000;

/** Raises QUERY_LOGIC for what cannot be written to disk, at any depth. */
function checkStorable(value: Datum): void {
  const unchecked: Datum[] = [value];
  for (let next = unchecked.pop(); next !== undefined; next = unchecked.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    if (next === MINVAL || next === MAXVAL) {
      throw logicError('`r.minval` and `r.maxval` cannot be written to disk.');
    }
    if (dataType(next) === 'ARRAY' && Array.isArray(next) && next.length > MOST_ELEMENTS) {
      throw logicError('Array too large for disk writes (limit 100,000 elements).');
    }
    for (const part of Object.values(next)) {
      if (typeof part === 'object' && part !== null) unchecked.push(part);
    }
  }
}

function applyHook({ hook, now: time, table }: WriteMode, old: Datum, now: Datum): Datum {
  if (hook === undefined) return now;
  const keyed = now === null ? old : now;
  const key = isPlainOrPseudoObject(keyed) ? getField(keyed, table.primaryKey) : undefined;
  const modified = runHook(hook, { primary_key: key ?? null, timestamp: time }, old, now);
  if (now === null && modified !== null) {
    throw opFailed('A write hook function must not turn a deletion into a replace/insert.');
  }
  if (now !== null && modified === null) {
    throw opFailed('A write hook function must not turn a replace/insert into a deletion.');
  }
  return modified;
}

function runHook(hook: NonNullable<WriteMode['hook']>, context: DatumObject, old: Datum, now: Datum): Datum {
  try {
    return hook(context, old, now);
  } catch (error) {
    if (!(error instanceof ReqlError)) throw error;
    throw new ReqlError(error.responseType, error.errorType, `Error in write hook: ${error.message}`, error.origin);
  }
}
