// CONFIG, STATUS, WAIT, RECONFIGURE, REBALANCE, GRANT. There is one server and it is always ready, so most of this only
// answers in the form that the real server has.

import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { logicError, opFailed } from '../../../rewrite/reql/error.ts';
import { type Value, wrongType } from '../../../rewrite/reql/eval/core/value.ts';
import { type Args, op, type TermTable } from '../../../rewrite/reql/eval/index.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { type Catalog, SYSTEM_DATABASE, type TableEntry } from '../catalog/catalog.ts';
import { databaseConfig, tableConfig, tableStatus } from '../catalog/config-documents.ts';
import type { SystemTables } from '../catalog/system-tables.ts';
import { EmbeddedDb } from '../value/embedded-db.ts';
import { EmbeddedTable } from '../value/embedded-table.ts';
import { KeySelection } from '../value/row-selection.ts';
import { requirePermission } from './query-context.ts';
import { checkReplicas } from './replicas.ts';
import { defaultDatabase } from './table.ts';

const special = (text: string) => opFailed(`Database \`${SYSTEM_DATABASE}\` is special; ${text}`);

/** What a term that takes a table or a database is called on. */
function targetOf(args: Args, name: string, catalog: Catalog): EmbeddedDb | EmbeddedTable {
  if (args.count === 0) {
    // The database that a term without one is about is looked for before it is refused.
    defaultDatabase(args, catalog);
    throw args.fail(`\`${name}\` can only be called on a table or database.`);
  }
  const value = args.value(0);
  if (value instanceof EmbeddedDb || value instanceof EmbeddedTable) return value;
  throw wrongType(value, 'TABLE', args.maker(0));
}

/** The tables of a target; `systemText` refuses those of the system. */
function tablesOf(target: EmbeddedDb | EmbeddedTable, systemText: string): readonly TableEntry[] {
  const entry = target instanceof EmbeddedDb ? target.entry : target.handle.entry;
  if (entry === undefined) throw special(systemText);
  return 'tables' in entry ? entry.tables : [entry];
}

function requireConfig(args: Args, target: EmbeddedDb | EmbeddedTable): void {
  requirePermission(args.context, 'config', target instanceof EmbeddedDb ? target.scope : target.handle.scope);
}

/** A row of a system table, so that `config().update(..)` works. */
function systemRow(args: Args, system: SystemTables, table: string, id: string, row: DatumObject): KeySelection {
  const handle = system.find(table, 'name');
  if (handle === undefined) throw new Error(`no system table ${table}`);
  const { context, origin } = args;
  return new KeySelection(
    new EmbeddedTable(
      handle,
      origin,
      (permission) => requirePermission(context, permission, handle.scope),
      context.meter,
    ),
    id,
    origin,
    row,
  );
}

function config(args: Args, catalog: Catalog, system: SystemTables): Value {
  const value = args.value(0);
  if (value instanceof EmbeddedDb) {
    const { entry } = value;
    if (entry === undefined) throw special("you can't configure it.");
    requirePermission(args.context, 'config', value.scope);
    return systemRow(args, system, 'db_config', entry.id, databaseConfig(entry));
  }
  if (!(value instanceof EmbeddedTable)) throw wrongType(value, 'TABLE', args.maker(0));
  const { entry } = value.handle;
  if (entry === undefined) throw special("you can't configure the tables in it.");
  value.authorize('config');
  return systemRow(args, system, 'table_config', entry.id, tableConfig(catalog, entry));
}

function status(args: Args, catalog: Catalog, system: SystemTables): Value {
  const value = args.value(0);
  if (!(value instanceof EmbeddedTable)) throw wrongType(value, 'TABLE', args.maker(0));
  const { entry } = value.handle;
  if (entry === undefined) throw special("the system tables in it don't have meaningful status information.");
  return systemRow(args, system, 'table_status', entry.id, tableStatus(catalog, entry));
}

const READINESS = ['ready_for_outdated_reads', 'ready_for_reads', 'ready_for_writes', 'all_replicas_ready'];

function wait(args: Args, catalog: Catalog): Value {
  const target = targetOf(args, 'wait', catalog);
  const readiness = args.optargString('wait_for');
  if (readiness !== undefined && !READINESS.includes(readiness)) {
    throw logicError(
      `Unknown table readiness state: '${readiness}', must be one of 'ready_for_outdated_reads', 'ready_for_reads', 'ready_for_writes', or 'all_replicas_ready'`,
      args.optargMaker('wait_for'),
    );
  }
  const tables = tablesOf(target, "the system tables in it are always available and don't need to be waited on.");
  return { ready: tables.length };
}

function rebalance(args: Args, catalog: Catalog): Value {
  const target = targetOf(args, 'rebalance', catalog);
  const tables = tablesOf(target, "you can't rebalance the tables in it.");
  requireConfig(args, target);
  const statuses = tables.map((table) => tableStatus(catalog, table));
  // Where there is nothing to divide, the server does nothing.
  const rebalanced = tables.filter(({ store }) => store.size > 0).length;
  return { rebalanced, status_changes: statuses.map((same) => ({ new_val: same, old_val: same })) };
}

const missingOptarg = (args: Args, name: string) => args.fail(`Missing required argument \`${name}\`.`);

function readShards(args: Args): number {
  const shards = args.optargInteger('shards');
  if (shards === undefined) throw missingOptarg(args, 'shards');
  if (shards > 0) return shards;
  throw logicError('Every table must have at least one shard.', args.optargMaker('shards'));
}

const REPAIRS = ['_debug_recommit', 'unsafe_rollback', 'unsafe_rollback_or_erase'];

/** `emergency_repair`, which one server that is always ready never needs. */
function refuseRepair(args: Args, target: EmbeddedDb | EmbeddedTable): never {
  const mode = args.optargString('emergency_repair') ?? '';
  if (!REPAIRS.includes(mode)) {
    throw logicError(
      '`emergency_repair` should be "unsafe_rollback" or "unsafe_rollback_or_erase"',
      args.optargMaker('emergency_repair'),
    );
  }
  const regular = ['nonvoting_replica_tags', 'primary_replica_tag', 'replicas', 'shards'];
  if (regular.some((name) => args.optarg(name) !== undefined)) {
    throw args.fail("In emergency repair mode, you can't specify shards, replicas, etc.");
  }
  if (target instanceof EmbeddedDb) {
    throw args.fail(
      "Can't emergency repair an entire database at once; instead you should run `reconfigure()` on each table individually.",
    );
  }
  requireConfig(args, target);
  throw opFailed("This table doesn't need to be repaired.");
}

function reconfigure(args: Args, catalog: Catalog): Value {
  const target = targetOf(args, 'reconfigure', catalog);
  const dryRun = args.optargBool('dry_run', false);
  const repair = args.optargDatum('emergency_repair') ?? null;
  if (repair !== null) return refuseRepair(args, target);
  const shards = readShards(args);
  if (args.optarg('replicas') === undefined) throw missingOptarg(args, 'replicas');
  checkReplicas(args);
  const tables = tablesOf(target, "you can't configure the tables in it.");
  requireConfig(args, target);
  const statusBefore = tables.map((table) => tableStatus(catalog, table));
  const changes = tables.map((table) => {
    const before = tableConfig(catalog, table);
    const { settings, writeHook } = table;
    const { database } = table;
    database.configure(table, { ...settings, shards });
    // The server forgets the write hook here.
    table.writeHook = undefined;
    const after = tableConfig(catalog, table);
    if (dryRun) {
      database.configure(table, settings);
      table.writeHook = writeHook;
    }
    return { new_val: after, old_val: before };
  });
  if (dryRun) return { config_changes: changes, reconfigured: 0 };
  const statusChanges = tables.map((table, at) => ({
    new_val: tableStatus(catalog, table),
    old_val: statusBefore[at] ?? null,
  }));
  return { config_changes: changes, reconfigured: tables.length, status_changes: statusChanges };
}

export function administrationTerms(catalog: Catalog, system: SystemTables): TermTable {
  return {
    [TermType.CONFIG]: op((args) => config(args, catalog, system)),
    [TermType.STATUS]: op((args) => status(args, catalog, system)),
    [TermType.WAIT]: op((args) => wait(args, catalog)),
    [TermType.REBALANCE]: op((args) => rebalance(args, catalog)),
    [TermType.RECONFIGURE]: op((args) => reconfigure(args, catalog)),
  };
}
