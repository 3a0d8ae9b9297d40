// The integers, from somewhere on.

import type { Datum } from '../../data/datum.ts';
import { LARGEST_INTEGER } from '../../data/number.ts';
import { logicError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { atMost, type BatchSpec, capacity } from './batch.ts';
import { INFINITE, Stream } from './stream.ts';

/** The most integers that a client gets at once. */
const FOR_CLIENT = 500;

/** The most integers that a term gets at once: about as many as fill a batch of the server. */
const FOR_TERM = 100_000;

/** The integers from `start` up to but not including `stop`. */
export class RangeStream extends Stream {
  readonly stop: number;
  #next: number;

  constructor(start: number, stop: number, origin: Origin | undefined, meter: Meter) {
    super(origin, meter);
    this.stop = stop;
    this.#next = start;
  }

  override get infinite(): boolean {
    return this.stop === Number.POSITIVE_INFINITY;
  }

  override exhausted(): boolean {
    return this.#next >= this.stop && this.given;
  }

  override batch(spec: BatchSpec, at: Origin | undefined): readonly Datum[] {
    const terminal = spec.kind === 'terminal';
    if (this.infinite && terminal) throw logicError(INFINITE, at);
    const most = capacity(atMost(spec, terminal ? FOR_TERM : FOR_CLIENT));
    const integers: Datum[] = [];
    while (this.#next < this.stop && integers.length < most) {
      if (this.#next > LARGEST_INTEGER) throw logicError('`range` out of safe double bounds.', at);
      integers.push(this.#next++);
    }
    return integers;
  }
}
