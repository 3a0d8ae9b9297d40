// Streams made by functions over other streams: `map` over several, `offsetsOf`, `fold` with `emit`.

import { asArray } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { logicError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import type { Func } from '../core/func.ts';
import { passes } from '../terms/element.ts';
import { Batch, type BatchSpec, NORMAL } from './batch.ts';
import { DerivedStream, INFINITE, PENDING, Stream } from './stream.ts';

/** The elements of several streams side by side, as long as each has one, through a function. */
export class MapStream extends Stream {
  readonly streams: readonly Stream[];
  readonly func: Func;
  // Per stream, what has been read of it and not been used yet.
  readonly #waiting: Datum[][];
  #elements: Datum[] = [];

  constructor(streams: readonly Stream[], func: Func, origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.streams = streams;
    this.func = func;
    this.#waiting = streams.map(() => []);
  }

  override get isArray(): boolean {
    return this.streams.every((stream) => stream.isArray);
  }

  override get infinite(): boolean {
    return this.streams.every((stream) => stream.infinite);
  }

  override get feed(): boolean {
    return this.streams.some((stream) => stream.feed);
  }

  override get delay(): number {
    return this.streams.reduce((sum, { delay }, index) => (this.#waiting[index]?.length === 0 ? sum + delay : sum), 0);
  }

  override exhausted(): boolean {
    return this.given && this.#ended();
  }

  override batch(spec: BatchSpec, at: Origin | undefined): readonly Datum[] {
    const terminal = spec.kind === 'terminal';
    if (this.infinite && terminal) throw logicError(INFINITE, at);
    const inner = terminal ? NORMAL : spec;
    const made = new Batch(spec, this.meter);
    while (!made.full && !this.#ended()) {
      const elements = this.#side(inner, made.elements.length > 0);
      if (elements === undefined) break;
      made.add(this.func.datum(elements));
    }
    return made.elements;
  }

  #ended(): boolean {
    return this.streams.some((stream, index) => stream.exhausted() && this.#waiting[index]?.length === 0);
  }

  /** An element of each stream; `undefined` where one has none, or has none yet and there is something to give. */
  #side(spec: BatchSpec, some: boolean): readonly Datum[] | undefined {
    this.meter.spend(this.streams.length);
    for (const [index, stream] of this.streams.entries()) {
      if (index < this.#elements.length) continue;
      const waiting = this.#waiting[index] ?? [];
      if (waiting.length === 0) {
        const read = readOrPending(stream, spec);
        if (read === PENDING && !some) throw PENDING;
        if (read === PENDING || read.length === 0) return undefined;
        // Taken from the end.
        for (const element of read.toReversed()) waiting.push(element);
      }
      const element = waiting.pop();
      if (element !== undefined) this.#elements.push(element);
    }
    const elements = this.#elements;
    this.#elements = [];
    return elements;
  }
}

function readOrPending(stream: Stream, spec: BatchSpec): readonly Datum[] | typeof PENDING {
  try {
    return stream.nextBatch(spec);
  } catch (thrown) {
    if (thrown === PENDING) return PENDING;
    throw thrown;
  }
}

/** The places of the elements that a function accepts. */
export class OffsetsStream extends DerivedStream {
  readonly func: Func;
  #index = -1;

  constructor(source: Stream, func: Func) {
    super(source, source.origin);
    this.func = func;
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    const found: Datum[] = [];
    while (found.length === 0) {
      const elements = this.source.nextBatch(spec);
      if (elements.length === 0) break;
      for (const element of elements) {
        this.#index += 1;
        if (passes(this.func, element)) found.push(this.#index);
      }
    }
    return found;
  }
}

/** The parts of a `fold`. */
export interface FoldParts {
  readonly base: Datum;
  /** (acc, row) => acc */
  readonly step: Func;
  /** (acc, row, new acc) => array of what to emit */
  readonly emit: Func;
  /** (acc) => array of what to emit at the end */
  readonly finalEmit: Func | undefined;
}

/** `fold` with `emit`: a stream of what is emitted while the accumulator goes along. */
export class FoldStream extends DerivedStream {
  readonly parts: FoldParts;
  #acc: Datum;
  #finalEmit: Func | undefined;

  constructor(source: Stream, parts: FoldParts, origin: Origin | undefined) {
    super(source, origin);
    this.parts = parts;
    this.#acc = parts.base;
    this.#finalEmit = parts.finalEmit;
  }

  override batch(spec: BatchSpec, at: Origin | undefined): readonly Datum[] {
    if (this.infinite && spec.kind === 'terminal') throw logicError(INFINITE, at);
    const emitted: Datum[] = [];
    while (emitted.length === 0 && !this.source.exhausted()) {
      for (const row of this.source.nextBatch(spec)) this.#step(row, emitted);
    }
    if (this.#finalEmit !== undefined && this.source.exhausted()) {
      for (const element of asArray(this.#finalEmit.datum1(this.#acc))) emitted.push(element);
      this.#finalEmit = undefined;
    }
    return emitted;
  }

  #step(row: Datum, emitted: Datum[]): void {
    const acc = this.parts.step.datum2(this.#acc, row);
    const shown = asArray(this.parts.emit.datum([this.#acc, row, acc]));
    this.meter.spend(shown.length / 4);
    for (const element of shown) emitted.push(element);
    this.#acc = acc;
  }
}
