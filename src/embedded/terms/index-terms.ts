// INDEX_CREATE, INDEX_DROP, INDEX_LIST, INDEX_STATUS, INDEX_WAIT, INDEX_RENAME (sindex.cc). An index is ready as soon as it
// is made.

import { isTrue, typeError } from '../../../rewrite/reql/data/data-type.ts';
import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { logicError, opFailed } from '../../../rewrite/reql/error.ts';
import type { Func } from '../../../rewrite/reql/eval/core/func.ts';
import type { Value } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { SYSTEM_DATABASE } from '../catalog/catalog.ts';
import type { IndexDefinition, SecondaryIndex } from '../storage/secondary-index.ts';
import { blobOfFunction, callStored, functionArg, printFunction } from './stored-function.ts';
import { tableArg } from './table.ts';

const BLOB_PREFIX = '$reql_index_function$';
const BAD_BLOB =
  'Cannot create an sindex except from a reql_index_function returned from `index_status` in the field `function`.';

function indexFunction(args: Args): Func {
  const func = functionArg(args, 2, BLOB_PREFIX, BAD_BLOB);
  if (func.determinism !== 0) {
    throw logicError('Could not prove function deterministic.  Index functions must be deterministic.', func.origin);
  }
  return func;
}

/** The definition of an index on a field, which is what an index without a function is on. */
function fieldIndex(name: string, multi: boolean): IndexDefinition {
  return {
    mapping: (row) => fieldOf(row, name),
    multi,
    text: `function(_var19) { return _var19.getField(${JSON.stringify(name)}); }`,
    blob: blobOfFunction(BLOB_PREFIX, `[69,[[2,[1]],[31,[[10,[1]],${JSON.stringify(name)}]]]]`),
  };
}

function fieldOf(row: Datum, name: string): Datum {
  const value = isObject(row) ? getField(row, name) : undefined;
  if (value === undefined) throw logicError(`No attribute \`${name}\` in object.`);
  return value;
}

const queryText = (name: string, func: string, multi: boolean): string =>
  `indexCreate('${name}', ${func}${multi ? ', {multi: true}' : ''})`;

function createIndex(args: Args): Value {
  const table = tableArg(args, 0);
  const { entry, store, primaryKey, displayName } = table.handle;
  const name = stringOf(args, 1);
  if (name === primaryKey) throw args.fail(conflictText(name));
  const func = args.count === 3 ? indexFunction(args) : undefined;
  const multi = args.optargBool('multi', false);
  if (args.optargBool('geo', false)) throw args.fail('Geospatial indexes are not supported by the embedded server.');
  if (entry === undefined) {
    throw opFailed(
      `Database \`${SYSTEM_DATABASE}\` is special; you can't create secondary indexes on the tables in it.`,
    );
  }
  table.authorize('config');
  if (store.index(name) !== undefined) throw opFailed(`Index \`${name}\` already exists on table \`${displayName}\`.`);
  store.createIndex(name, func === undefined ? fieldIndex(name, multi) : functionIndex(func, multi));
  return { created: 1 };
}

function functionIndex(func: Func, multi: boolean): IndexDefinition {
  const { text, blob } = printFunction(func, BLOB_PREFIX);
  return {
    mapping: (row) => callStored(func, () => func.datum1(row)),
    multi,
    text,
    blob,
  };
}

/** A string whose type error points to the term, as the server has it for names of indexes. */
function stringOf(args: Args, index: number): string {
  const value = args.datum(index);
  if (typeof value === 'string') return value;
  throw typeError(value, 'STRING');
}

const conflictText = (name: string) => `Index name conflict: \`${name}\` is the name of the primary key.`;

function dropIndex(args: Args): Value {
  const table = tableArg(args, 0);
  const name = stringOf(args, 1);
  table.authorize('config');
  const { store, displayName } = table.handle;
  if (!store.dropIndex(name)) throw opFailed(`Index \`${name}\` does not exist on table \`${displayName}\`.`);
  return { dropped: 1 };
}

function renameIndex(args: Args): Value {
  const table = tableArg(args, 0);
  const from = args.string(1);
  const to = args.string(2);
  const { store, primaryKey, displayName, entry } = table.handle;
  for (const name of [from, to]) if (name === primaryKey) throw args.fail(conflictText(name));
  const overwrite = isTrue(args.optargDatum('overwrite') ?? false);
  table.authorize('config');
  const missing = store.index(from) === undefined;
  if (missing && (overwrite || entry === undefined)) {
    throw opFailed(`Index \`${from}\` does not exist on table \`${displayName}\`.`);
  }
  if (missing || (from !== to && !overwrite && store.index(to) !== undefined)) {
    throw opFailed(`Index \`${from}\` does not exist or index \`${to}\` already exists on table \`${displayName}\`.`);
  }
  store.renameIndex(from, to);
  return { renamed: from === to ? 0 : 1 };
}

function statusOf(name: string, { definition }: SecondaryIndex): Datum {
  return {
    function: { $reql_type$: 'BINARY', data: definition.blob },
    geo: false,
    index: name,
    multi: definition.multi,
    outdated: false,
    query: queryText(name, definition.text, definition.multi),
    ready: true,
  };
}

/** The status of the indexes named, or of all. */
function indexStatus(args: Args): Value {
  const table = tableArg(args, 0);
  const names = new Set<string>();
  for (let at = 1; at < args.count; at++) names.add(args.string(at));
  const { store, displayName } = table.handle;
  for (const name of [...names].sort()) {
    if (store.index(name) === undefined) throw opFailed(`Index \`${name}\` was not found on table \`${displayName}\`.`);
  }
  return store.indexNames.flatMap((name) => {
    const index = store.index(name);
    return index === undefined || (names.size > 0 && !names.has(name)) ? [] : [statusOf(name, index)];
  });
}

export const indexTerms: TermTable = {
  [TermType.INDEX_CREATE]: op(createIndex),
  [TermType.INDEX_DROP]: op(dropIndex),
  [TermType.INDEX_LIST]: op((args): Value => tableArg(args, 0).handle.store.indexNames),
  [TermType.INDEX_STATUS]: op(indexStatus),
  [TermType.INDEX_WAIT]: op(indexStatus),
  [TermType.INDEX_RENAME]: op(renameIndex),
};
