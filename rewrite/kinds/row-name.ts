// The name of a watched row, by which all changes of one row can be told as changes of one thing: a group, the row itself where
// it is there once, the primary keys of what it is made of where it shows them, or, of rows that are known by their value alone, the
// value and which of its copies it is.

import type { Elements, Live, Part, Source } from '../live.ts';
import { type KeyPlaces, keyPlaces } from './key-places.ts';
import type { KindName } from './kind.ts';

/** The kind of name that the rows of a feed have; `keys`: the primary keys that they show, by which rows are there once. */
export type RowName = 'itself' | 'group' | 'copy' | { readonly keys: KeyPlaces };

/** The kind of name that the rows of a live query have. */
export function rowNameOf({ watched, changes, sources }: Pick<Live, 'watched' | 'changes' | 'sources'>): RowName {
  const name = ownName(watched);
  if (name !== 'copy' || repeatsRows(watched, sources)) return name;
  const keys = keyPlaces(changes.args[0]);
  return keys === undefined ? name : { keys };
}

/** The kind of name that rows have by themselves. A part of an order has the rows of what is ordered. */
function ownName(watched: Live['watched']): Exclude<RowName, object> {
  if (watched.kind !== 'top') return names[watched.kind];
  const kinds = new Set(watched.of.parts.map((part) => (part.kind === 'rows' ? names[part.rows.kind] : 'copy')));
  const [only = 'copy'] = kinds;
  return kinds.size === 1 ? only : 'copy';
}

/** By kind; of what is no rows, what it would be of one. */
const names: { readonly [Name in KindName]: Exclude<RowName, object> } = {
  aggregate: 'itself',
  expression: 'itself',
  reduced: 'itself',
  grouped: 'group',
  ungroup: 'group',
  distinct: 'itself',
  top: 'copy',
  flat: 'copy',
  listed: 'copy',
};

/** Whether a row of a table can be there several times: its index has it under one key more than once, or a key is named twice. */
function repeatsRows(watched: Live['watched'], sources: readonly Source[]): boolean {
  switch (watched.kind) {
    case 'top':
    case 'listed':
      return repeatsIn(watched.of, sources);
    // No rows of a table, or items of one list.
    case 'aggregate':
    case 'expression':
    case 'reduced':
    case 'grouped':
    case 'ungroup':
    case 'distinct':
    case 'flat':
      return false;
  }
}

function repeatsIn({ parts }: Elements, sources: readonly Source[]): boolean {
  return parts.some((part) => repeats(part, sources));
}

function repeats(part: Part, sources: readonly Source[]): boolean {
  switch (part.kind) {
    case 'source':
      return part.repeats === true || sources[part.source]?.repeats === true;
    case 'join':
      if (part.join.kind === 'lookups') return repeatsIn(part.join.left, sources);
      return part.join.repeats || repeatsIn(part.join.left, sources) || repeatsIn(part.join.right, sources);
    case 'rows':
      return repeatsRows(part.rows, sources);
    case 'group':
    case 'failing':
    case 'incomparable':
      return false;
  }
}
