// DB, DB_CREATE, DB_DROP, DB_LIST.

import { logicError, opFailed } from '../../../rewrite/reql/error.ts';
import type { Value } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { SYSTEM_DATABASE } from '../catalog/catalog.ts';
import { databaseConfig } from '../catalog/config-documents.ts';
import { EmbeddedDb } from '../value/embedded-db.ts';
import { requirePermission } from './query-context.ts';

/** A name as an argument; raises QUERY_LOGIC where it has characters that names may not have. */
export function nameArg(args: Args, index: number, what: 'Database' | 'Table'): string {
  const name = args.string(index);
  if (/^[A-Za-z0-9_-]+$/.test(name)) return name;
  throw logicError(`${what} name \`${name}\` invalid (Use A-Z, a-z, 0-9, _ and - only).`, args.maker(index));
}

/** The database of a name; raises OP_FAILED where there is none. */
export function findDatabase(catalog: Catalog, name: string): EmbeddedDb {
  if (name === SYSTEM_DATABASE) return new EmbeddedDb(name, undefined);
  const entry = catalog.find(name);
  if (entry === undefined) throw opFailed(`Database \`${name}\` does not exist.`);
  return new EmbeddedDb(name, entry);
}

export function databaseTerms(catalog: Catalog): TermTable {
  return {
    [TermType.DB]: op((args) => findDatabase(catalog, nameArg(args, 0, 'Database'))),
    [TermType.DB_CREATE]: op((args): Value => {
      const name = nameArg(args, 0, 'Database');
      requirePermission(args.context, 'config', {});
      const config = databaseConfig(catalog.create(name));
      return { config_changes: [{ new_val: config, old_val: null }], dbs_created: 1 };
    }),
    [TermType.DB_DROP]: op((args): Value => {
      const name = nameArg(args, 0, 'Database');
      if (name === SYSTEM_DATABASE) throw opFailed(`Database \`${name}\` is special; you can't delete it.`);
      const { entry } = findDatabase(catalog, name);
      if (entry === undefined) return null;
      requirePermission(args.context, 'config', { database: entry.id });
      const tables = entry.tables.length;
      const config = databaseConfig(entry);
      catalog.drop(entry);
      return { config_changes: [{ new_val: null, old_val: config }], dbs_dropped: 1, tables_dropped: tables };
    }),
    [TermType.DB_LIST]: op(
      (): Value => [...catalog.databases.map(({ name }) => name), SYSTEM_DATABASE].sort((a, b) => (a < b ? -1 : 1)),
    ),
  };
}
