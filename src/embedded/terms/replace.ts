// REPLACE, UPDATE, DELETE (writes.cc, replace_term_t). The server rewrites the latter two into the first; here all three
// say how a row's new value is made, which comes to the same and costs less.

import { isPlainOrPseudoObject, isPseudo, isTrue, typeError, typeName } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { mergeDatums } from '../../../rewrite/reql/data/merge.ts';
import { STRAY_LITERAL } from '../../../rewrite/reql/data/pseudo.ts';
import { logicError, ReqlError } from '../../../rewrite/reql/error.ts';
import { Func } from '../../../rewrite/reql/eval/core/func.ts';
import type { OpOptions } from '../../../rewrite/reql/eval/core/op.ts';
import { toDatum, type Value } from '../../../rewrite/reql/eval/core/value.ts';
import {
  type Args,
  asSelection,
  Determinism,
  op,
  type TermCompiler,
  type TermTable,
} from '../../../rewrite/reql/eval/index.ts';
import { TERMINAL } from '../../../rewrite/reql/eval/streams/batch.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import { EmbeddedTable } from '../value/embedded-table.ts';
import { RowSelection } from '../value/row-selection.ts';
import { checkRow, writeRow } from '../write/row-write.ts';
import { shardBatches } from '../write/shard-batches.ts';
import { WriteStats } from '../write/write-stats.ts';
import { ignoresWriteHook, writeMode } from './write-mode.ts';
import { durabilityOptarg, returnChangesOptarg } from './write-optargs.ts';

/** The table and the keys of the rows that a term is called on. The keys are all read before the first write. */
function targetOf(args: Args): readonly [EmbeddedTable, readonly Datum[]] {
  const value = args.value(0);
  if (value instanceof RowSelection) return [value.table, [value.key]];
  const { table, stream } = asSelection(value, args.maker(0));
  if (!(table instanceof EmbeddedTable)) throw args.fail('The rows belong to no table of this server.');
  const keys: Datum[] = [];
  for (let row = stream.next(TERMINAL); row !== undefined; row = stream.next(TERMINAL)) {
    keys.push((isObject(row) ? getField(row, table.handle.primaryKey) : undefined) ?? null);
  }
  return [table, keys];
}

const MAY_VARY = Determinism.NONDETERMINISTIC | Determinism.SINGLE_SERVER;

const varies = (args: Args): boolean => ((args.terms[1]?.determinism ?? 0) & MAY_VARY) !== 0;

function checkAtomic(args: Args): void {
  const nonAtomic = args.optargDatum('non_atomic');
  if ((nonAtomic !== undefined && isTrue(nonAtomic)) || !varies(args)) return;
  throw args.fail('Could not prove argument deterministic.  Maybe you want to use the non_atomic flag?');
}

/** Makes the new value of a row out of the old, null standing for no row. */
type Make = (old: Datum) => Datum;

/**
 * The new value of a row made ahead of the write, as the server does where it may vary; `undefined` where that fails,
 * which is counted but never listed among the changes.
 */
function makeAhead(table: TableHandle, key: string, make: Make, stats: WriteStats): Datum | undefined {
  const old = table.store.get(key)?.value ?? null;
  try {
    const now = make(old);
    if (!isPlainOrPseudoObject(now)) throw typeError(now, 'OBJECT');
    checkRow(table, key, old, now);
    return now;
  } catch (error) {
    if (!(error instanceof ReqlError)) throw error;
    stats.error(error.message);
    return undefined;
  }
}

/** Writes the rows that a term is called on; `prepare` is asked for the new values once all optargs are known. */
const write = (prepare: (args: Args) => Make, options: OpOptions = {}): TermCompiler =>
  op((args): Value => {
    const returnChanges = returnChangesOptarg(args);
    durabilityOptarg(args);
    const ignoreHook = ignoresWriteHook(args);
    checkAtomic(args);
    const make = prepare(args);
    const [table, keys] = targetOf(args);
    const stats = new WriteStats(args.context.arrayLimit);
    // The server looks whether it may write when it writes.
    if (keys.length === 0) return stats.toDatum();
    const mode = writeMode(args, table, returnChanges, ignoreHook);
    if (returnChanges !== 'no') stats.listChanges();
    for (const batch of shardBatches(keys.map(rowKey), (key) => key)) {
      for (const key of batch) {
        const ahead = varies(args) ? makeAhead(mode.table, key, make, stats) : null;
        if (ahead === undefined) continue;
        const { change } = writeRow(mode, key, ahead === null ? make : () => ahead, stats);
        if (change !== undefined) stats.change(change);
      }
    }
    return stats.toDatum();
  }, options);

const replace = write((args) => {
  const func = args.func(1, 'constant');
  return (old) => func.datum([old], true);
});

/** What `update` merges into a row: evaluated row by row, as it stands inside of a function there. */
function changeOf(args: Args, old: Datum): Datum {
  const value = args.value(1);
  return value instanceof Func ? value.datum([old], true) : toDatum(value, args.maker(1));
}

function checkMergeable(change: Datum): void {
  if (!isObject(change)) return;
  if (isPseudo(change, 'LITERAL')) throw logicError(STRAY_LITERAL);
  const type = typeName(change);
  if (!type.startsWith('PTYPE<') || type === 'PTYPE<BINARY>') return;
  throw logicError(`Cannot merge objects of type \`${type}\`.`);
}

const update = write(
  (args) => (old) => {
    if (old === null) return null;
    const change = changeOf(args, old);
    if (change === null) return old;
    checkMergeable(change);
    return mergeDatums(old, change) ?? null;
  },
  { literalFrom: 1 },
);

const remove = write(() => () => null);

export const replaceTerms: TermTable = {
  [TermType.REPLACE]: replace,
  [TermType.UPDATE]: update,
  [TermType.DELETE]: remove,
};
