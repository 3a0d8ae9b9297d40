// `union` with `interleave`: streams one after the other, or merged by their order, which they must already have.

import type { Datum } from '../reql/datum.ts';
import { logicError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import { type Comparison, compareKeyed, Keyed } from './sort.ts';
import { innerReader, type Reader, Stream } from './stream.ts';

interface Head {
  readonly keyed: Keyed;
  readonly stream: Stream;
}

/** Streams merged by keys; without keys, one after the other. */
export class OrderedUnionStream extends Stream {
  readonly streams: readonly Stream[];
  readonly comparisons: readonly Comparison[];
  #heads: Head[] | undefined;
  #current = 0;

  constructor(streams: readonly Stream[], comparisons: readonly Comparison[], origin: Origin | undefined) {
    super(origin);
    this.streams = streams;
    this.comparisons = comparisons;
  }

  override get isArray(): boolean {
    return this.streams.every((stream) => stream.isArray);
  }

  override get infinite(): boolean {
    return this.streams.some((stream) => stream.infinite);
  }

  override exhausted(): boolean {
    if (this.comparisons.length === 0) return this.#current >= this.streams.length;
    return this.#heads?.length === 0;
  }

  next(reader: Reader): Datum | undefined {
    return this.raw(reader, this.origin);
  }

  override raw(outer: Reader, at: Origin | undefined): Datum | undefined {
    const reader = innerReader(outer);
    if (this.infinite && reader !== 'client') {
      throw logicError('Cannot use an infinite stream with an ordered `union`.', at);
    }
    return this.comparisons.length === 0 ? this.#nextInTurn(reader) : this.#nextInOrder(reader, at);
  }

  #nextInTurn(reader: Reader): Datum | undefined {
    for (; ; this.#current += 1) {
      const stream = this.streams[this.#current];
      const element = stream?.next(reader);
      if (stream === undefined || element !== undefined) return element;
    }
  }

  #nextInOrder(reader: Reader, at: Origin | undefined): Datum | undefined {
    this.#heads ??= this.#firstHeads(reader);
    const least = this.#takeLeast(this.#heads);
    if (least === undefined) return undefined;
    const element = least.stream.next(reader);
    if (element !== undefined) {
      const keyed = new Keyed(element);
      if (compareKeyed(keyed, least.keyed, this.comparisons) < 0) {
        throw logicError('The streams given as arguments are not ordered by given ordering.', at);
      }
      this.#heads.push({ keyed, stream: least.stream });
    }
    return least.keyed.element;
  }

  #firstHeads(reader: Reader): Head[] {
    const heads: Head[] = [];
    for (const stream of this.streams) {
      const element = stream.next(reader);
      if (element !== undefined) heads.push({ keyed: new Keyed(element), stream });
    }
    return heads;
  }

  #takeLeast(heads: Head[]): Head | undefined {
    let least: Head | undefined;
    for (const head of heads) {
      if (least === undefined || compareKeyed(head.keyed, least.keyed, this.comparisons) < 0) least = head;
    }
    if (least !== undefined) heads.splice(heads.indexOf(least), 1);
    return least;
  }
}
