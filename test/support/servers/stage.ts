// A server under test with a database to play in: connections at both ends, and two tables that are emptied and filled
// between cases. Files that run at the same time against one real RethinkDB owe different names of databases.

import type { Address } from '../../../proxy/upstream/address.ts';
import type { Argument, Query, Reql } from '../reql.ts';
import { type Connection, type Driver, official } from './drivers.ts';
import type { ServerUnderTest } from './servers.ts';

/** Rows by table. */
export type Seed = Readonly<Record<string, readonly Row[]>>;

/** A row. */
export type Row = Readonly<Record<string, Argument>>;

/** Tables of the stage; both have the indexes below. */
export const TABLES = ['t', 'u'] as const;

/** Simple indexes. */
const INDEXES = ['k', 'n', 'job'] as const;

/** A server under test that runs, and connections to it. */
export interface Stage {
  readonly client: Address;
  readonly db: string;
  /** Connected to the server under test by the official driver. */
  readonly feeds: Connection;
  /** Connected straight to the database. */
  readonly writes: Connection;
  /** Empties the tables and fills them. */
  seed(seed: Seed): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server under test and sets the stage. */
export async function setStage(server: ServerUnderTest, db: string, driver: Driver = official): Promise<Stage> {
  const running = await server.start();
  const writes = await official.connect(running.database, { db });
  await writes.run((r) => r.branch(r.dbList().contains(db), r.dbDrop(db), {}));
  await writes.run((r) => r.dbCreate(db));
  await Promise.all(TABLES.map((table) => createTable(writes, table)));
  const feeds = await driver.connect(running.client, { db });
  return {
    client: running.client,
    db,
    feeds,
    writes,
    async seed(seed) {
      await writes.run((r) => r.expr(TABLES.map((table) => r.table(table).delete({ durability: 'soft' }))));
      for (const table of TABLES) {
        const rows = seed[table] ?? [];
        if (rows.length > 0) await writes.run(insert(table, rows));
      }
    },
    async close() {
      await feeds.close();
      await writes.run((r) => r.dbDrop(db));
      await writes.close();
      await running.close();
    },
  };
}

/** Creates a table as the stage has it: with simple, multi and compound indexes, and indexes of functions. */
export async function createTable(connection: Connection, table: string): Promise<void> {
  await connection.run((r) => r.tableCreate(table));
  await connection.run((r) =>
    r.expr([
      ...INDEXES.map((index) => r.table(table).indexCreate(index)),
      r.table(table).indexCreate('tags', { multi: true }),
      r.table(table).indexCreate('kn', (row: Reql) => [row('k'), row('n')]),
      r.table(table).indexCreate('twice', (row: Reql) => row('n').mul(2)),
      r.table(table).indexCreate('marks', (row: Reql) => row('tags').map((tag) => tag.add('!')), { multi: true }),
    ]),
  );
  await connection.run((r) => r.table(table).indexWait());
}

function insert(table: string, rows: readonly Row[]): Query {
  return (r) =>
    r.table(table).insert(
      rows.map((row) => r.expr(row)),
      { durability: 'soft' },
    );
}
