// @ts-check
// The status as the stream of events keeps it up to date.

/** @import { Status } from '../status.ts' */
/** @import { ListChanges, StatusChanges } from '../routes.ts' */

/**
 * The status after changes.
 * @param {Status} status
 * @param {StatusChanges} changes
 * @returns {Status}
 */
export function applyChanges(status, { clients, feeds, ...rest }) {
  return {
    ...status,
    ...rest,
    clients: applyToList(status.clients, clients),
    feeds: applyToList(status.feeds, feeds),
  };
}

/**
 * @template {{ readonly id: string }} Row
 * @param {readonly Row[]} rows
 * @param {ListChanges<Row> | undefined} changes
 * @returns {readonly Row[]}
 */
function applyToList(rows, changes) {
  if (changes === undefined) return rows;
  const now = new Map(rows.map((row) => [row.id, row]));
  for (const id of changes.gone) now.delete(id);
  for (const row of changes.put) now.set(row.id, row);
  return [...now.values()];
}
