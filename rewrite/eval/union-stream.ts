// Streams put together.

import type { Datum } from '../reql/datum.ts';
import type { Origin } from '../reql/origin.ts';
import { type Reader, Stream } from './stream.ts';
import type { Transform } from './transform.ts';

/** Streams one after the other. */
export class UnionStream extends Stream {
  readonly streams: readonly Stream[];
  #current = 0;
  #read = false;

  constructor(streams: readonly Stream[], origin: Origin | undefined) {
    super(origin);
    this.streams = streams;
  }

  override get isArray(): boolean {
    return this.streams.every((stream) => stream.isArray);
  }

  override get infinite(): boolean {
    return this.streams.some((stream) => stream.infinite);
  }

  override exhausted(): boolean {
    return this.#current >= this.streams.length && this.#read;
  }

  override transform(transform: Transform): Stream {
    return new UnionStream(
      this.streams.map((stream) => stream.transform(transform)),
      transform.origin,
    );
  }

  next(reader: Reader): Datum | undefined {
    return this.#take(reader, (stream) => stream.next(reader));
  }

  override raw(reader: Reader, at: Origin | undefined): Datum | undefined {
    // What is built into a union is built into each of its streams; by itself, each keeps its place.
    return this.#take(reader, (stream) => stream.raw(reader, at === this.origin ? stream.origin : at));
  }

  #take(reader: Reader, read: (stream: Stream) => Datum | undefined): Datum | undefined {
    if (!this.#read && reader !== 'client') this.#refuseInfinite(read);
    this.#read = true;
    for (; ; this.#current += 1) {
      const stream = this.streams[this.#current];
      if (stream === undefined) return undefined;
      const element = read(stream);
      if (element !== undefined) return element;
    }
  }

  // All streams are read at once, so that one without end is refused at once.
  #refuseInfinite(read: (stream: Stream) => Datum | undefined): void {
    const endless = this.streams.find((stream) => stream.infinite);
    if (endless !== undefined) read(endless);
  }
}
