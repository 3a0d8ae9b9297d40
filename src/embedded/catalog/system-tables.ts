// The database `rethinkdb`: tables that describe the server. Their rows are made when somebody looks, and put into
// stores of their own, so that reads and feeds work on them as on any table. A few act on what is written to them.
// Callers owe: `refresh` after whatever may have changed something, for the feeds that watch.

import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { SYSTEM_DATABASE_ID, type Users } from '../auth/users.ts';
import { FeedRegistry } from '../feed/feed-registry.ts';
import { TableStore } from '../storage/table-store.ts';
import { type Catalog, SYSTEM_DATABASE } from './catalog.ts';
import { databaseConfig, type IdentifierFormat, tableConfig, tableStatus } from './config-documents.ts';
import { writeDatabaseConfig, writeTableConfig } from './config-write.ts';
import type { Jobs } from './jobs.ts';
import { serverConfig, serverStatus, statsRows } from './server-documents.ts';
import type { TableHandle } from './table-handle.ts';
import { permissionRows, userRows, writeUser } from './user-documents.ts';

/** The ids that system tables have on every RethinkDB. */
const TABLE_IDS: Readonly<Record<string, string>> = {
  cluster_config: '2678573f-3a6c-525b-9bc9-60389f644458',
  current_issues: '5ed95837-774b-5cde-bb9a-09f8b93b1786',
  db_config: '77e2a360-e196-5a6e-8a02-341743cfe122',
  jobs: '69be2167-342c-5d03-918c-730335195ed2',
  logs: '3cb0d6bd-57a9-5c7f-b33d-00224d31a18d',
  permissions: 'c8083c3a-17a1-5451-bf91-47caa60650be',
  server_config: '528a6285-67b5-5a84-a90d-051a3f44db1c',
  server_status: '63c45d34-1c3a-58f8-8815-d08d028931c4',
  stats: 'e078b99f-bbc4-5960-bd94-c74a5826a77d',
  table_config: '4c16a05c-fbdd-5cbf-9e28-57d927474b01',
  table_status: 'bd984e39-2e8b-5ef3-9ca8-cec6a9de24a1',
  users: '664a9e0b-8871-51f2-b85c-e0abcb12d3cd',
};

/** What a system table shows and does. */
interface SystemTable {
  readonly rows: (format: IdentifierFormat) => readonly DatumObject[];
  /** Acts on a write to a row; absent where writing is an error. */
  readonly write?: (old: DatumObject | undefined, now: DatumObject | undefined) => void;
}

/** What a system table holds for readers who want names, or ids, of servers and databases. */
interface View {
  readonly store: TableStore;
  readonly feeds: FeedRegistry;
  readonly rows: () => readonly DatumObject[];
}

export class SystemTables {
  readonly #tables: ReadonlyMap<string, SystemTable>;
  readonly #views = new Map<string, View>();
  readonly #scratch = new TableStore('id');
  readonly #scratchFeeds = new FeedRegistry();

  constructor(catalog: Catalog, users: Users, jobs: Jobs) {
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
      ['jobs', { rows: (format) => jobs.rows(catalog, format) }],
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
    const view = this.#view(name, format, table);
    update(view);
    const refuse = () => {
      throw opFailed(`It's illegal to write to the \`${SYSTEM_DATABASE}.${name}\` table.`);
    };
    return { ...handle(name, view.store, view.feeds), write: table.write ?? refuse };
  }

  /** Shows feeds what has changed since the rows were made last. */
  refresh(): void {
    for (const view of this.#views.values()) if (view.feeds.size > 0) update(view);
  }

  #view(name: string, format: IdentifierFormat, table: SystemTable): View {
    const key = `${name} ${format}`;
    const known = this.#views.get(key);
    if (known !== undefined) return known;
    const store = new TableStore('id');
    const feeds = new FeedRegistry();
    store.listen(feeds);
    const view: View = { store, feeds, rows: () => table.rows(format) };
    this.#views.set(key, view);
    return view;
  }
}

/** Puts the rows of now in the place of those that were there. */
function update({ store, rows }: View): void {
  const keys = new Set<string>();
  for (const row of rows()) {
    const key = rowKey(row['id'] ?? null);
    keys.add(key);
    const before = store.get(key);
    if (before === undefined || !equalDatums(before.value, row)) store.put(key, row);
  }
  for (const { key } of [...store.ascending()]) if (!keys.has(key)) store.put(key, undefined);
}

function handle(name: string, store: TableStore, feeds: FeedRegistry): TableHandle {
  const id = TABLE_IDS[name];
  return {
    name,
    displayName: `${SYSTEM_DATABASE}.${name}`,
    primaryKey: store.primaryKey,
    scope: { database: SYSTEM_DATABASE_ID, ...(id === undefined ? {} : { table: id }) },
    store,
    feeds,
    entry: undefined,
    info: () => ({
      db: { id: SYSTEM_DATABASE_ID, name: SYSTEM_DATABASE, type: 'DB' },
      doc_count_estimates: [store.size],
      id: id ?? null,
      indexes: [],
      name,
      primary_key: store.primaryKey,
    }),
  };
}
