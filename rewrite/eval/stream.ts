// Sequences read one element at a time. A stream is read once, by one reader; what is built on a stream owns it.

import type { Datum } from '../reql/datum.ts';
import type { Origin } from '../reql/origin.ts';
import { bound } from './bind.ts';
import type { Transform } from './transform.ts';
import { NonDatum } from './value.ts';

/**
 * Who reads: a client that takes batches, a term that needs the whole sequence (which refuses infinite ones), or an
 * aggregate, which does too, and which the order of a table's rows does not matter to.
 */
export type Reader = 'client' | 'term' | 'aggregate';

/** The reader that a stream is to the stream below it, where it reads for itself. */
export function innerReader(reader: Reader): Reader {
  return reader === 'client' ? 'client' : 'term';
}

/** The text for reading an infinite stream to its end. */
export const INFINITE =
  'Cannot use an infinite stream with an aggregation function (`reduce`, `count`, etc.) or coerce it to an array.';

/** A lazy sequence. Derived classes give `next`; those over a feed or a table come from elsewhere. */
export abstract class Stream extends NonDatum {
  readonly type = 'SEQUENCE';
  /** The term that errors about the stream itself point to. */
  readonly origin: Origin | undefined;

  constructor(origin: Origin | undefined) {
    super();
    this.origin = origin;
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

  /** Whether the elements are in groups; such a stream has no `next`. */
  get grouped(): boolean {
    return false;
  }

  /** Whether it is known that there is nothing more. */
  exhausted(): boolean {
    return false;
  }

  /** The next element; `undefined` at the end. Errors of the elements' functions carry their own origins. */
  abstract next(reader: Reader): Datum | undefined;

  /**
   * `next`, but errors about data that arise in the stream itself are left without an origin, and those about the stream
   * point to `at`: for what is built into the stream, and for aggregates, to which errors about the elements belong.
   */
  raw(reader: Reader, _at: Origin | undefined): Datum | undefined {
    return this.next(reader);
  }

  /** The stream of what a transformation makes of each element. */
  transform(transform: Transform): Stream {
    return new TransformedStream(this, [transform]);
  }
}

/** The elements of an array. */
export class ArrayStream extends Stream {
  readonly array: readonly Datum[];
  #at = 0;

  constructor(array: readonly Datum[], origin: Origin | undefined) {
    super(origin);
    this.array = array;
  }

  override get isArray(): boolean {
    return true;
  }

  /** Whether nothing has been read. */
  get untouched(): boolean {
    return this.#at === 0;
  }

  override exhausted(): boolean {
    return this.#at >= this.array.length;
  }

  next(): Datum | undefined {
    return this.#at < this.array.length ? this.array[this.#at++] : undefined;
  }
}

/** A stream whose elements pass through `map`, `filter` and their like. `source` and `transforms` stay visible for `changes`. */
export class TransformedStream extends Stream {
  readonly source: Stream;
  readonly transforms: readonly Transform[];
  #made: Datum[] = [];
  #at = 0;
  readonly #push = (element: Datum): void => {
    this.#made.push(element);
  };

  constructor(source: Stream, transforms: readonly Transform[]) {
    super(transforms.at(-1)?.origin ?? source.origin);
    this.source = source;
    this.transforms = transforms;
  }

  override get isArray(): boolean {
    return this.source.isArray;
  }

  override get infinite(): boolean {
    return this.source.infinite;
  }

  override exhausted(): boolean {
    return this.#at >= this.#made.length && this.source.exhausted();
  }

  override transform(transform: Transform): Stream {
    return new TransformedStream(this.source, [...this.transforms, transform]);
  }

  next(reader: Reader): Datum | undefined {
    try {
      return this.raw(reader, this.origin);
    } catch (error) {
      throw bound(error, this.origin);
    }
  }

  override raw(reader: Reader, at: Origin | undefined): Datum | undefined {
    while (this.#at >= this.#made.length) {
      const element = this.source.raw(reader, at);
      if (element === undefined) return undefined;
      this.#made = [];
      this.#at = 0;
      applyTransforms(this.transforms, 0, element, this.#push);
    }
    return this.#made[this.#at++];
  }
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
