// The value of an aggregate over elements.

import type { Accumulator, StateCost, Warning } from '../../../rewrite/aggregates/aggregate.ts';
import { neverApplied } from '../../../rewrite/reductions/never-applied.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { type Gauge, TREE_COST } from './gauge.ts';
import { type ElementSink, type LiveValue, type Operator, sameValue } from './operator.ts';

/** Takes what an accumulator found wrong with a function of the client's, each time that it settles. */
export type Warn = (warning: Warning) => void;

/** An accumulator and the value that it gave last. */
export class AggregateValue implements LiveValue, ElementSink, Operator {
  readonly #accumulator: Accumulator;
  readonly #gauge: Gauge;
  readonly #warn: Warn;
  #dirty = false;
  #value: Datum | ReqlError;
  #version = 0;

  constructor(accumulator: Accumulator, gauge: Gauge, warn: Warn) {
    this.#accumulator = accumulator;
    this.#gauge = gauge;
    this.#warn = warn;
    this.#value = accumulator.value();
  }

  get value(): Datum | ReqlError {
    return this.#value;
  }

  get version(): number {
    return this.#version;
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) unapplyTo(this.#accumulator, element, this.#gauge);
    for (const element of come) applyTo(this.#accumulator, element, this.#gauge);
    this.#dirty = true;
  }

  settle(): boolean {
    if (this.#dirty) this.#publish();
    return true;
  }

  #publish(): void {
    this.#dirty = false;
    const value = this.#accumulator.value();
    if (this.#accumulator.warning !== undefined) this.#warn(this.#accumulator.warning);
    if (sameValue(this.#value, value)) return;
    this.#value = value;
    this.#version++;
  }
}

/** What takes elements and keeps some of them. */
type Keeper = Pick<Accumulator, 'apply' | 'unapply' | 'count' | 'kept' | 'cost'>;

/** Applies an element, and counts what the accumulator keeps of it. */
export function applyTo(accumulator: Keeper, element: Datum, gauge: Gauge): void {
  const before = accumulator.kept;
  accumulator.apply(element);
  const more = accumulator.kept - before;
  if (more !== 0) gauge.add(more, element, costOf(accumulator).entry);
}

/**
 * Takes an element back.
 * @throws ReqlError where it was never applied, as far as that can be told.
 */
export function unapplyTo(accumulator: Keeper, element: Datum, gauge: Gauge): void {
  const before = accumulator.kept;
  if (accumulator.count <= 0) throw neverApplied();
  accumulator.unapply(element);
  const more = accumulator.kept - before;
  if (more !== 0) gauge.add(more, element, costOf(accumulator).entry);
}

/** The memory that an accumulator takes beside the data that it keeps. */
export function costOf({ cost }: Pick<Accumulator, 'cost'>): StateCost {
  return cost ?? TREE_COST;
}
