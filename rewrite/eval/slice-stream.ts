// A part of a stream by place: `limit`, `slice`, `skip`.

import type { Datum } from '../reql/datum.ts';
import { innerReader, type Reader, Stream } from './stream.ts';

/** The elements from `left` up to but not including `right`. */
export class SliceStream extends Stream {
  readonly source: Stream;
  readonly left: number;
  readonly right: number;
  #index = 0;

  constructor(source: Stream, left: number, right: number) {
    super(source.origin);
    this.source = source;
    this.left = left;
    this.right = right;
  }

  override get isArray(): boolean {
    return this.source.isArray;
  }

  override get infinite(): boolean {
    return this.source.infinite && this.right === Number.POSITIVE_INFINITY;
  }

  override get grouped(): boolean {
    return false;
  }

  override exhausted(): boolean {
    return this.left >= this.right || this.#index >= this.right || this.source.exhausted();
  }

  next(reader: Reader): Datum | undefined {
    if (this.left >= this.right) return undefined;
    while (this.#index < this.right) {
      const element = this.source.next(innerReader(reader));
      if (element === undefined) return undefined;
      this.#index += 1;
      if (this.#index > this.left) return element;
    }
    return undefined;
  }
}
