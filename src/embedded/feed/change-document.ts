// The documents of a changefeed: changes, initial values, states. Keys are set in byte order, as the server writes them.

import type { Datum, DatumObject } from '../../../rewrite/reql/data/datum.ts';

export type ChangeType = 'add' | 'remove' | 'change' | 'initial' | 'state';

/** The places where a row stood and stands in an `orderBy.limit` feed with `include_offsets`; null for "not in the set". */
export interface Offsets {
  readonly old: number | null;
  readonly now: number | null;
}

/** The document for a change from `old` to `now`, where null means "no row"; `undefined` when there is nothing to tell. */
export function changeDocument(
  old: Datum,
  now: Datum,
  includeTypes: boolean,
  offsets?: Offsets,
): DatumObject | undefined {
  if (old === null && now === null) return undefined;
  const type: ChangeType = old === null ? 'add' : now === null ? 'remove' : 'change';
  return {
    ...(offsets === undefined ? {} : { new_offset: offsets.now }),
    new_val: now,
    ...(offsets === undefined ? {} : { old_offset: offsets.old }),
    old_val: old,
    ...(includeTypes ? { type } : {}),
  };
}

/** The document that shows a row that was there when the feed was opened. */
export function initialDocument(now: Datum, includeTypes: boolean, offset?: number): DatumObject {
  return {
    ...(offset === undefined ? {} : { new_offset: offset }),
    new_val: now,
    ...(includeTypes ? { type: 'initial' } : {}),
  };
}

/** The document that tells a state of the feed. */
export function stateDocument(state: 'initializing' | 'ready', includeTypes: boolean): DatumObject {
  return { state, ...(includeTypes ? { type: 'state' } : {}) };
}

/** The document that stands for changes a feed had no room to keep. */
export function overflowDocument(skipped: number): DatumObject {
  return { error: `Changefeed cache over array size limit, skipped ${skipped} elements.` };
}
