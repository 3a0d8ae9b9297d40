// Places of entries that stand side by side in arrays: where an entry stands or belongs, and making room for it.

import type { Datum } from '../../reql/data/datum.ts';

/** Compares two keys, or two rows: negative, zero or positive. */
export type CompareKeys = (a: Datum, b: Datum) => number;

/**
 * A number for a key, so that of two keys the one with the lesser number comes before the other, and those of equal numbers have to
 * be compared. NaN for a key that has none.
 */
export type WeighKey = (key: Datum) => number;

/** In which order entries stand. */
export interface Order {
  readonly hasRows: boolean;
  readonly compareKeys: CompareKeys;
  readonly compareRows: CompareKeys;
  readonly weighKey: WeighKey;
}

/** Compares two entries by key and row: negative, zero or positive. */
export function compareEntries(
  { hasRows, compareKeys, compareRows }: Order,
  keyA: Datum = null,
  rowA: Datum = null,
  keyB: Datum = null,
  rowB: Datum = null,
): number {
  const order = compareKeys(keyA, keyB);
  return order === 0 && hasRows ? compareRows(rowA, rowB) : order;
}

/** The place of an entry among others in order, the first that is not before it; negative, `~place`, where it is not there. */
export function find(
  { compareKeys, compareRows }: Order,
  keys: readonly Datum[],
  rows: readonly Datum[] | undefined,
  key: Datum,
  row: Datum,
): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    let order = compareKeys(keys[middle] ?? null, key);
    if (order === 0 && rows !== undefined) order = compareRows(rows[middle] ?? null, row);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return ~low;
}

/** The sum of counts, of the first `end` of them if given. */
export function sumOf(counts: readonly number[], end: number = counts.length): number {
  let sum = 0;
  for (let i = 0; i < end; i++) sum += counts[i] ?? 0;
  return sum;
}

/** Puts an item at a place. `splice` makes an array of what it takes out, which here is nothing or one. */
export function insert<Item>(items: Item[], at: number, item: Item): void {
  items.push(item);
  for (let i = items.length - 1; i > at; i--) items[i] = items[i - 1] as Item;
  items[at] = item;
}

/** Takes the item at a place away. */
export function remove<Item>(items: Item[], at: number): void {
  for (let i = at + 1; i < items.length; i++) items[i - 1] = items[i] as Item;
  items.pop();
}
