// The documents that describe databases and tables, as `config`, `status` and the system tables show them
// (table_config.cc, table_status.cc, db_config.cc). Keys are in byte order.

import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';
import type { Catalog, DatabaseEntry, TableEntry } from './catalog.ts';

/** Whether databases and servers are shown by name or by id (`identifier_format`). */
export type IdentifierFormat = 'name' | 'uuid';

const repeat = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

export function databaseConfig(database: DatabaseEntry): DatumObject {
  return { id: database.id, name: database.name };
}

export function writeHookDocument(table: TableEntry): Datum {
  const hook = table.writeHook;
  if (hook === undefined) return null;
  return { function: { $reql_type$: 'BINARY', data: hook.blob }, query: hook.query };
}

export function tableConfig(catalog: Catalog, table: TableEntry, format: IdentifierFormat = 'name'): DatumObject {
  const server = format === 'name' ? catalog.serverName : catalog.serverId;
  const { settings } = table;
  return {
    db: format === 'name' ? table.database.name : table.database.id,
    durability: settings.durability,
    id: table.id,
    indexes: table.store.indexNames,
    name: settings.name,
    primary_key: table.store.primaryKey,
    shards: repeat(settings.shards, { nonvoting_replicas: [], primary_replica: server, replicas: [server] }),
    write_acks: settings.writeAcks,
    write_hook: writeHookDocument(table),
  };
}

export function tableStatus(catalog: Catalog, table: TableEntry, format: IdentifierFormat = 'name'): DatumObject {
  const server = format === 'name' ? catalog.serverName : catalog.serverId;
  return {
    db: format === 'name' ? table.database.name : table.database.id,
    id: table.id,
    name: table.name,
    raft_leader: server,
    shards: repeat(table.settings.shards, { primary_replicas: [server], replicas: [{ server, state: 'ready' }] }),
    status: {
      all_replicas_ready: true,
      ready_for_outdated_reads: true,
      ready_for_reads: true,
      ready_for_writes: true,
    },
  };
}

/** `info` of a table, beside its type. */
export function tableInfo(table: TableEntry): DatumObject {
  return {
    db: { id: table.database.id, name: table.database.name, type: 'DB' },
    doc_count_estimates: repeat(table.settings.shards, Math.ceil(table.store.size / table.settings.shards)),
    id: table.id,
    indexes: table.store.indexNames,
    name: table.name,
    primary_key: table.store.primaryKey,
  };
}
