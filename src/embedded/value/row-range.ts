// The range of rows that a read is about, by primary key or by index, with their order; and the reading itself.

import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import { type Datum, getField, MAXVAL, MINVAL } from '../../../rewrite/reql/data/datum.ts';
import { indexBoundKey, primaryBoundKey, rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { opFailed } from '../../../rewrite/reql/error.ts';
import { ROOT } from '../../../rewrite/reql/origin.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { Place } from '../feed/limit-subscription.ts';
import { interleave, SHARDS } from '../storage/hash-shard.ts';
import { type KeyRange, successor } from '../storage/ordered-map.ts';
import type { Row } from '../storage/row.ts';
import type { SecondaryIndex } from '../storage/secondary-index.ts';

export type Sorting = 'unordered' | 'ascending' | 'descending';

export interface Bounds {
  readonly left: Datum;
  readonly leftOpen: boolean;
  readonly right: Datum;
  readonly rightOpen: boolean;
}

export const ALL_ROWS: Bounds = { left: MINVAL, leftOpen: true, right: MAXVAL, rightOpen: true };

/** Whether bounds are those of the whole table, which `between` may narrow once. */
export const isUniverse = ({ left, leftOpen, right, rightOpen }: Bounds): boolean =>
  left === MINVAL && leftOpen && right === MAXVAL && rightOpen;

/** Rows between bounds, or rows with one of some keys, each as often as the key was given. */
export type RowRange =
  | { readonly kind: 'bounds'; readonly bounds: Bounds }
  | { readonly kind: 'keys'; readonly keys: readonly (readonly [key: Datum, copies: number])[] };

/** Whether no row can be in a range; such a range is never read, whatever its bounds are. */
export function isEmptyRange(range: RowRange): boolean {
  if (range.kind === 'keys') return range.keys.length === 0;
  const { left, leftOpen, right, rightOpen } = range.bounds;
  const order = compareDatums(left, right);
  return order > 0 || (order === 0 && (leftOpen || rightOpen));
}

/** The rows of a table to read, and how. */
export interface ReadSpec {
  readonly table: TableHandle;
  /** The index to read by; absent for the primary key. */
  readonly index: string | undefined;
  readonly range: RowRange;
  readonly sorting: Sorting;
}

/** The index of a read. The server raises its absence outside of all terms. */
export function indexOf({ table, index }: ReadSpec): SecondaryIndex | undefined {
  if (index === undefined) return undefined;
  const found = table.store.index(index);
  if (found === undefined) {
    throw opFailed(`Index \`${index}\` was not found on table \`${table.displayName}\`.`, ROOT);
  }
  return found;
}

/** Bounds as a range of stored keys. Raises QUERY_LOGIC without an origin for bounds that are no keys. */
export function keyRange(bounds: Bounds, byIndex: boolean): KeyRange {
  const { left, leftOpen, right, rightOpen } = bounds;
  if (byIndex) {
    // Entries continue their key with a zero byte, and nothing else does below \x01. The server looks at the right bound
    // first.
    const high = `${indexBoundKey(right)}${rightOpen ? '\x00' : '\x01'}`;
    return { low: `${indexBoundKey(left)}${leftOpen ? '\x01' : '\x00'}`, high };
  }
  const low = primaryBoundKey(left);
  const high = primaryBoundKey(right);
  return { low: leftOpen ? successor(low) : low, high: rightOpen ? high : successor(high) };
}

/**
 * Rows of a read. An index of several values may give a row several times. `byShard`: unordered rows come shard by shard,
 * as aggregates get them, and not one of each in turn.
 */
export function* readRows(spec: ReadSpec, byShard = false): Generator<Row> {
  const { table, range, sorting } = spec;
  if (isEmptyRange(range)) return;
  const index = indexOf(spec);
  if (range.kind === 'keys') {
    yield* mix(index === undefined ? readKeys(table, range.keys) : readIndexKeys(index, range.keys), byShard);
    return;
  }
  const keys = keyRange(range.bounds, index !== undefined);
  if (index === undefined) {
    yield* sorting === 'unordered' && byShard ? table.store.byShard(keys) : table.store[sorting](keys);
  } else if (sorting === 'unordered') {
    yield* mix(
      Array.from(index.ascending(keys), ({ row }) => row),
      byShard,
    );
  } else {
    for (const { row } of index[sorting](keys)) yield row;
  }
}

/** A row with its value in the index it was read by: the primary key, where that is no index. */
export interface IndexedRow {
  readonly value: Datum;
  readonly row: Row;
}

/** Rows of a read between bounds with their index values: in the order of the index or against it, or shard by shard. */
export function* readIndexed(spec: ReadSpec): Generator<IndexedRow> {
  const { table, range, sorting } = spec;
  if (range.kind === 'keys' || isEmptyRange(range)) return;
  const index = indexOf(spec);
  const keys = keyRange(range.bounds, index !== undefined);
  if (index !== undefined) {
    yield* sorting === 'unordered'
      ? [...index.ascending(keys)].sort((a, b) => a.row.shard - b.row.shard)
      : index[sorting](keys);
    return;
  }
  const rows = sorting === 'unordered' ? table.store.byShard(keys) : table.store[sorting](keys);
  for (const row of rows) yield { value: getField(row.value, table.primaryKey) ?? null, row };
}

/** Places of an ordered read behind a sort key, for feeds that keep the first rows. */
export function* placesBehind(spec: ReadSpec, range: KeyRange, behind: string | undefined): Generator<Place> {
  const index = indexOf(spec);
  const descending = spec.sorting === 'descending';
  const rest: KeyRange =
    behind === undefined
      ? range
      : descending
        ? { low: range.low, high: behind }
        : { low: successor(behind), high: range.high };
  if (index === undefined) {
    const rows = descending ? spec.table.store.descending(rest) : spec.table.store.ascending(rest);
    for (const { key, value } of rows) yield { sortKey: key, row: value };
    return;
  }
  const entries = descending ? index.descending(rest) : index.ascending(rest);
  for (const { sortKey, row } of entries) yield { sortKey, row: row.value };
}

type Keys = readonly (readonly [key: Datum, copies: number])[];

function readKeys(table: TableHandle, keys: Keys): readonly Row[] {
  const found: Row[] = [];
  const stored = keys.map(([key, copies]) => [rowKey(key), copies] as const);
  stored.sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [key, copies] of stored) {
    const row = table.store.get(key);
    for (let copy = 0; row !== undefined && copy < copies; copy++) found.push(row);
  }
  return found;
}

function readIndexKeys(index: SecondaryIndex, keys: Keys): readonly Row[] {
  const found: Row[] = [];
  for (const [key, copies] of keys) {
    const bound = indexBoundKey(key);
    for (const { row } of index.ascending({ low: `${bound}\x00`, high: `${bound}\x01` })) {
      for (let copy = 0; copy < copies; copy++) found.push(row);
    }
  }
  return found;
}

/** Rows in the order of an unordered read. */
function mix(rows: readonly Row[], byShard: boolean): Iterable<Row> {
  if (byShard) return rows.toSorted((a, b) => a.shard - b.shard);
  const shards = Array.from({ length: SHARDS }, (): Row[] => []);
  for (const row of rows) shards[row.shard]?.push(row);
  return interleave(shards.map((shard) => shard.values()));
}
