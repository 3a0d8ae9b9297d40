// A part of a stream by place: `limit`, `slice`, `skip`.

import type { Datum } from '../../data/datum.ts';
import { atMost, Batch, type BatchSpec } from './batch.ts';
import { Stream } from './stream.ts';

/** The elements from `left` up to but not including `right`. */
export class SliceStream extends Stream {
  readonly source: Stream;
  readonly left: number;
  readonly right: number;
  #index = 0;

  constructor(source: Stream, left: number, right: number) {
    super(source.origin, source.meter);
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

  override get feed(): boolean {
    return this.source.feed;
  }

  override get delay(): number {
    return this.source.delay;
  }

  override exhausted(): boolean {
    return this.given && (this.left >= this.right || this.#index >= this.right || this.source.exhausted());
  }

  override batch(spec: BatchSpec): readonly Datum[] {
    const made = new Batch(spec, this.meter);
    while (this.left < this.right && this.#index < this.right) {
      if (this.#index >= this.left && (made.full || (this.feed && made.elements.length > 0))) break;
      const elements = this.source.nextBatch(atMost(spec, this.right - this.#index));
      if (elements.length === 0) break;
      for (const element of elements) {
        if (this.#index >= this.right) break;
        if (this.#index >= this.left) made.add(element);
        this.#index += 1;
      }
    }
    return made.elements;
  }
}
