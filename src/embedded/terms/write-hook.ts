// SET_WRITE_HOOK, GET_WRITE_HOOK (write_hook.cc).

import { logicError, opFailed } from '../../../rewrite/reql/error.ts';
import { isDatumLike, toDatum, type Value } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { SYSTEM_DATABASE, type WriteHook } from '../catalog/catalog.ts';
import { writeHookDocument } from '../catalog/config-documents.ts';
import { asMistake } from './query-context.ts';
import { functionArg, printFunction } from './stored-function.ts';
import { tableArg } from './table.ts';

const BLOB_PREFIX = '$reql_write_hook_function$';
const BAD_BLOB = 'Cannot create a write hook except from a reql_write_hook_function returned from `get_write_hook`.';

function hookArg(args: Args): WriteHook | undefined {
  const value = args.value(1);
  if (isDatumLike(value) && toDatum(value, args.maker(1)) === null) return undefined;
  const func = functionArg(args, 1, BLOB_PREFIX, BAD_BLOB);
  if (func.determinism !== 0) {
    throw logicError(
      'Could not prove function deterministic.  Write hook functions must be deterministic.',
      func.origin,
    );
  }
  if (func.arity !== 3) throw args.fail('Write hook functions must expect 3 arguments.');
  const { text, blob } = printFunction(func, BLOB_PREFIX);
  return { func, query: `setWriteHook(${text})`, blob };
}

function setWriteHook(args: Args): Value {
  const table = tableArg(args, 0);
  const { entry } = table.handle;
  const hook = hookArg(args);
  if (entry === undefined) {
    throw opFailed(`Database \`${SYSTEM_DATABASE}\` is special; you can't set a write hook on the tables in it.`);
  }
  asMistake(() => table.authorize('config'));
  const existed = entry.writeHook !== undefined;
  entry.writeHook = hook;
  if (hook === undefined) return { deleted: 1 };
  return existed ? { replaced: 1 } : { created: 1 };
}

export const writeHookTerms: TermTable = {
  [TermType.SET_WRITE_HOOK]: op(setWriteHook),
  [TermType.GET_WRITE_HOOK]: op((args): Value => {
    const table = tableArg(args, 0);
    table.authorize('config');
    const { entry } = table.handle;
    return entry === undefined ? null : writeHookDocument(entry);
  }),
};
