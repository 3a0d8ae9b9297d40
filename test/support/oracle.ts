// The truth about a live query: what its one-shot form gives now, sums taken from the numbers themselves, since the server's
// own depend on the order of rows.

import { DriverError } from './driver-error.ts';
import type { Connection } from './drivers.ts';
import { exactSum } from './exact-double.ts';
import { type FeedState, isSame } from './feed-state.ts';
import type { LiveQuery } from './live-queries.ts';
import type { Query } from './reql.ts';

/** Whether a state is the truth, and the truth as a value. */
export interface Truth {
  readonly holds: (state: FeedState) => boolean;
  readonly shown: unknown;
}

/** The truth about a query, as it is now. */
export async function truthOf(connection: Connection, { query, exact }: LiveQuery): Promise<Truth> {
  const given = await valueNow(connection, query);
  const shown = exact === undefined ? given : summed(exact.of, given, await valueNow(connection, exact.numbers));
  return { holds: (state) => state.equals(shown, isSame), shown };
}

/** What a query gives, with other sums in it: one value, or that of each group. */
function summed(of: 'sum' | 'avg', given: unknown, numbers: unknown): unknown {
  if (!Array.isArray(given)) return sumOf(of, numbers);
  const groups: readonly Group[] = Array.isArray(numbers) ? numbers : [];
  return given.map(({ group }: Group) => ({
    group,
    reduction: sumOf(of, groups.find((candidate) => isSame(candidate.group, group))?.reduction),
  }));
}

function sumOf(of: 'sum' | 'avg', list: unknown): number | null {
  const numbers = Array.isArray(list) ? list.filter((item) => typeof item === 'number') : [];
  if (of === 'sum') return exactSum(numbers);
  return numbers.length === 0 ? null : exactSum(numbers) / numbers.length;
}

interface Group {
  readonly group: unknown;
  readonly reduction: unknown;
}

async function valueNow(connection: Connection, query: Query): Promise<unknown> {
  try {
    return await connection.run(query);
  } catch (error) {
    if (error instanceof DriverError && error.kind === 'NON_EXISTENCE') return null;
    throw error;
  }
}
