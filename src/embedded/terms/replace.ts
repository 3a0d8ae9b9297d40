// REPLACE, and UPDATE and DELETE, which the server rewrites into it (writes.cc, replace_term_t; rewrites.cc).

import type { Func } from '../../../rewrite/eval/func.ts';
import {
  type Args,
  asSelection,
  Determinism,
  op,
  type TermCompiler,
  type TermTable,
} from '../../../rewrite/eval/index.ts';
import { rewritten } from '../../../rewrite/eval/rewritten.ts';
import type { Value } from '../../../rewrite/eval/value.ts';
import { isTrue } from '../../../rewrite/reql/data-type.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/datum.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { EmbeddedTable } from '../value/embedded-table.ts';
import { rowKey } from '../value/key-error.ts';
import { RowSelection } from '../value/row-selection.ts';
import { writeRow } from '../write/row-write.ts';
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
  for (let row = stream.next('term'); row !== undefined; row = stream.next('term')) {
    keys.push((isObject(row) ? getField(row, table.handle.primaryKey) : undefined) ?? null);
  }
  return [table, keys];
}

const MAY_VARY = Determinism.NONDETERMINISTIC | Determinism.SINGLE_SERVER;

function replacement(args: Args): Func {
  const nonAtomic = args.optargDatum('non_atomic');
  const varies = ((args.terms[1]?.determinism ?? 0) & MAY_VARY) !== 0;
  if (varies && (nonAtomic === undefined || !isTrue(nonAtomic))) {
    throw args.fail('Could not prove argument deterministic.  Maybe you want to use the non_atomic flag?');
  }
  return args.func(1, 'constant');
}

function replace(args: Args): Value {
  // The server looks at `non_atomic` first and at the function after the other optargs; their errors are its own.
  args.optargDatum('non_atomic');
  const returnChanges = returnChangesOptarg(args);
  durabilityOptarg(args);
  const ignoreHook = ignoresWriteHook(args);
  const func = replacement(args);
  const [table, keys] = targetOf(args);
  const mode = writeMode(args, table, returnChanges, ignoreHook);
  const stats = new WriteStats(args.context.arrayLimit);
  if (keys.length > 0 && returnChanges !== 'no') stats.listChanges();
  for (const key of keys) {
    const { change } = writeRow(mode, rowKey(key), (old) => func.datum([old], true), stats);
    if (change !== undefined) stats.change(change);
  }
  return stats.toDatum();
}

const LITERAL_OK = 1;
const WITH_LITERALS = { _EVAL_FLAGS_: LITERAL_OK };

const update: TermCompiler = rewritten((t, call) => {
  const [rows, change] = call.args;
  if (rows === undefined || change === undefined) return call;
  const merged = t.func(
    (old) =>
      t.branch(
        t.eq(null, old ?? null),
        null,
        t.call(
          TermType.FUNCALL,
          [
            t.func((now) => t.branch(t.eq(null, now ?? null), old ?? null, t.merge(old ?? null, now ?? null)), 1),
            t.call(TermType.FUNCALL, [change, old ?? null], WITH_LITERALS),
          ],
          WITH_LITERALS,
        ),
      ),
    1,
  );
  return { ...t.call(TermType.REPLACE, [rows, merged]), optargs: call.optargs };
});

const remove: TermCompiler = rewritten((t, call) => {
  const [rows] = call.args;
  if (rows === undefined) return call;
  return { ...t.call(TermType.REPLACE, [rows, t.func(() => null, 1)]), optargs: call.optargs };
});

export const replaceTerms: TermTable = {
  [TermType.REPLACE]: op(replace),
  [TermType.UPDATE]: update,
  [TermType.DELETE]: remove,
};
