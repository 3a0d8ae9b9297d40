// The database `rethinkdb`: tables that describe the server. Their rows are made when somebody looks, and put into
// stores of their own, so that reads and feeds work on them as on any table. A few act on what is written to them.

import type { DatumObject } from '../../../rewrite/reql/datum.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import type { Users } from '../auth/users.ts';
import { FeedRegistry } from '../feed/feed-registry.ts';
import { TableStore } from '../storage/table-store.ts';
import { rowKey } from '../value/key-error.ts';
import { type Catalog, SYSTEM_DATABASE } from './catalog.ts';
import { databaseConfig, type IdentifierFormat, tableConfig, tableStatus } from './config-documents.ts';
import { writeDatabaseConfig, writeTableConfig } from './config-write.ts';
import { serverConfig, serverStatus, statsRows } from './server-documents.ts';
import type { TableHandle } from './table-handle.ts';
import { permissionRows, userRows, writeUser } from './user-documents.ts';

/** What a system table shows and does. */
interface SystemTable {
  readonly rows: (format: IdentifierFormat) => readonly DatumObject[];
  /** Acts on a write to a row; absent where writing is an error. */
  readonly write?: (old: DatumObject | undefined, now: DatumObject | undefined) => void;
}

export class SystemTables {
  readonly #tables: ReadonlyMap<string, SystemTable>;
  readonly #scratch = new TableStore('id');
  readonly #scratchFeeds = new FeedRegistry();

  constructor(catalog: Catalog, users: Users) {
    this.#scratch.listen(this.#scratchFeeds);
    const none = () => [];
    this.#tables = new Map<string, SystemTable>([
      ['cluster_config', { rows: () => [{ heartbeat_timeout_secs: 10, id: 'heartbeat' }] }],
      ['current_issues', { rows: none }],
      [
        'db_config',
        {
          rows: () => catalog.databases.map(databaseConfig),
          write: (old, now) => writeDatabaseConfig(catalog, old, now),
        },
      ],
      ['jobs', { rows: none }],
      ['logs', { rows: none }],
      ['permissions', { rows: (format) => permissionRows(catalog, users, format) }],
      ['server_config', { rows: () => [serverConfig(catalog)] }],
      ['server_status', { rows: () => [serverStatus(catalog)] }],
      ['stats', { rows: (format) => statsRows(catalog, format) }],
      [
        'table_config',
        {
          rows: (format) => catalog.tables.map((table) => tableConfig(catalog, table, format)),
          write: (old, now) => writeTableConfig(catalog, old, now),
        },
      ],
      ['table_status', { rows: (format) => catalog.tables.map((table) => tableStatus(catalog, table, format)) }],
      ['users', { rows: () => userRows(users), write: (old, now) => writeUser(users, old, now) }],
    ]);
  }

  /** Names in byte order; the scratch table is not listed. */
  get names(): readonly string[] {
    return [...this.#tables.keys()];
  }

  /** The system table of a name, its rows as of now. */
  find(name: string, format: IdentifierFormat): TableHandle | undefined {
    if (name === '_debug_scratch') return handle(name, this.#scratch, this.#scratchFeeds);
    const table = this.#tables.get(name);
    if (table === undefined) return undefined;
    const store = new TableStore('id');
    for (const row of table.rows(format)) store.put(rowKey(row['id'] ?? null), row);
    const refuse = () => {
      throw opFailed(`It's illegal to write to the \`${SYSTEM_DATABASE}.${name}\` table.`);
    };
    return { ...handle(name, store, new FeedRegistry()), write: table.write ?? refuse };
  }
}

function handle(name: string, store: TableStore, feeds: FeedRegistry): TableHandle {
  return {
    name,
    displayName: `${SYSTEM_DATABASE}.${name}`,
    primaryKey: store.primaryKey,
    store,
    feeds,
    entry: undefined,
    info: () => ({
      db: { id: null, name: SYSTEM_DATABASE, type: 'DB' },
      doc_count_estimates: [store.size],
      id: null,
      indexes: [],
      name,
      primary_key: store.primaryKey,
    }),
  };
}
