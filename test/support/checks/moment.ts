// The value of a query at a moment, and whether a feed shows values of moments that were.

import type { Query } from '../reql.ts';
import type { Connection } from '../servers/drivers.ts';
import { DriverError } from './driver-error.ts';
import { isSame, type Shows } from './feed-state.ts';
import { WHOLE } from './value-now.ts';

/** What a query gives at a moment: a value, null where there is none (NON_EXISTENCE), or any other error. */
export type Moment =
  | { readonly failed: false; readonly value: unknown }
  | { readonly failed: true; readonly error: DriverError };

/** What a query gives now. */
export async function momentOf(connection: Connection, query: Query): Promise<Moment> {
  try {
    return { failed: false, value: await connection.run(query, WHOLE) };
  } catch (error) {
    if (!(error instanceof DriverError)) throw error;
    return error.kind === 'NON_EXISTENCE' ? { failed: false, value: null } : { failed: true, error };
  }
}

/** Whether two values are the same to ReQL, whatever the order of their lists. */
export function isSameUnordered(a: unknown, b: unknown): boolean {
  return isSame(sorted(a), sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => ({ item: sorted(item), text: JSON.stringify(sorted(item)) }));
    return items.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)).map(({ item }) => item);
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)]),
  );
}

/**
 * The first document that shows what was at no moment: a value, a group with its value, or a row. Those documents that tell that
 * something is gone show nothing.
 */
export function neverWas(
  documents: readonly unknown[],
  shows: Shows,
  moments: readonly unknown[],
  same: (a: unknown, b: unknown) => boolean = isSame,
): unknown {
  // A `default` over groups may stand for all of them.
  const values = shows === 'value' ? moments : moments.flatMap((moment) => (Array.isArray(moment) ? moment : [moment]));
  return documents.find((document) => {
    const shown = shownBy(document, shows);
    return shown !== undefined && !values.some((value) => same(value, shown));
  });
}

/** What a document shows; `undefined` where it shows nothing. */
function shownBy(document: unknown, shows: Shows): unknown {
  if (!isDocument(document) || !('new_val' in document)) return undefined;
  const { new_val: value } = document;
  if (shows === 'value') return value;
  if (value === null) return undefined;
  return shows === 'rows' || !('group' in document) ? value : { group: document.group, reduction: value };
}

interface Document {
  readonly group?: unknown;
  readonly new_val?: unknown;
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null;
}
