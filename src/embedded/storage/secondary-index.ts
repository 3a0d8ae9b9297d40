// A secondary index: entries in the order of their keys, each pointing at its row. Callers owe a mapping that is a
// deterministic ReQL function compiled once; an error it raises keeps the row out of the index, as in RethinkDB.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { secondaryKey } from '../../../rewrite/reql/data/store-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { ALL_KEYS, type KeyRange, OrderedMap } from './ordered-map.ts';
import type { Row } from './row.ts';

/** The definition that `indexCreate` was given. */
export interface IndexDefinition {
  readonly mapping: (row: Datum) => Datum;
  readonly multi: boolean;
  /** The text of its function, which `indexStatus` shows in a query. */
  readonly text: string;
  /** The bytes that `indexStatus` shows under `function`, in base64. */
  readonly blob: string;
}

/** A place of a row in an index. */
export interface IndexEntry {
  /** The index key as sortable bytes, without the row's own key. */
  readonly secondary: string;
  /** The index key as the function gave it. */
  readonly value: Datum;
  /** Where the entry stands in the index. */
  readonly sortKey: string;
  readonly row: Row;
}

const NO_ENTRIES: readonly IndexEntry[] = [];

export class SecondaryIndex {
  readonly definition: IndexDefinition;
  readonly #entries = new OrderedMap<IndexEntry>();
  readonly #entriesOfRow = new Map<string, readonly IndexEntry[]>();

  constructor(definition: IndexDefinition) {
    this.definition = definition;
  }

  /** Replaces the entries of one row; gives the entries before and after. */
  update(
    key: string,
    row: Row | undefined,
  ): { readonly old: readonly IndexEntry[]; readonly now: readonly IndexEntry[] } {
    const old = this.#entriesOfRow.get(key) ?? NO_ENTRIES;
    const now = row === undefined ? NO_ENTRIES : this.entriesOf(row);
    for (const entry of old) this.#entries.delete(entry.sortKey);
    for (const entry of now) this.#entries.set(entry.sortKey, entry);
    if (now.length > 0) this.#entriesOfRow.set(key, now);
    else this.#entriesOfRow.delete(key);
    return { old, now };
  }

  /** The entries a row has, or would have. */
  entriesOf(row: Row): readonly IndexEntry[] {
    const value = this.#map(row.value);
    if (value === undefined) return NO_ENTRIES;
    if (this.definition.multi && Array.isArray(value)) {
      const items: readonly Datum[] = value;
      return items.flatMap((item, position) => entry(row, item, String.fromCharCode(position)) ?? []);
    }
    const single = entry(row, value, '');
    return single === undefined ? NO_ENTRIES : [single];
  }

  /** Entries of a range in the order of their keys. */
  ascending(range: KeyRange = ALL_KEYS): Generator<IndexEntry> {
    return this.#entries.ascending(range);
  }

  descending(range: KeyRange = ALL_KEYS): Generator<IndexEntry> {
    return this.#entries.descending(range);
  }

  #map(row: Datum): Datum | undefined {
    try {
      return this.definition.mapping(row);
    } catch (error) {
      if (error instanceof ReqlError) return undefined;
      throw error;
    }
  }
}

function entry(row: Row, value: Datum, tag: string): IndexEntry | undefined {
  const secondary = secondaryKey(value);
  if (typeof secondary !== 'string') return undefined;
  return { secondary, value, sortKey: `${secondary}\x00${row.key}\x00${tag}`, row };
}
