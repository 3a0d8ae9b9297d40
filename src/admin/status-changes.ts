// The changes from one status to the next, which the event stream sends in its place.

import type { ListChanges, StatusChanges } from './routes.ts';
import type { ClientStatus, FeedStatus, Status } from './status.ts';

/** Rows of lists, by their ids. */
interface Listed {
  readonly id: string;
  readonly ageSeconds: number;
}

/** The changes from one status to the next. `at` is always there; the rest where it is not as it was. */
export function changesBetween(old: Status, now: Status): StatusChanges {
  const clients = listChanges<ClientStatus>(old.clients, now.clients);
  const feeds = listChanges<FeedStatus>(old.feeds, now.feeds);
  return {
    at: now.at,
    ...(isSame(old.readiness, now.readiness) ? {} : { readiness: now.readiness }),
    ...(isSame(old.totals, now.totals) ? {} : { totals: now.totals }),
    ...(isSame(old.workers, now.workers) ? {} : { workers: now.workers }),
    ...(isSame(old.upstreams, now.upstreams) ? {} : { upstreams: now.upstreams }),
    ...(clients === undefined ? {} : { clients }),
    ...(feeds === undefined ? {} : { feeds }),
  };
}

function listChanges<Row extends Listed>(old: readonly Row[], now: readonly Row[]): ListChanges<Row> | undefined {
  const before = new Map(old.map((row) => [row.id, row]));
  const put = now.filter((row) => {
    const was = before.get(row.id);
    before.delete(row.id);
    // All rows grow older.
    return was === undefined || !isSame({ ...was, ageSeconds: 0 }, { ...row, ageSeconds: 0 });
  });
  const gone = [...before.keys()];
  return put.length === 0 && gone.length === 0 ? undefined : { put, gone };
}

/** Whether two pieces of a status are equal. Both are made by the same code, so that their keys stand in the same order. */
function isSame(old: object, now: object): boolean {
  return JSON.stringify(old) === JSON.stringify(now);
}
