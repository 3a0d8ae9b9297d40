// A pure function of live values, evaluated again when one of them has changed.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { OutOfSteps } from '../../../rewrite/reql/meter.ts';
import { roughBytes } from '../../memory/datum-bytes.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import type { Gauge } from './gauge.ts';
import { type LiveValue, type Operator, sameValue } from './operator.ts';

/** So often in a row an evaluation may take too long until that is its value. */
const MOST_LATE = 3;

/** The value of an expression; what it raises is its value too. */
export class ExpressedValue implements LiveValue, Operator {
  readonly #inputs: readonly LiveValue[];
  readonly #func: PureFunction;
  /** The sum of the inputs' versions when the value was computed: versions only grow. */
  #seen = -1;
  #value: Datum | ReqlError = null;
  #version = 0;
  /** How often in a row it took too long. */
  #late = 0;
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

  settle(turn: Turn): boolean {
    let seen = 0;
    for (const input of this.#inputs) seen += input.version;
    if (seen === this.#seen) return true;
    const value = computed(
      this.#func,
      this.#inputs.map((input) => input.value),
    );
    // On a busy machine what takes a third of its time now and then takes more than it may: the same is tried in another turn.
    this.#late = value instanceof OutOfSteps && value.isLate ? this.#late + 1 : 0;
    if (this.#late > 0 && this.#late < MOST_LATE && turn !== WHOLE_TURN) return false;
    this.#late = 0;
    this.#take(value, seen);
    return true;
  }

  #take(value: Datum | ReqlError, seen: number): void {
    const first = this.#seen === -1;
    this.#seen = seen;
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
