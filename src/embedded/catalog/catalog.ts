// The databases and tables of one embedded server. Names are checked by the terms; here they only have to be free, or
// to be there. The database `rethinkdb` with its system tables is not here but in `system-tables.ts`.

import { randomUUID } from 'node:crypto';
import { opFailed } from '../../../rewrite/reql/error.ts';
import type { Func } from '../../../rewrite/reql/eval/core/func.ts';
import { FeedRegistry } from '../feed/feed-registry.ts';
import { TableStore } from '../storage/table-store.ts';

/** The name of the database that holds the system tables. */
export const SYSTEM_DATABASE = 'rethinkdb';

export type Durability = 'hard' | 'soft';

/** The configuration of a table; shards are many in number only, as all of them are on the one server. */
export interface TableSettings {
  readonly name: string;
  readonly durability: Durability;
  readonly writeAcks: 'majority' | 'single';
  readonly shards: number;
}

/** A function that sees every write to a table, and the text and blob that show it. */
export interface WriteHook {
  readonly func: Func;
  readonly query: string;
  readonly blob: string;
}

export class TableEntry {
  readonly id: string = randomUUID();
  readonly database: DatabaseEntry;
  readonly store: TableStore;
  readonly feeds = new FeedRegistry();
  settings: TableSettings;
  writeHook: WriteHook | undefined;

  constructor(database: DatabaseEntry, settings: TableSettings, primaryKey: string) {
    this.database = database;
    this.settings = settings;
    this.store = new TableStore(primaryKey);
    this.store.listen(this.feeds);
  }

  get name(): string {
    return this.settings.name;
  }

  /** The name as error texts show it. */
  get displayName(): string {
    return `${this.database.name}.${this.name}`;
  }
}

export class DatabaseEntry {
  readonly id: string = randomUUID();
  name: string;
  readonly #tables = new Map<string, TableEntry>();

  constructor(name: string) {
    this.name = name;
  }

  /** Tables in the byte order of their names. */
  get tables(): readonly TableEntry[] {
    return [...this.#tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): TableEntry | undefined {
    return this.#tables.get(name);
  }

  create(settings: TableSettings, primaryKey: string): TableEntry {
    const { name } = settings;
    if (this.#tables.has(name)) throw opFailed(`Table \`${this.name}.${name}\` already exists.`);
    const table = new TableEntry(this, settings, primaryKey);
    this.#tables.set(name, table);
    return table;
  }

  /** Forgets a table; its feeds end as the server's do. */
  drop(table: TableEntry): void {
    this.#tables.delete(table.name);
    table.feeds.abort(opFailed('Changefeed aborted (unavailable).'));
  }

  configure(table: TableEntry, settings: TableSettings): void {
    this.#tables.delete(table.name);
    table.settings = settings;
    this.#tables.set(settings.name, table);
  }
}

export class Catalog {
  readonly serverId: string = randomUUID();
  readonly serverName: string;
  readonly startedAt = new Date();
  /** Where clients reach the server. */
  address: { readonly host: string; readonly port: number } = { host: '127.0.0.1', port: 0 };
  readonly #databases = new Map<string, DatabaseEntry>();

  constructor(serverName: string) {
    this.serverName = serverName;
    // A new RethinkDB has this one database.
    this.create('test');
  }

  /** Databases in the byte order of their names. */
  get databases(): readonly DatabaseEntry[] {
    return [...this.#databases.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): DatabaseEntry | undefined {
    return this.#databases.get(name);
  }

  create(name: string): DatabaseEntry {
    if (this.#databases.has(name) || name === SYSTEM_DATABASE) {
      throw opFailed(`Database \`${name}\` already exists.`);
    }
    const database = new DatabaseEntry(name);
    this.#databases.set(name, database);
    return database;
  }

  drop(database: DatabaseEntry): void {
    for (const table of database.tables) database.drop(table);
    this.#databases.delete(database.name);
  }

  rename(database: DatabaseEntry, name: string): void {
    this.#databases.delete(database.name);
    database.name = name;
    this.#databases.set(name, database);
  }

  /** Every table there is. */
  get tables(): readonly TableEntry[] {
    return this.databases.flatMap(({ tables }) => tables);
  }

  tableById(id: string): TableEntry | undefined {
    return this.tables.find((table) => table.id === id);
  }
}
