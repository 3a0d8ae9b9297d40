// The truth about a live query: what its one-shot form gives now, sums and the like taken from the numbers themselves, since the
// server's own depend on the order of rows.

import type { LiveQuery } from '../queries/live-queries.ts';
import type { Connection } from '../servers/drivers.ts';
import { type FeedState, isSame } from './feed-state.ts';
import { valueNow } from './value-now.ts';

/** Whether a state is the truth, and the truth as a value. */
export interface Truth {
  readonly holds: (state: FeedState) => boolean;
  readonly shown: unknown;
}

/** The truth about a query, as it is now. */
export async function truthOf(connection: Connection, told: LiveQuery): Promise<Truth> {
  const shown = await shownBy(connection, told);
  return { holds: (state) => state.equals(shown, isSame), shown };
}

async function shownBy(connection: Connection, { query, exact, shows = 'value' }: LiveQuery): Promise<unknown> {
  if (exact === undefined) return valueNow(connection, query);
  const { of, byName } = exact;
  const numbers = await valueNow(connection, exact.numbers);
  if (shows === 'value') return of(numbersIn(numbers));
  const lists = groupsIn(numbers);
  const groups = byName
    ? lists.filter((list) => numbersIn(list.reduction).length > 0)
    : groupsIn(await valueNow(connection, query));
  return groups.map(({ group }) => ({
    group,
    reduction: of(numbersIn(lists.find((candidate) => isSame(candidate.group, group))?.reduction)),
  }));
}

function numbersIn(list: unknown): readonly number[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'number') : [];
}

function groupsIn(result: unknown): readonly Group[] {
  if (!Array.isArray(result)) throw new TypeError('no groups');
  return result;
}

interface Group {
  readonly group: unknown;
  readonly reduction: unknown;
}
