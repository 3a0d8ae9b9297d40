// `union` with `interleave`: streams one after the other, or merged by their order, which they must already have.

import type { Datum } from '../../data/datum.ts';
import { logicError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { Heap } from '../sorting/heap.ts';
import { type Comparison, compareKeyed, Keyed } from '../sorting/sort.ts';
import { Batch, type BatchSpec } from './batch.ts';
import { PENDING, Stream } from './stream.ts';

interface Head {
  readonly keyed: Keyed;
  readonly stream: Stream;
}

/** Streams merged by keys; without keys, one after the other. */
export class OrderedUnionStream extends Stream {
  readonly streams: readonly Stream[];
  readonly comparisons: readonly Comparison[];
  readonly #heads: Heap<Head>;
  // How many streams have given their first element, or, without keys, all of them.
  #current = 0;

  constructor(
    streams: readonly Stream[],
    comparisons: readonly Comparison[],
    origin: Origin | undefined,
    meter: Meter,
  ) {
    super(origin, meter);
    this.streams = streams;
    this.comparisons = comparisons;
    this.#heads = new Heap((a, b) => compareKeyed(a.keyed, b.keyed, comparisons, meter) < 0);
  }

  override get isArray(): boolean {
    return this.streams.every((stream) => stream.isArray);
  }

  override get infinite(): boolean {
    return this.streams.some((stream) => stream.infinite);
  }

  override get feed(): boolean {
    return this.streams.some((stream) => stream.feed);
  }

  override get delay(): number {
    if (this.comparisons.length === 0) return this.streams[this.#current]?.delay ?? 0;
    return this.streams.reduce((sum, { delay }) => sum + delay, 0);
  }

  override exhausted(): boolean {
    const begun = this.#current >= this.streams.length;
    return begun && (this.comparisons.length === 0 || this.#heads.size === 0) && this.given;
  }

  override batch(spec: BatchSpec, at: Origin | undefined): readonly Datum[] {
    if (this.infinite && spec.kind === 'terminal') {
      throw logicError('Cannot use an infinite stream with an ordered `union`.', at);
    }
    const made = new Batch(spec, this.meter);
    try {
      while (!made.full) {
        const element = this.comparisons.length === 0 ? this.#nextInTurn(spec) : this.#nextInOrder(spec, at);
        if (element === undefined) break;
        made.add(element);
      }
    } catch (thrown) {
      if (thrown !== PENDING || made.elements.length === 0) throw thrown;
    }
    return made.elements;
  }

  #nextInTurn(spec: BatchSpec): Datum | undefined {
    for (; ; this.#current += 1) {
      const stream = this.streams[this.#current];
      const element = stream?.next(spec);
      if (stream === undefined || element !== undefined) return element;
    }
  }

  #nextInOrder(spec: BatchSpec, at: Origin | undefined): Datum | undefined {
    for (; this.#current < this.streams.length; this.#current += 1) {
      const stream = this.streams[this.#current];
      const element = stream?.next(spec);
      if (stream !== undefined && element !== undefined) this.#heads.push({ keyed: new Keyed(element), stream });
    }
    const least = this.#heads.top;
    if (least === undefined) return undefined;
    const { feed } = least.stream;
    // A feed may have nothing yet: then nothing has happened.
    const early = feed ? least.stream.next(spec) : undefined;
    this.#heads.pop();
    this.#follow(least, feed ? early : least.stream.next(spec), at);
    return least.keyed.element;
  }

  #follow(least: Head, element: Datum | undefined, at: Origin | undefined): void {
    if (element === undefined) return;
    const keyed = new Keyed(element);
    if (compareKeyed(keyed, least.keyed, this.comparisons, this.meter) < 0) {
      throw logicError('The streams given as arguments are not ordered by given ordering.', at);
    }
    this.#heads.push({ keyed, stream: least.stream });
  }
}
