// The value of a query now.

import type { Query } from '../reql.ts';
import type { Connection } from '../servers/drivers.ts';
import { DriverError } from './driver-error.ts';

/** The value of a query without `changes`; null where it has none. */
export async function valueNow(
  connection: Connection,
  query: Query,
  options?: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  try {
    return await connection.run(query, options);
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'NON_EXISTENCE') return null;
    throw error;
  }
}
