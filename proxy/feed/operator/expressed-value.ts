// A pure function of live values, evaluated again when one of them has changed.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { roughBytes } from '../../memory/datum-bytes.ts';
import type { Gauge } from './gauge.ts';
import { type LiveValue, type Operator, sameValue } from './operator.ts';

/** The value of an expression; what it raises is its value too. */
export class ExpressedValue implements LiveValue, Operator {
  readonly #inputs: readonly LiveValue[];
  readonly #func: PureFunction;
  /** The sum of the inputs' versions when the value was computed: versions only grow. */
  #seen = -1;
  #value: Datum | ReqlError = null;
  #version = 0;
  readonly #gauge: Gauge;
  #bytes = 0;

  constructor(inputs: readonly LiveValue[], func: PureFunction, gauge: Gauge) {
    this.#inputs = inputs;
    this.#func = func;
    this.#gauge = gauge;
  }

  get value(): Datum | ReqlError {
    return this.#value;
  }

  get version(): number {
    return this.#version;
  }

  settle(): boolean {
    let seen = 0;
    for (const input of this.#inputs) seen += input.version;
    if (seen !== this.#seen) this.#compute(seen);
    return true;
  }

  #compute(seen: number): void {
    const first = this.#seen === -1;
    this.#seen = seen;
    const value = computed(
      this.#func,
      this.#inputs.map((input) => input.value),
    );
    if (!first && sameValue(this.#value, value)) return;
    this.#value = value;
    this.#version++;
    const bytes = value instanceof ReqlError ? 0 : roughBytes(value);
    if (bytes !== this.#bytes) this.#gauge.count(0, bytes - this.#bytes);
    this.#bytes = bytes;
  }
}

/** The value of a function, or the error that it raises. */
export function computed(compute: PureFunction, args: readonly (Datum | ReqlError)[]): Datum | ReqlError {
  try {
    return compute(args);
  } catch (error) {
    if (error instanceof ReqlError) return error;
    throw error;
  }
}
