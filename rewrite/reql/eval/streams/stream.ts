// Sequences read batch by batch. A stream is read once, by one reader; what is built on a stream owns it.

import type { Datum } from '../../data/datum.ts';
import type { Meter } from '../../meter.ts';
import { type Origin, ROOT } from '../../origin.ts';
import { bind, bound } from '../core/bind.ts';
import { NonDatum } from '../core/value.ts';
import { type BatchSpec, capacity, TERMINAL } from './batch.ts';
import type { Transform } from './transform.ts';

/** The text for reading an infinite stream to its end. */
export const INFINITE =
  'Cannot use an infinite stream with an aggregation function (`reduce`, `count`, etc.) or coerce it to an array.';

/** Raised out of a stream that has nothing to give yet, and may have later; no error, and never seen by a client. */
export const PENDING: unique symbol = Symbol('pending');

/** Is given the elements of one batch. */
export type Visit = (elements: readonly Datum[]) => void;

/** Elements that are handed on in about the time of one step. */
const PER_STEP = 4;

/** A lazy sequence. Derived classes give `batch`; those over a feed or a table come from elsewhere. */
export abstract class Stream extends NonDatum {
  readonly type = 'SEQUENCE';
  /** The term that errors about the stream itself point to. */
  readonly origin: Origin | undefined;
  /** Counts what is read. */
  readonly meter: Meter;
  // Elements of a batch that `next` has not given yet.
  #cache: readonly Datum[] = [];
  #at = 0;

  constructor(origin: Origin | undefined, meter: Meter) {
    super();
    this.origin = origin;
    this.meter = meter;
  }

  get typeOf(): string {
    return this.grouped ? 'GROUPED_STREAM' : 'STREAM';
  }

  /** Whether the stream is an array in disguise; such a stream becomes an array as soon as a term returns it. */
  get isArray(): boolean {
    return false;
  }

  /** Whether the stream has no end. */
  get infinite(): boolean {
    return false;
  }

  /** Whether the elements are in groups; such a stream has no batches. */
  get grouped(): boolean {
    return false;
  }

  /** Whether a changefeed is in it, which gives what it has and is not waited for. */
  get feed(): boolean {
    return false;
  }

  /**
   * Whether elements pass through transformations one by one, where a batch ends means nothing, and errors about elements
   * point to the whole query: rows of a table, which the server reads elsewhere.
   */
  get piecemeal(): boolean {
    return false;
  }

  /** How many turns of a union the next batch takes: none, unless a union is in the stream. */
  get delay(): number {
    return 0;
  }

  /** Whether it is known that there is nothing more. */
  exhausted(): boolean {
    return false;
  }

  /** Whether all that was read has been given. */
  protected get given(): boolean {
    return this.#at >= this.#cache.length;
  }

  /**
   * The next batch; empty at the end. Errors of the elements' functions carry their own origins, those about data that
   * arise in the stream itself are left without one, and those about the stream point to `at`.
   */
  abstract batch(spec: BatchSpec, at: Origin | undefined): readonly Datum[];

  /** The next batch, all errors with an origin; empty at the end. */
  nextBatch(spec: BatchSpec): readonly Datum[] {
    try {
      const elements = this.batch(spec, this.origin);
      this.meter.spend(1 + elements.length / PER_STEP);
      return elements;
    } catch (error) {
      throw bound(error, this.origin);
    }
  }

  /** The next element; `undefined` at the end. */
  next(spec: BatchSpec): Datum | undefined {
    if (this.given) {
      this.#cache = this.nextBatch(spec);
      this.#at = 0;
    }
    return this.#cache[this.#at++];
  }

  /** Gives all batches to an aggregate, which errors about the elements belong to; those about the stream point to `at`. */
  accumulate(visit: Visit, at = this.origin): void {
    for (;;) {
      const elements = this.batch(TERMINAL, at);
      this.meter.spend(1 + elements.length / PER_STEP);
      if (elements.length === 0) return;
      visit(elements);
    }
  }

  /** The stream of what a transformation makes of each element. */
  transform(transform: Transform): Stream {
    return new TransformedStream(this, [transform]);
  }
}

/** The elements of an array. */
export class ArrayStream extends Stream {
  readonly array: readonly Datum[];
  #index = 0;

  constructor(array: readonly Datum[], origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.array = array;
  }

  override get isArray(): boolean {
    return true;
  }

  /** Whether nothing has been read. */
  get untouched(): boolean {
    return this.#index === 0;
  }

  override exhausted(): boolean {
    return this.#index >= this.array.length;
  }

  override next(): Datum | undefined {
    this.meter.spend(1 / PER_STEP);
    return this.#index < this.array.length ? this.array[this.#index++] : undefined;
  }

  batch(spec: BatchSpec): readonly Datum[] {
    const start = this.#index;
    this.#index = Math.min(this.array.length, start + capacity(spec));
    return start === 0 && this.#index === this.array.length ? this.array : this.array.slice(start, this.#index);
  }
}

/** A stream made of one other, and with an end, a feed or turns only where that has them. */
export abstract class DerivedStream extends Stream {
  readonly source: Stream;

  constructor(source: Stream, origin: Origin | undefined) {
    super(origin, source.meter);
    this.source = source;
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

  override get delay(): number {
    return this.source.delay;
  }

  override exhausted(): boolean {
    return this.given && this.source.exhausted();
  }
}

/** A stream whose elements pass through `map`, `filter` and their like. `source` and `transforms` stay visible for `changes`. */
export class TransformedStream extends DerivedStream {
  readonly transforms: readonly Transform[];

  constructor(source: Stream, transforms: readonly Transform[]) {
    super(source, transforms.at(-1)?.origin ?? source.origin);
    this.transforms = transforms;
  }

  override get piecemeal(): boolean {
    return this.source.piecemeal;
  }

  override transform(transform: Transform): Stream {
    return new TransformedStream(this.source, [...this.transforms, transform]);
  }

  override batch(spec: BatchSpec, at: Origin | undefined): readonly Datum[] {
    for (;;) {
      const elements = this.source.batch(spec, at);
      const made = elements.length === 0 ? elements : this.#passed(elements);
      if (made.length > 0 || elements.length === 0) return made;
    }
  }

  override accumulate(visit: Visit, at = this.origin): void {
    // Rows of a table are folded as soon as each is there.
    if (!this.piecemeal) {
      super.accumulate(visit, at);
      return;
    }
    this.source.accumulate((elements) => {
      for (const element of elements) {
        bind(ROOT, () => applyTransforms(this.transforms, 0, element, (made) => visit([made])));
      }
    }, at);
  }

  #passed(elements: readonly Datum[]): readonly Datum[] {
    if (!this.piecemeal) return passThrough(this.transforms, elements);
    const passed: Datum[] = [];
    const push = (element: Datum): void => {
      passed.push(element);
    };
    bind(ROOT, () => {
      for (const element of elements) applyTransforms(this.transforms, 0, element, push);
    });
    return passed;
  }
}

/** Passes a batch through transformations, each over the whole batch before the next. */
export function passThrough(transforms: readonly Transform[], elements: readonly Datum[]): readonly Datum[] {
  let passing = elements;
  for (const transform of transforms) {
    if (passing.length === 0) return passing;
    const passed: Datum[] = [];
    const push = (element: Datum): void => {
      passed.push(element);
    };
    for (const element of passing) transform.apply(element, push);
    passing = passed;
  }
  return passing;
}

/** Passes an element through the transformations from `from` on and gives what comes of it to `emit`. */
export function applyTransforms(
  transforms: readonly Transform[],
  from: number,
  element: Datum,
  emit: (element: Datum) => void,
): void {
  const transform = transforms[from];
  if (transform === undefined) {
    emit(element);
  } else if (from === transforms.length - 1) {
    transform.apply(element, emit);
  } else {
    transform.apply(element, (made) => applyTransforms(transforms, from + 1, made, emit));
  }
}
