// The rows of the bench's tables.

import { onTable } from './query.ts';
import type { RawConnection } from './raw-connection.ts';

const CHUNK_ROWS = 2000;
/** Inserts under way at once while a table is filled. */
const STREAMS = 4;

/** A row as data. */
export type SeedRow = { readonly [field: string]: number | string };

/** Fills a table with rows made of their numbers, 0 to `count` - 1. */
export async function fill(
  connection: RawConnection,
  table: string,
  count: number,
  row: (id: number) => SeedRow,
): Promise<void> {
  let next = 0;
  const stream = async (): Promise<void> => {
    while (next < count) {
      const first = next;
      next = Math.min(count, next + CHUNK_ROWS);
      const rows = Array.from({ length: next - first }, (_, index) => row(first + index));
      await connection.run(insertQuery(table, rows));
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, stream));
}

/** An insert of rows that replaces those that are there. */
function insertQuery(table: string, rows: readonly SeedRow[]): string {
  return onTable(table, (t, r) => t.insert(r.json(JSON.stringify(rows)), { durability: 'soft', conflict: 'replace' }));
}

/** A row of about 150 bytes. */
export function wideRow(id: number): SeedRow {
  return { id, name: `customer ${id}`, city: 'Trondheim', amount: (id * 7919) % 1000, note: 'x'.repeat(64) };
}

/** A row of a few numbers: `x` goes up and down, `k` is one of a thousandth as many groups as rows have numbers. */
export function narrowRow(id: number): SeedRow {
  return { id, x: (id * 7919) % 100_003, k: id % 1000 };
}
