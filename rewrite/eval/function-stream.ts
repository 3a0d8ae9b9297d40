// Streams made by functions over other streams: `map` over several, `offsetsOf`, `fold` with `emit`.

import { asArray } from '../reql/data-type.ts';
import type { Datum } from '../reql/datum.ts';
import { logicError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import { bind } from './bind.ts';
import { passes } from './element.ts';
import type { Func } from './func.ts';
import { INFINITE, innerReader, type Reader, Stream } from './stream.ts';

/** The elements of several streams side by side, as long as each has one, through a function. */
export class MapStream extends Stream {
  readonly streams: readonly Stream[];
  readonly func: Func;

  constructor(streams: readonly Stream[], func: Func, origin: Origin | undefined) {
    super(origin);
    this.streams = streams;
    this.func = func;
  }

  override get isArray(): boolean {
    return this.streams.every((stream) => stream.isArray);
  }

  override get infinite(): boolean {
    return this.streams.every((stream) => stream.infinite);
  }

  override exhausted(): boolean {
    return this.streams.some((stream) => stream.exhausted());
  }

  next(reader: Reader): Datum | undefined {
    return this.raw(reader, this.origin);
  }

  override raw(reader: Reader, at: Origin | undefined): Datum | undefined {
    if (this.infinite && reader !== 'client') throw logicError(INFINITE, at);
    // A stream known to have ended ends the whole before the others are read.
    if (this.exhausted()) return undefined;
    const elements: Datum[] = [];
    for (const stream of this.streams) {
      const element = stream.next('client');
      if (element === undefined) return undefined;
      elements.push(element);
    }
    return this.func.datum(elements);
  }
}

/** The places of the elements that a function accepts. */
export class OffsetsStream extends Stream {
  readonly source: Stream;
  readonly func: Func;
  #index = -1;

  constructor(source: Stream, func: Func) {
    super(source.origin);
    this.source = source;
    this.func = func;
  }

  override get isArray(): boolean {
    return this.source.isArray;
  }

  override get infinite(): boolean {
    return this.source.infinite;
  }

  override exhausted(): boolean {
    return this.source.exhausted();
  }

  next(reader: Reader): Datum | undefined {
    return bind(this.origin, () => this.raw(reader, this.origin));
  }

  override raw(reader: Reader, _at: Origin | undefined): Datum | undefined {
    for (;;) {
      const element = this.source.next(innerReader(reader));
      if (element === undefined) return undefined;
      this.#index += 1;
      if (passes(this.func, element)) return this.#index;
    }
  }
}

/** What `fold` is made of. */
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
export class FoldStream extends Stream {
  readonly source: Stream;
  readonly parts: FoldParts;
  #acc: Datum;
  #emitted: readonly Datum[] = [];
  #at = 0;
  #ended = false;

  constructor(source: Stream, parts: FoldParts, origin: Origin | undefined) {
    super(origin);
    this.source = source;
    this.parts = parts;
    this.#acc = parts.base;
  }

  override get isArray(): boolean {
    return this.source.isArray;
  }

  override get infinite(): boolean {
    return this.source.infinite;
  }

  override exhausted(): boolean {
    return this.#at >= this.#emitted.length && this.source.exhausted();
  }

  next(reader: Reader): Datum | undefined {
    return bind(this.origin, () => this.raw(reader, this.origin));
  }

  override raw(reader: Reader, at: Origin | undefined): Datum | undefined {
    if (this.infinite && reader !== 'client') throw logicError(INFINITE, at);
    while (this.#at >= this.#emitted.length) {
      if (this.#ended) return undefined;
      this.#emitted = this.#step(reader);
      this.#at = 0;
    }
    return this.#emitted[this.#at++];
  }

  #step(reader: Reader): readonly Datum[] {
    const { step, emit, finalEmit } = this.parts;
    // What is known to have ended is not read, even if it had something to emit at its end.
    const row = this.source.exhausted() ? undefined : this.source.next(innerReader(reader));
    if (row === undefined) {
      this.#ended = true;
      return finalEmit === undefined ? [] : asArray(finalEmit.datum1(this.#acc));
    }
    const acc = step.datum2(this.#acc, row);
    const emitted = emit.datum([this.#acc, row, acc]);
    this.#acc = acc;
    return asArray(emitted);
  }
}
