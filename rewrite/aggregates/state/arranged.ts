// The elements of an aggregate in an order, which aggregates that read no more than an end of it, or a place in it, can share.

import type { Datum } from '../../reql/data/datum.ts';
import type { ReqlError } from '../../reql/error.ts';
import type { Accumulator, ArrangedForm, ArrangedReading, StateCost } from '../aggregate.ts';
import { Arrangement } from './arrangement.ts';

/** Elements in order. */
export class ArrangedElements {
  readonly arrangement: Arrangement;
  readonly cost: StateCost;
  /** Counts the changes. */
  version = 0;

  constructor(form: ArrangedForm) {
    this.arrangement = new Arrangement(form === 'keyed rows');
    this.cost = COSTS[form];
  }

  apply(element: Datum): void {
    this.arrangement.add(keyIn(element), rowIn(element));
    this.version++;
  }

  unapply(element: Datum): void {
    this.arrangement.remove(keyIn(element), rowIn(element));
    this.version++;
  }

  get count(): number {
    return this.arrangement.size;
  }

  get kept(): number {
    return this.arrangement.distinct;
  }
}

/** An aggregate over an order of its own. */
export class Arranged implements Accumulator {
  readonly #elements: ArrangedElements;
  readonly #reading: ArrangedReading;

  constructor(reading: ArrangedReading) {
    this.#elements = new ArrangedElements(reading.form);
    this.#reading = reading;
  }

  get count(): number {
    return this.#elements.count;
  }

  get kept(): number {
    return this.#elements.kept;
  }

  get cost(): StateCost {
    return this.#elements.cost;
  }

  apply(element: Datum): void {
    this.#elements.apply(element);
  }

  unapply(element: Datum): void {
    this.#elements.unapply(element);
  }

  value(): Datum | ReqlError {
    return this.#reading.read(this.#elements.arrangement);
  }
}

/** What is kept of an element is less than the element: the array around it goes. */
const COSTS: { readonly [Form in ArrangedForm]: StateCost } = {
  keys: { base: 400, entry: -18 },
  'keyed rows': { base: 550, entry: -13 },
};

/** Of `[key, row]`, of `[key]`, or of a key by itself. */
function keyIn(element: Datum): Datum {
  return Array.isArray(element) ? (element[0] ?? null) : element;
}

/** Of `[key, row]`; null where there is none. */
function rowIn(element: Datum): Datum {
  return Array.isArray(element) ? (element[1] ?? null) : null;
}
