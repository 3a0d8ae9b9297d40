// Documents of RethinkDB's own feeds, read as changes of rows that have a name.

import type { Carried } from '../../../rewrite/merged-feed.ts';
import { type Datum, type DatumObject, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { ChangeDocument, FeedDocument, InitialDocument } from '../subscription/documents.ts';

/** A row, and what names it. */
interface NamedRow {
  readonly id: Datum;
  /** What is shown of it; `undefined` where that is nothing. */
  readonly shown: Datum | undefined;
}

/** Reads what a document tells, but for states and errors. `missing`: the key of the row of a point feed, where it is written out. */
export function readMerged(
  document: DatumObject,
  carried: Carried,
  missing: Datum | undefined,
): readonly FeedDocument[] {
  const old = rowIn(getField(document, 'old_val'), carried);
  const now = rowIn(getField(document, 'new_val'), carried);
  if (getField(document, 'type') === 'initial') return initial(document, now, missing);
  const offsets = { old: getField(document, 'old_offset'), now: getField(document, 'new_offset') };
  if (old !== undefined && now !== undefined && datumKey(old.id) !== datumKey(now.id)) {
    return [
      ...changeOf(old, undefined, { old: offsets.old, now: undefined }),
      ...changeOf(undefined, now, { old: undefined, now: offsets.now }),
    ];
  }
  return changeOf(old, now, offsets);
}

function initial(
  document: DatumObject,
  now: NamedRow | undefined,
  missing: Datum | undefined,
): readonly InitialDocument[] {
  const offset = getField(document, 'new_offset');
  const id = now?.id ?? missing;
  if (now !== undefined && now.shown === undefined) return [];
  return [
    {
      kind: 'initial',
      of: 'row',
      key: datumKey(id ?? null),
      group: undefined,
      now: now?.shown,
      ...(id === undefined ? {} : { id }),
      ...(offset === undefined ? {} : { offsets: { old: undefined, now: offset } }),
    },
  ];
}

type Offsets = NonNullable<ChangeDocument['offsets']>;

function changeOf(old: NamedRow | undefined, now: NamedRow | undefined, offsets: Offsets): readonly ChangeDocument[] {
  const row = now ?? old;
  // A row that moves in an order and stays as it is is told by its offsets. RethinkDB tells of no other row that stays.
  const hasMoved = offsets.old !== undefined || offsets.now !== undefined;
  if (row === undefined || (old?.shown === undefined && now?.shown === undefined)) return [];
  return [
    {
      kind: 'change',
      of: 'row',
      key: datumKey(row.id),
      group: undefined,
      id: row.id,
      old: old?.shown,
      now: now?.shown,
      ...(hasMoved ? { offsets } : {}),
    },
  ];
}

function rowIn(value: Datum | undefined, carried: Carried): NamedRow | undefined {
  if (value === undefined || value === null) return undefined;
  if (carried.kind === 'rows') {
    return isObject(value) ? { id: getField(value, carried.key) ?? null, shown: value } : undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const elements = value.at(-1);
  const shown: Datum | undefined = Array.isArray(elements) ? elements[0] : undefined;
  const [one = null, other = null] = value;
  return { id: carried.kind === 'keyed' ? one : [one, other], shown };
}
