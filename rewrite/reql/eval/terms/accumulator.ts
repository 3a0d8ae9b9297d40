// The accumulators of aggregates while they read a sequence.

import { compareDatums } from '../../data/compare.ts';
import { asNumber } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { finite } from '../../data/number.ts';
import { nonExistence } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Func } from '../core/func.ts';

/** The state of an aggregate while it reads. */
export interface Accumulator {
  /** Takes an element; false where the element does not count (it has no value). */
  add(element: Datum): boolean;
  /** The aggregate; may raise NON_EXISTENCE without an origin where nothing counted. */
  result(): Datum;
}

export class Count implements Accumulator {
  #count = 0;

  add(): boolean {
    this.#count += 1;
    return true;
  }

  result(): Datum {
    return this.#count;
  }
}

/** The value of an element; `undefined` where it has none. */
export type ValueOf = (element: Datum) => Datum | undefined;

export class Sum implements Accumulator {
  readonly #valueIn: ValueOf;
  #sum = 0;

  constructor(valueIn: ValueOf) {
    this.#valueIn = valueIn;
  }

  add(element: Datum): boolean {
    const value = this.#valueIn(element) ?? null;
    // Null is a missing value; anything else that is no number is an error.
    if (value === null) return false;
    this.#sum += asNumber(value);
    return true;
  }

  result(): Datum {
    return finite(this.#sum);
  }
}

function emptyText(what: string, name: string): string {
  return `Cannot take the ${what} of an empty stream.  (If you passed \`${name}\` a field name, it may be that no elements of the stream had that field.)`;
}

export class Average implements Accumulator {
  readonly #valueIn: ValueOf;
  #sum = 0;
  #count = 0;

  constructor(valueIn: ValueOf) {
    this.#valueIn = valueIn;
  }

  add(element: Datum): boolean {
    const value = this.#valueIn(element) ?? null;
    if (value === null) return false;
    this.#sum += asNumber(value);
    this.#count += 1;
    return true;
  }

  result(): Datum {
    if (this.#count === 0) throw nonExistence(emptyText('average', 'avg'));
    return finite(this.#sum / this.#count);
  }
}

export class Extreme implements Accumulator {
  readonly #name: 'min' | 'max';
  readonly #valueIn: ValueOf;
  readonly #meter: Meter;
  #best: { readonly element: Datum; readonly value: Datum } | undefined;

  constructor(name: 'min' | 'max', valueIn: ValueOf, meter: Meter) {
    this.#name = name;
    this.#meter = meter;
    this.#valueIn = valueIn;
  }

  add(element: Datum): boolean {
    const value = this.#valueIn(element);
    if (value === undefined) return false;
    const order = this.#best === undefined ? undefined : compareDatums(value, this.#best.value, this.#meter);
    if (order === undefined || (this.#name === 'min' ? order < 0 : order > 0)) this.#best = { element, value };
    return true;
  }

  result(): Datum {
    if (this.#best === undefined) throw nonExistence(emptyText(this.#name, this.#name));
    return this.#best.element;
  }
}

export class Reduction implements Accumulator {
  readonly #func: Func;
  #value: Datum | undefined;

  constructor(func: Func) {
    this.#func = func;
  }

  add(element: Datum): boolean {
    this.#value = this.#value === undefined ? element : this.#func.datum2(this.#value, element);
    return true;
  }

  result(): Datum {
    if (this.#value === undefined) throw nonExistence('Cannot reduce over an empty stream.', this.#func.origin);
    return this.#value;
  }
}
