// The order in which the server gets through the rows of one write: batch by batch, and in each batch shard by shard
// (real_table.cc, split). It shows in the order of `changes` and in which error is the first.

import { hashShard } from '../storage/hash-shard.ts';

const BATCH = 128;

/** Items in the server's order; `key` gives the stored key of an item's row. */
export function* shardBatches<Item>(items: readonly Item[], key: (item: Item) => string): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; ) {
    const left = items.length - at;
    const size = left <= BATCH ? left : left < 2 * BATCH ? Math.floor(left / 2) : BATCH;
    const batch = items.slice(at, at + size);
    yield batch.length === 1 ? batch : byShard(batch, key);
    at += size;
  }
}

function byShard<Item>(items: readonly Item[], key: (item: Item) => string): readonly Item[] {
  return items
    .map((item) => ({ item, shard: hashShard(key(item)) }))
    .sort((a, b) => a.shard - b.shard)
    .map(({ item }) => item);
}
