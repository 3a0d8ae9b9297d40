// Values that are read from one order of elements: `min` and `max` of the same field keep what they are over once.

import type { ArrangedReading } from '../../../rewrite/aggregates/aggregate.ts';
import { ArrangedElements } from '../../../rewrite/aggregates/state/arranged.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { applyTo, unapplyTo } from './aggregate-value.ts';
import type { Gauge } from './gauge.ts';
import { type ElementSink, type LiveValue, type Operator, sameValue } from './operator.ts';

/** The elements in order, counted once whoever reads them. They live as long as the graph that they are in. */
export class ElementOrder implements ElementSink {
  readonly elements: ArrangedElements;
  readonly #gauge: Gauge;

  constructor(form: ArrangedReading['form'], gauge: Gauge) {
    this.elements = new ArrangedElements(form);
    this.#gauge = gauge;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) unapplyTo(this.elements, element, this.#gauge);
    for (const element of come) applyTo(this.elements, element, this.#gauge);
  }
}

/** A value that is read from an order. */
export class ArrangedValue implements LiveValue, Operator {
  readonly #elements: ArrangedElements;
  readonly #reading: ArrangedReading;
  #seen: number;
  #value: Datum | ReqlError;
  #version = 0;

  constructor({ elements }: ElementOrder, reading: ArrangedReading) {
    this.#elements = elements;
    this.#reading = reading;
    this.#seen = elements.version;
    this.#value = reading.read(elements.arrangement);
  }

  get value(): Datum | ReqlError {
    return this.#value;
  }

  get version(): number {
    return this.#version;
  }

  settle(): boolean {
    if (this.#elements.version !== this.#seen) this.#read();
    return true;
  }

  #read(): void {
    this.#seen = this.#elements.version;
    const value = this.#reading.read(this.#elements.arrangement);
    if (sameValue(this.#value, value)) return;
    this.#value = value;
    this.#version++;
  }
}
