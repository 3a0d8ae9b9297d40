// The value of a query now.

import type { Query } from '../reql.ts';
import type { Connection } from '../servers/drivers.ts';
import { DriverError } from './driver-error.ts';

/**
 * Options with which a one-shot query gives all its rows. RethinkDB 2.4.4 ends a batch when its time is over, and forgets the rest of the
 * rows that `orderBy` with an index and more keys has just sorted: on a busy machine its answer lacks rows.
 */
export const WHOLE = { maxBatchSeconds: 3_600 };

/** The value of a query without `changes`; null where it has none. */
export async function valueNow(
  connection: Connection,
  query: Query,
  options?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  try {
    return await connection.run(query, { ...WHOLE, ...options });
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'NON_EXISTENCE') return null;
    throw error;
  }
}
