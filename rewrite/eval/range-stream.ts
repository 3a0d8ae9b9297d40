// The integers, from somewhere on.

import type { Datum } from '../reql/datum.ts';
import { logicError } from '../reql/error.ts';
import { LARGEST_INTEGER } from '../reql/number.ts';
import type { Origin } from '../reql/origin.ts';
import { INFINITE, type Reader, Stream } from './stream.ts';

/** The integers from `start` up to but not including `stop`. */
export class RangeStream extends Stream {
  readonly stop: number;
  #at: number;

  constructor(start: number, stop: number, origin: Origin | undefined) {
    super(origin);
    this.stop = stop;
    this.#at = start;
  }

  override get infinite(): boolean {
    return this.stop === Number.POSITIVE_INFINITY;
  }

  override exhausted(): boolean {
    return this.#at >= this.stop;
  }

  next(reader: Reader): Datum | undefined {
    return this.raw(reader, this.origin);
  }

  override raw(reader: Reader, at: Origin | undefined): Datum | undefined {
    if (this.infinite && reader !== 'client') throw logicError(INFINITE, at);
    if (this.#at >= this.stop) return undefined;
    if (this.#at > LARGEST_INTEGER) throw logicError('`range` out of safe double bounds.', at);
    return this.#at++;
  }
}
