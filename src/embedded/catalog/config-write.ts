// What writing to `table_config` and `db_config`, or to `config()`, does (table_config.cc, db_config.cc).

import { type Datum, type DatumObject, getField } from '../../../rewrite/reql/datum.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { printDatum } from '../../../rewrite/reql/json-text.ts';
import type { Catalog, Durability, TableEntry, TableSettings } from './catalog.ts';

const text = (row: DatumObject, field: string): string => {
  const value = getField(row, field);
  if (typeof value === 'string') return value;
  throw opFailed(
    value === undefined
      ? `Expected a field named \`${field}\`.`
      : `In \`${field}\`: Expected a string, got ${printDatum(value)}.`,
  );
};

function oneOf<Choice extends string>(row: DatumObject, field: string, choices: readonly Choice[]): Choice {
  const value = text(row, field);
  const choice = choices.find((known) => known === value);
  if (choice !== undefined) return choice;
  throw opFailed(`In \`${field}\`: Expected "${choices.join('" or "')}", got: "${value}"`);
}

function readSettings(row: DatumObject): TableSettings {
  const shards: Datum = getField(row, 'shards') ?? null;
  if (!Array.isArray(shards) || shards.length === 0) {
    throw opFailed('In `shards`: You must specify at least one shard.');
  }
  const durability: Durability = oneOf(row, 'durability', ['hard', 'soft']);
  const writeAcks = oneOf(row, 'write_acks', ['single', 'majority']);
  return { name: text(row, 'name'), durability, writeAcks, shards: shards.length };
}

function checkUnchanged(row: DatumObject, field: string, table: TableEntry, expected: string): void {
  if (text(row, field) !== expected) {
    throw opFailed(`It's illegal to change a table's ${field === 'db' ? 'database' : 'primary key'}. (${table.name})`);
  }
}

export function writeTableConfig(catalog: Catalog, old: DatumObject | undefined, now: DatumObject | undefined): void {
  const id = getField(now ?? old ?? {}, 'id');
  const table = typeof id === 'string' ? catalog.tableById(id) : undefined;
  if (now === undefined) {
    table?.database.drop(table);
    return;
  }
  const settings = readSettings(now);
  if (table === undefined) {
    const database = catalog.find(text(now, 'db'));
    if (database === undefined) throw opFailed(`Database \`${text(now, 'db')}\` does not exist.`);
    database.create(settings, text(now, 'primary_key'));
    return;
  }
  checkUnchanged(now, 'primary_key', table, table.store.primaryKey);
  checkUnchanged(now, 'db', table, table.database.name);
  const taken = table.database.find(settings.name);
  if (taken !== undefined && taken !== table) {
    throw opFailed(
      `Cannot rename table \`${table.displayName}\` to \`${table.database.name}.${settings.name}\` because table \`${table.database.name}.${settings.name}\` already exists.`,
    );
  }
  table.database.configure(table, settings);
}

export function writeDatabaseConfig(
  catalog: Catalog,
  old: DatumObject | undefined,
  now: DatumObject | undefined,
): void {
  const id = getField(now ?? old ?? {}, 'id');
  const database = catalog.databases.find((entry) => entry.id === id);
  if (now === undefined) {
    if (database !== undefined) catalog.drop(database);
    return;
  }
  const name = text(now, 'name');
  if (database === undefined) {
    catalog.create(name);
    return;
  }
  if (name === database.name) return;
  if (catalog.find(name) !== undefined) {
    throw opFailed(
      `Cannot rename database \`${database.name}\` to \`${name}\` because database \`${name}\` already exists.`,
    );
  }
  catalog.rename(database, name);
}
