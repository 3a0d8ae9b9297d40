// TABLE, TABLE_CREATE, TABLE_DROP, TABLE_LIST, SYNC.

import { typeName } from '../../../rewrite/reql/data/data-type.ts';
import { logicError, opFailed } from '../../../rewrite/reql/error.ts';
import { bind } from '../../../rewrite/reql/eval/core/bind.ts';
import { type Value, wrongType } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { ROOT } from '../../../rewrite/reql/origin.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import type { Permission } from '../auth/users.ts';
import { type Catalog, type DatabaseEntry, SYSTEM_DATABASE, type TableEntry } from '../catalog/catalog.ts';
import { type IdentifierFormat, tableConfig, tableInfo } from '../catalog/config-documents.ts';
import type { SystemTables } from '../catalog/system-tables.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import { EmbeddedDb } from '../value/embedded-db.ts';
import { EmbeddedTable } from '../value/embedded-table.ts';
import { findDatabase, nameArg } from './database.ts';
import { requirePermission } from './query-context.ts';
import { checkReplicas } from './replicas.ts';
import { durabilityOptarg } from './write-optargs.ts';

/** An argument as a database. */
function databaseArg(args: Args, index: number): EmbeddedDb {
  const value = args.value(index);
  if (value instanceof EmbeddedDb) return value;
  throw wrongType(value, 'DATABASE', args.maker(index));
}

/** The database of a term that is not given one: the global optarg `db`, or `test`. */
export function defaultDatabase(args: Args, catalog: Catalog): EmbeddedDb {
  const value = args.optarg('db');
  // As if the client had given it as a global optarg, which has no place in the query.
  if (value === undefined) return bind(ROOT, () => findDatabase(catalog, 'test'));
  if (value instanceof EmbeddedDb) return value;
  throw wrongType(value, 'DATABASE', args.optargMaker('db'));
}

/** An argument as a table. */
export function tableArg(args: Args, index: number): EmbeddedTable {
  const value = args.value(index);
  if (value instanceof EmbeddedTable) return value;
  throw wrongType(value, 'TABLE', args.maker(index));
}

const READ_MODES = ['majority', 'single', 'outdated', '_debug_direct'];

function checkReadMode(args: Args): void {
  if (args.optarg('use_outdated') !== undefined) {
    throw args.fail('The `use_outdated` optarg is no longer supported.  Use the `read_mode` optarg instead.');
  }
  const mode = args.optargString('read_mode');
  if (mode !== undefined && !READ_MODES.includes(mode)) {
    throw args.fail(`Read mode \`${mode}\` unrecognized (options are "majority", "single", and "outdated").`);
  }
}

function identifierFormat(args: Args): IdentifierFormat | undefined {
  const format = args.optargString('identifier_format');
  if (format === undefined || format === 'name' || format === 'uuid') return format;
  throw args.fail(`Identifier format \`${format}\` unrecognized (options are "name" and "uuid").`);
}

/** The database and the name of a term that takes `(name)` or `(database, name)`. */
function databaseAndName(args: Args, catalog: Catalog): readonly [EmbeddedDb, string] {
  if (args.count === 1) {
    const database = defaultDatabase(args, catalog);
    return [database, nameArg(args, 0, 'Table')];
  }
  const database = databaseArg(args, 0);
  return [database, nameArg(args, 1, 'Table')];
}

const missingTable = (database: string, name: string) => opFailed(`Table \`${database}.${name}\` does not exist.`);

/** The table of a name; raises OP_FAILED where there is none. */
function findTable(
  { name: databaseName, entry: database }: EmbeddedDb,
  name: string,
  system: SystemTables,
  format: IdentifierFormat | undefined,
): TableHandle {
  const handle = database === undefined ? system.find(name, format ?? 'name') : handleOf(database.find(name));
  if (handle === undefined) throw missingTable(databaseName, name);
  return handle;
}

function handleOf(entry: TableEntry | undefined): TableHandle | undefined {
  if (entry === undefined) return undefined;
  const { name, displayName, store, feeds } = entry;
  const scope = { database: entry.database.id, table: entry.id };
  return { name, displayName, primaryKey: store.primaryKey, scope, store, feeds, entry, info: () => tableInfo(entry) };
}

/** The catalog's database behind a value; `rethinkdb` is none. */
function changeable({ entry, name }: EmbeddedDb, text: string): DatabaseEntry {
  if (entry !== undefined) return entry;
  throw opFailed(`Database \`${name}\` is special; ${text}`);
}

function createTable(args: Args, catalog: Catalog): Value {
  const shards = shardsOptarg(args);
  const primaryKey = args.optargString('primary_key') ?? 'id';
  const durability = durabilityOptarg(args) ?? 'hard';
  const [database, name] = databaseAndName(args, catalog);
  const entry = changeable(database, "you can't create new tables in it.");
  requirePermission(args.context, 'config', { database: entry.id });
  checkReplicas(args);
  const table = entry.create({ name, durability, writeAcks: 'majority', shards }, primaryKey);
  return { config_changes: [{ new_val: tableConfig(catalog, table), old_val: null }], tables_created: 1 };
}

/** The optarg `shards`, which only counts: all shards are on the one server. */
function shardsOptarg(args: Args): number {
  const value = args.optargDatum('shards');
  if (value === undefined) return 1;
  const fail = (message: string) => logicError(message, args.optargMaker('shards'));
  if (typeof value !== 'number') throw fail(`Expected type NUMBER but found ${typeName(value)}.`);
  if (value <= 0) throw fail('Every table must have at least one shard.');
  return Math.trunc(value);
}

function dropTable(args: Args, catalog: Catalog): Value {
  const [database, name] = databaseAndName(args, catalog);
  const entry = changeable(database, "you can't drop tables in it.");
  const table = entry.find(name);
  if (table === undefined) throw missingTable(database.name, name);
  requirePermission(args.context, 'config', { database: entry.id, table: table.id });
  const config = tableConfig(catalog, table);
  entry.drop(table);
  return { config_changes: [{ new_val: null, old_val: config }], tables_dropped: 1 };
}

export function tableTerms(catalog: Catalog, system: SystemTables): TermTable {
  return {
    [TermType.TABLE]: op((args) => {
      checkReadMode(args);
      const format = identifierFormat(args);
      const [database, name] = databaseAndName(args, catalog);
      const handle = findTable(database, name, system, format);
      const { context, origin } = args;
      const authorize = (permission: Permission): void => requirePermission(context, permission, handle.scope);
      return new EmbeddedTable(handle, origin, authorize, context.meter);
    }),
    [TermType.TABLE_CREATE]: op((args) => createTable(args, catalog)),
    [TermType.TABLE_DROP]: op((args) => dropTable(args, catalog)),
    [TermType.TABLE_LIST]: op((args): Value => {
      const database = args.count === 0 ? defaultDatabase(args, catalog) : databaseArg(args, 0);
      if (database.name === SYSTEM_DATABASE) return system.names;
      return (database.entry?.tables ?? []).map(({ name }) => name);
    }),
    [TermType.SYNC]: op((args): Value => {
      tableArg(args, 0).authorize('write');
      return { synced: 1 };
    }),
  };
}
