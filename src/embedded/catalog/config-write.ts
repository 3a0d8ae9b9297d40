// Writes to `table_config` and `db_config`, or to `config()` (table_config.cc, db_config.cc).

import { sortedKeys } from '../../../rewrite/reql/data/compare.ts';
import { type Datum, type DatumObject, getField } from '../../../rewrite/reql/data/datum.ts';
import { printDatum } from '../../../rewrite/reql/data/json-text.ts';
import { opFailed, type ReqlError } from '../../../rewrite/reql/error.ts';
import { type Catalog, SYSTEM_DATABASE, type TableEntry, type TableSettings } from './catalog.ts';

/** The fields of a row that is written, each asked for with the server's error where it is not as it must be. */
class WrittenRow {
  readonly #row: DatumObject;
  readonly #table: string;

  constructor(row: DatumObject, table: string) {
    this.#row = row;
    this.#table = table;
  }

  fault(message: string): ReqlError {
    return opFailed(
      `The change you're trying to make to \`${SYSTEM_DATABASE}.${this.#table}\` has the wrong format. ${message}`,
    );
  }

  field(name: string): Datum {
    const value = getField(this.#row, name);
    if (value === undefined) throw this.fault(`Expected a field named \`${name}\`.`);
    return value;
  }

  text(name: string): string {
    const value = this.field(name);
    if (typeof value === 'string') return value;
    throw this.fault(`In \`${name}\`: Expected a string, got ${printDatum(value)}`);
  }

  name(what: string): string {
    const name = this.text('name');
    if (/^[A-Za-z0-9_-]+$/.test(name)) return name;
    throw this.fault(`In \`name\`: "${name}" is not a valid ${what} name; Use A-Z, a-z, 0-9, _ and - only`);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice): Choice {
    const value = getField(this.#row, name);
    if (value === undefined) return otherwise;
    const choice = choices.find((known) => known === value);
    if (choice !== undefined) return choice;
    throw this.fault(
      `In \`${name}\`: Expected ${choices.map((known) => `"${known}"`).join(' or ')}, got: ${printDatum(value)}`,
    );
  }

  /** Raises the error of fields that there are not. */
  allow(known: readonly string[]): void {
    const unknown = sortedKeys(this.#row).filter((key) => !known.includes(key));
    if (unknown.length > 0) throw this.fault(`Unexpected key(s): ${unknown.join(', ')}`);
  }
}

const TABLE_FIELDS = ['db', 'durability', 'id', 'indexes', 'name', 'primary_key', 'shards', 'write_acks', 'write_hook'];

function readSettings(row: WrittenRow, now: DatumObject): TableSettings {
  const name = row.name('table');
  const shards: Datum = getField(now, 'shards') ?? [{}];
  if (!Array.isArray(shards) || shards.length === 0) {
    throw row.fault('In `shards`: You must specify at least one shard.');
  }
  const writeAcks = row.oneOf('write_acks', ['single', 'majority'], 'majority');
  const durability = row.oneOf('durability', ['soft', 'hard'], 'hard');
  row.allow(TABLE_FIELDS);
  return { name, durability, writeAcks, shards: shards.length };
}

function changeTable(table: TableEntry, row: WrittenRow, settings: TableSettings): void {
  const { database } = table;
  if (row.text('primary_key') !== table.store.primaryKey) {
    throw opFailed("It's illegal to change a table's primary key");
  }
  const taken = database.find(settings.name);
  if (taken !== undefined && taken !== table) {
    throw opFailed(
      `Can't rename table \`${table.displayName}\` to \`${taken.displayName}\` because table \`${taken.displayName}\` already exists.`,
    );
  }
  database.configure(table, settings);
}

export function writeTableConfig(catalog: Catalog, old: DatumObject | undefined, now: DatumObject | undefined): void {
  const id = getField(now ?? old ?? {}, 'id');
  const table = typeof id === 'string' ? catalog.tableById(id) : undefined;
  if (now === undefined) {
    table?.database.drop(table);
    return;
  }
  const row = new WrittenRow(now, 'table_config');
  const settings = readSettings(row, now);
  if (table !== undefined) {
    changeTable(table, row, settings);
    return;
  }
  const database = catalog.find(row.text('db'));
  if (database === undefined) throw row.fault(`Database \`${row.text('db')}\` does not exist.`);
  const primaryKey = getField(now, 'primary_key');
  database.create(settings, typeof primaryKey === 'string' ? primaryKey : 'id');
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
  const row = new WrittenRow(now, 'db_config');
  const name = row.name('db');
  row.allow(['id', 'name']);
  if (database === undefined) {
    catalog.create(name);
  } else if (name !== database.name) {
    if (catalog.find(name) !== undefined) {
      throw opFailed(
        `Cannot rename database \`${database.name}\` to \`${name}\` because database \`${name}\` already exists.`,
      );
    }
    catalog.rename(database, name);
  }
}
