// The ground that laws play on: a server, a database of their own with the tables, and connections to it, directly and through proxies.

import type { Plan } from '../../../rewrite/plan/choose-plan.ts';
import { type Connection, official } from './drivers.ts';
import { type Base, type BaseUnderTest, proxyOver, rewriting } from './servers.ts';
import { createTable, TABLES } from './stage.ts';

/** A server with a database of one's own. */
export interface Ground {
  readonly base: Base;
  /** A connection to the server itself. */
  readonly writes: Connection;
  /** A connection through a proxy of its own, which folds by a plan. */
  reader(plan: Plan): Promise<Connection>;
  /** Ends all that was begun, the last first, and drops the database. */
  close(): Promise<void>;
}

/** Starts a server, and makes a database with the tables, each with some indexes. */
export async function openGround(under: BaseUnderTest, db: string, indexes: readonly string[] = []): Promise<Ground> {
  const base = await under.start();
  const writes = await official.connect(base.address, { db });
  const closing: (() => Promise<unknown>)[] = [
    () => base.close(),
    () => writes.close(),
    () => writes.run((r) => r.dbDrop(db)),
  ];
  await writes.run((r) => r.branch(r.dbList().contains(db), r.dbDrop(db), {}));
  await writes.run((r) => r.dbCreate(db));
  for (const table of TABLES) {
    await createTable(writes, table);
    for (const index of indexes) await writes.run((r) => r.table(table).indexCreate(index));
    await writes.run((r) => r.table(table).indexWait());
  }
  return {
    base,
    writes,
    async reader(plan) {
      const proxy = await proxyOver(base.address, rewriting(plan));
      closing.push(() => proxy.destroy());
      const reader = await official.connect(proxy.address, { db });
      closing.push(() => reader.close());
      return reader;
    },
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}
