// The rows of one table with its indexes. Every write goes through `put`, which tells the table's one listener what
// changed, so that feeds see writes in the order in which they happened.

import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import { hashShard, interleave, SHARDS } from './hash-shard.ts';
import { ALL_KEYS, type KeyRange, OrderedMap } from './ordered-map.ts';
import type { Row } from './row.ts';
import { type IndexDefinition, type IndexEntry, SecondaryIndex } from './secondary-index.ts';

/** A write to one row. */
export interface RowChange {
  readonly key: string;
  readonly old: Row | undefined;
  readonly now: Row | undefined;
  /** By the name of the index: the entries the row had and has. */
  readonly entries: ReadonlyMap<string, EntriesChange>;
}

export interface EntriesChange {
  readonly index: SecondaryIndex;
  readonly old: readonly IndexEntry[];
  readonly now: readonly IndexEntry[];
}

/** Told about every change to a table, synchronously, right after it is done. */
export interface TableListener {
  changed(change: RowChange): void;
  /** An index was made of the rows that there are, of which there is one at least. */
  indexBuilt(name: string, index: SecondaryIndex): void;
}

export class TableStore {
  readonly primaryKey: string;
  readonly #rows = new Map<string, Row>();
  readonly #ordered = new OrderedMap<Row>();
  readonly #shards = Array.from({ length: SHARDS }, () => new OrderedMap<Row>());
  readonly #indexes = new Map<string, SecondaryIndex>();
  #listener: TableListener | undefined;

  constructor(primaryKey: string) {
    this.primaryKey = primaryKey;
  }

  listen(listener: TableListener): void {
    this.#listener = listener;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Stores, replaces or (without a value) deletes the row of a key. */
  put(key: string, value: DatumObject | undefined): void {
    const old = this.#rows.get(key);
    const shard = old?.shard ?? hashShard(key);
    const now = value === undefined ? undefined : { key, value, shard };
    if (now === undefined) {
      this.#rows.delete(key);
      this.#ordered.delete(key);
      this.#shards[shard]?.delete(key);
    } else {
      this.#rows.set(key, now);
      this.#ordered.set(key, now);
      this.#shards[shard]?.set(key, now);
    }
    const entries = new Map<string, EntriesChange>();
    for (const [name, index] of this.#indexes) entries.set(name, { index, ...index.update(key, now) });
    this.#listener?.changed({ key, old, now, entries });
  }

  /** Rows of a range of primary keys in the order of an unordered read: one of each shard in turn, shards in key order. */
  unordered(range: KeyRange = ALL_KEYS): Generator<Row> {
    return interleave(this.#shards.map((shard) => shard.ascending(range)));
  }

  /** Rows of a range of primary keys, one shard after the other: the order in which aggregates get them. */
  *byShard(range: KeyRange = ALL_KEYS): Generator<Row> {
    for (const shard of this.#shards) yield* shard.ascending(range);
  }

  ascending(range: KeyRange = ALL_KEYS): Generator<Row> {
    return this.#ordered.ascending(range);
  }

  descending(range: KeyRange = ALL_KEYS): Generator<Row> {
    return this.#ordered.descending(range);
  }

  index(name: string): SecondaryIndex | undefined {
    return this.#indexes.get(name);
  }

  /** Index names in byte order. */
  get indexNames(): readonly string[] {
    return [...this.#indexes.keys()].sort();
  }

  createIndex(name: string, definition: IndexDefinition): void {
    const index = new SecondaryIndex(definition);
    for (const row of this.#ordered.ascending(ALL_KEYS)) index.update(row.key, row);
    this.#indexes.set(name, index);
    if (this.size > 0) this.#listener?.indexBuilt(name, index);
  }

  dropIndex(name: string): boolean {
    return this.#indexes.delete(name);
  }

  /** Gives an index another name; an index that had that name is gone. */
  renameIndex(from: string, to: string): void {
    const index = this.#indexes.get(from);
    if (index === undefined || from === to) return;
    this.#indexes.delete(from);
    this.#indexes.set(to, index);
  }
}
