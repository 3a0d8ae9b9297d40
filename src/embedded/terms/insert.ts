// INSERT (writes.cc, insert_term_t; val.cc, batched_insert).

import { randomUUID } from 'node:crypto';
import { isPlainOrPseudoObject, typeError } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, type DatumObject, getField } from '../../../rewrite/reql/data/datum.ts';
import { printDatum } from '../../../rewrite/reql/data/json-text.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { mergeDatums } from '../../../rewrite/reql/data/merge.ts';
import { logicError, opFailed, ReqlError } from '../../../rewrite/reql/error.ts';
import { Func } from '../../../rewrite/reql/eval/core/func.ts';
import { isDatumLike, toDatum, type Value } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, Determinism, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TERMINAL } from '../../../rewrite/reql/eval/streams/batch.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { missingKey, type RowOutcome, type WriteMode, writeRow } from '../write/row-write.ts';
import { shardBatches } from '../write/shard-batches.ts';
import { WriteStats } from '../write/write-stats.ts';
import { tableArg } from './table.ts';
import { ignoresWriteHook, writeMode } from './write-mode.ts';
import { durabilityOptarg, returnChangesOptarg } from './write-optargs.ts';

/** Makes the row to store out of the row there is and the row that is inserted. */
type Resolve = (primaryKey: string, old: Datum, inserted: DatumObject) => Datum;

const resolveError: Resolve = (primaryKey, old, inserted) => {
  throw opFailed(`Duplicate primary key \`${primaryKey}\`:\n${printDatum(old)}\n${printDatum(inserted)}`);
};

/** What `conflict` may be by name. */
const resolves: ReadonlyMap<string, Resolve> = new Map<string, Resolve>([
  ['error', resolveError],
  ['replace', (_, __, inserted) => inserted],
  ['update', (_, old, inserted) => mergeDatums(old, inserted) ?? null],
]);

function conflictOptarg(args: Args): Resolve {
  const value = args.optarg('conflict');
  if (value === undefined) return resolveError;
  if (value instanceof Func) return conflictFunction(args, value);
  const maker = args.optargMaker('conflict');
  const mode = toDatum(value, maker);
  if (typeof mode !== 'string') throw withMaker(typeError(mode, 'STRING'), maker);
  const resolve = resolves.get(mode);
  if (resolve !== undefined) return resolve;
  throw logicError(`Conflict option \`${mode}\` unrecognized (options are "error", "replace" and "update").`, maker);
}

const withMaker = (error: ReqlError, maker: ReqlError['origin']): ReqlError =>
  new ReqlError(error.responseType, error.errorType, error.message, maker);

function conflictFunction(args: Args, func: Func): Resolve {
  if ((func.determinism & (Determinism.NONDETERMINISTIC | Determinism.SINGLE_SERVER)) !== 0) {
    throw args.fail('The conflict function passed to `insert` must be deterministic.');
  }
  if (func.arity !== 0 && func.arity !== 3) {
    throw args.fail('The conflict function passed to `insert` should expect 3 arguments.');
  }
  return (primaryKey, old, inserted) => func.datum([primaryKey, old, inserted]);
}

/** The rows to insert, with those that need one given a key. */
function* rowsToInsert(args: Args, primaryKey: string, stats: WriteStats): Generator<Datum> {
  const value = args.value(1);
  const datum = isDatumLike(value) ? toDatum(value, args.maker(1)) : undefined;
  if (datum !== undefined && isPlainOrPseudoObject(datum)) {
    yield withKey(datum, primaryKey, stats);
    return;
  }
  const rows = args.streamOf(datum ?? value, args.maker(1));
  for (let row = rows.next(TERMINAL); row !== undefined; row = rows.next(TERMINAL)) {
    yield withKey(row, primaryKey, stats);
  }
}

function withKey(row: Datum, primaryKey: string, stats: WriteStats): Datum {
  if (!isPlainOrPseudoObject(row) || getField(row, primaryKey) !== undefined) return row;
  const key = randomUUID();
  stats.generatedKey(key);
  return mergeDatums(row, { [primaryKey]: key }) ?? null;
}

/** Why a row cannot be inserted at all; `undefined` where it can. */
function faultOf(row: Datum, primaryKey: string): ReqlError | undefined {
  if (!isPlainOrPseudoObject(row)) return typeError(row, 'OBJECT');
  const key = getField(row, primaryKey);
  if (key === undefined) return missingKey(primaryKey, row);
  try {
    rowKey(key);
    return undefined;
  } catch (error) {
    if (error instanceof ReqlError) return error;
    throw error;
  }
}

/** Writes a batch of rows, and lists the changes in the order of the rows, as the server reassembles them. */
function insertBatch(rows: readonly Datum[], resolve: Resolve, mode: WriteMode, stats: WriteStats): void {
  const { primaryKey } = mode.table;
  const order: Placed[] = [];
  const valid: { readonly row: DatumObject; readonly key: string }[] = [];
  for (const row of rows) {
    const fault = faultOf(row, primaryKey);
    if (fault !== undefined) {
      stats.error(fault.message);
      order.push({ fault: fault.message });
    } else if (isPlainOrPseudoObject(row)) {
      const key = getField(row, primaryKey) ?? null;
      valid.push({ row, key: rowKey(key) });
      order.push({ key });
    }
  }
  const outcomes: RowOutcome[] = [];
  for (const batch of shardBatches(valid, ({ key }) => key)) {
    for (const { row, key } of batch) {
      const make = (old: Datum) => (old === null ? row : resolve(primaryKey, old, row));
      outcomes.push(writeRow(mode, key, make, stats));
    }
  }
  if (mode.returnChanges !== 'no' && rows.length > 0) listChanges(order, outcomes, stats);
}

/** What became of a row in the order of the rows: it was tried under its key, or could not be. */
type Placed = { readonly key: Datum } | { readonly fault: string };

const faultChange = (error: string): DatumObject => ({ error, new_val: null, old_val: null });

function listChanges(order: readonly Placed[], outcomes: readonly RowOutcome[], stats: WriteStats): void {
  stats.listChanges();
  // Where no row could be tried, the server lists the first fault only.
  const listed = outcomes.length === 0 ? order.slice(0, 1) : order;
  const waiting = new WaitingChanges(outcomes);
  for (const placed of listed) {
    const change = 'fault' in placed ? faultChange(placed.fault) : waiting.take(placed.key);
    if (change !== undefined) stats.change(change);
  }
}

/** Changes that wait to be listed, by primary key. */
class WaitingChanges {
  readonly #byKey = new Map<string, DatumObject[]>();

  constructor(outcomes: readonly RowOutcome[]) {
    for (const { change, orderKey } of outcomes) {
      if (change === undefined) continue;
      const key = rowKey(orderKey);
      const waiting = this.#byKey.get(key);
      if (waiting === undefined) this.#byKey.set(key, [change]);
      else waiting.push(change);
    }
  }

  /** The change of a key. Where the row has none, the server takes the one of the next higher key, if there is any. */
  take(key: Datum): DatumObject | undefined {
    const stored = rowKey(key);
    const found = this.#byKey.has(stored) ? stored : this.#higher(stored);
    const waiting = found === undefined ? undefined : this.#byKey.get(found);
    const change = waiting?.shift();
    if (found !== undefined && waiting?.length === 0) this.#byKey.delete(found);
    return change;
  }

  #higher(stored: string): string | undefined {
    let next: string | undefined;
    for (const key of this.#byKey.keys()) if (key > stored && (next === undefined || key < next)) next = key;
    return next;
  }
}

/** How many rows are read before they are written; an upper bound for what has to be kept. */
const BATCH = 4096;

function insert(args: Args): Value {
  const table = tableArg(args, 0);
  const returnChanges = returnChangesOptarg(args);
  const resolve = conflictOptarg(args);
  durabilityOptarg(args);
  const mode = writeMode(args, table, returnChanges, ignoresWriteHook(args));
  const stats = new WriteStats(args.context.arrayLimit);
  let batch: Datum[] = [];
  for (const row of rowsToInsert(args, mode.table.primaryKey, stats)) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    insertBatch(batch, resolve, mode, stats);
    batch = [];
  }
  insertBatch(batch, resolve, mode, stats);
  return stats.toDatum();
}

export const insertTerms: TermTable = { [TermType.INSERT]: op(insert) };
