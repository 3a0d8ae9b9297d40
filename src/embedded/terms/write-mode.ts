// The mode of a write term: its optargs put together with the table's write hook.

import { isTrue } from '../../../rewrite/reql/data/data-type.ts';
import type { Args } from '../../../rewrite/reql/eval/index.ts';
import type { EmbeddedTable } from '../value/embedded-table.ts';
import type { WriteMode } from '../write/row-write.ts';
import { callStored } from './stored-function.ts';
import type { ReturnChanges } from './write-optargs.ts';

/** The optarg `ignore_write_hook`. */
export function ignoresWriteHook(args: Args): boolean {
  const ignore = args.optargDatum('ignore_write_hook');
  return ignore !== undefined && isTrue(ignore);
}

/** Raises PERMISSION_ERROR, without an origin, where the client may not write to the table, or not past its hook. */
export function writeMode(
  args: Args,
  table: EmbeddedTable,
  returnChanges: ReturnChanges,
  ignoreHook: boolean,
): WriteMode {
  // A write to a system table reads first.
  if (table.handle.entry === undefined) table.authorize('read');
  table.authorize('write');
  if (ignoreHook) table.authorize('config');
  const hook = ignoreHook ? undefined : table.handle.entry?.writeHook?.func;
  return {
    table: table.handle,
    returnChanges,
    hook:
      hook === undefined ? undefined : (context, old, now) => callStored(hook, () => hook.datum([context, old, now])),
    now: args.context.now ?? null,
  };
}
