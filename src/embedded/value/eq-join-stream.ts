// `eqJoin`: rows of a table for the elements of a stream, found by index, a batch of elements at a time as in the server
// (datum_stream.cc, eq_join_datum_stream_t).

import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { rowKey } from '../../../rewrite/reql/data/key-error.ts';
import { secondaryBound } from '../../../rewrite/reql/data/store-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { EqJoin } from '../../../rewrite/reql/eval/core/value.ts';
import { atMost, Batch, type BatchSpec, TERMINAL } from '../../../rewrite/reql/eval/streams/batch.ts';
import { PENDING, Stream } from '../../../rewrite/reql/eval/streams/stream.ts';
import type { Meter } from '../../../rewrite/reql/meter.ts';
import type { Origin } from '../../../rewrite/reql/origin.ts';
import { ErrorType } from '../../../rewrite/reql/protocol.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import { interleave, SHARDS } from '../storage/hash-shard.ts';
import type { Row } from '../storage/row.ts';
import { indexOf, type ReadSpec, readRows } from './row-range.ts';

export class EqJoinStream extends Stream {
  readonly source: Stream;
  readonly #join: EqJoin;
  readonly #table: TableHandle;

  constructor(join: EqJoin, table: TableHandle, origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.source = join.left;
    this.#join = join;
    this.#table = table;
  }

  override get isArray(): boolean {
    return this.source.isArray;
  }

  override get infinite(): boolean {
    return this.source.infinite;
  }

  override get feed(): boolean {
    return this.source.feed;
  }

  override exhausted(): boolean {
    return this.given && this.source.exhausted();
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    const made = new Batch(spec, this.meter);
    const inner = this.#join.ordered ? atMost(TERMINAL, 1) : spec;
    try {
      while (!made.full) {
        const elements = this.source.nextBatch(inner);
        if (elements.length === 0) break;
        for (const joined of this.#joinBatch(elements)) made.add(joined);
      }
    } catch (thrown) {
      if (thrown !== PENDING || made.elements.length === 0) throw thrown;
    }
    return made.elements;
  }

  #joinBatch(elements: readonly Datum[]): Datum[] {
    const { key, index } = this.#join;
    const byKey = new Map<string, { readonly key: Datum; readonly elements: Datum[] }>();
    for (const element of elements) {
      const value = keyOf(() => key.datum([element]));
      if (value === undefined || value === null) continue;
      const stored = index === this.#table.primaryKey ? rowKey(value) : String(secondaryBound(value));
      const known = byKey.get(stored);
      if (known === undefined) byKey.set(stored, { key: value, elements: [element] });
      else known.elements.push(element);
    }
    const made: Datum[] = [];
    for (const { row, key: found } of this.#rows([...byKey.values()].map(({ key: value }) => value))) {
      for (const left of byKey.get(found)?.elements ?? []) made.push({ left, right: row.value });
    }
    return made;
  }

  /** The rows of the keys with the key each was found by; the server takes what it has read from the end. */
  #rows(keys: readonly Datum[]): readonly { readonly row: Row; readonly key: string }[] {
    const { index } = this.#join;
    const byPrimaryKey = index === this.#table.primaryKey;
    const sorted = keys.toSorted(compareDatums);
    const spec: ReadSpec = {
      table: this.#table,
      index: byPrimaryKey ? undefined : index,
      range: { kind: 'keys', keys: sorted.map((key) => [key, 1] as const) },
      sorting: 'unordered',
    };
    if (byPrimaryKey) return [...readRows(spec)].map((row) => ({ row, key: row.key })).reverse();
    indexOf(spec);
    const found = sorted.flatMap((key) => {
      const one: ReadSpec = { ...spec, range: { kind: 'keys', keys: [[key, 1]] } };
      return [...readRows(one)].map((row) => ({ row, key: String(secondaryBound(key)) }));
    });
    const shards = Array.from({ length: SHARDS }, (_, shard) =>
      found.filter(({ row }) => row.shard === shard).values(),
    );
    return [...interleave(shards)].reverse();
  }
}

/** A key, or `undefined` where the element has none. */
function keyOf(find: () => Datum): Datum | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof ReqlError && error.errorType === ErrorType.NON_EXISTENCE) return undefined;
    throw error;
  }
}
