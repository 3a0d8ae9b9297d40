// The hash shard, of a table's eight, that a row lives in. RethinkDB keeps every shard in key order and reads an unordered
// table from all of them in turn; doing the same gives the same order of rows.

/** The number of hash shards of a table (CPU_SHARDING_FACTOR). */
export const SHARDS = 8;

/** The shard of a primary key, from 0 to 7 (hash_region.cc); all arithmetic is on 64 bits, kept as two halves. */
export function hashShard(key: string): number {
  let high = 0x47a59e38;
  let low = 0x1fb2dc06;
  for (let index = 0; index < key.length; index++) {
    const spread = spreadOf(key.charCodeAt(index));
    const sum = low + spread.low;
    high = (high + spread.high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    low = sum >>> 0;
    const rightHigh = high >>> 11;
    const rightLow = ((low >>> 11) | (high << 21)) >>> 0;
    const leftHigh = ((high << 21) | (low >>> 11)) >>> 0;
    const leftLow = (low << 21) >>> 0;
    high = (high ^ rightHigh ^ leftHigh) >>> 0;
    low = (low ^ rightLow ^ leftLow) >>> 0;
  }
  return (high & 0x7fffffff) >>> 28;
}

interface Halves {
  readonly high: number;
  readonly low: number;
}

// Reverses the bits of a byte into bits 62 to 55, with what the multiplications leave around them.
const spreads: readonly Halves[] = Array.from({ length: 256 }, (_, byte) => {
  const mask = (1n << 64n) - 1n;
  const mixed = (((BigInt(byte) * 0x80200802n) & 0x0884422110n) * 0x0101010101n) & mask;
  const shifted = (mixed << 23n) & mask;
  return { high: Number(shifted >> 32n), low: Number(shifted & 0xffffffffn) };
});

const NO_SPREAD: Halves = { high: 0, low: 0 };

function spreadOf(byte: number): Halves {
  return spreads[byte] ?? NO_SPREAD;
}

/** Rows of several shards, each in its own order, the way the server mixes them (datum_stream.cc, unshard). */
export function* interleave<Item>(shards: readonly Iterator<Item>[]): Generator<Item> {
  const active = shards.flatMap((shard) => {
    const first = shard.next();
    return first.done === true ? [] : [{ shard, next: first.value as Item | undefined }];
  });
  while (active.length > 0) {
    for (let at = 0; at < active.length; at++) {
      const current = active[at];
      if (current?.next !== undefined) {
        const item = current.next;
        const { done, value } = current.shard.next();
        current.next = done === true ? undefined : value;
        yield item;
        continue;
      }
      // The last one takes the place of the empty one, and its turn is skipped.
      const last = active.pop();
      if (last !== undefined && at < active.length) active[at] = last;
    }
  }
}
