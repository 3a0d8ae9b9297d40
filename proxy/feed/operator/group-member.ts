// What one group folds.

import type { Accumulator } from '../../../rewrite/aggregates/aggregate.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { applyTo, unapplyTo, type Warn } from './aggregate-value.ts';
import type { StateGauge } from './gauge.ts';
import { Failure, type Folded, type GroupMember } from './groups.ts';
import { type LiveValue, NONE, type Operator } from './operator.ts';

/** A single aggregate over the elements of a group. */
export class AccumulatorMember implements GroupMember {
  readonly #accumulator: Accumulator;
  readonly #gauge: StateGauge;
  readonly #warn: Warn;

  constructor(accumulator: Accumulator, gauge: StateGauge, warn: Warn) {
    this.#accumulator = accumulator;
    this.#gauge = gauge;
    this.#warn = warn;
  }

  apply(element: Datum): void {
    applyTo(this.#accumulator, element, this.#gauge);
  }

  unapply(element: Datum): void {
    unapplyTo(this.#accumulator, element, this.#gauge);
  }

  settle(): Datum | ReqlError {
    const value = this.#accumulator.emit();
    if (this.#accumulator.warning !== undefined) this.#warn(this.#accumulator.warning);
    return value;
  }
}

/** What has the operators of one group. */
export interface GroupGraph extends Operator {
  changeGroup(gone: readonly Datum[], come: readonly Datum[]): void;
}

/** Any value over the elements of a group: a graph of its own per group. */
export class GraphMember implements GroupMember {
  readonly #graph: GroupGraph;
  readonly #value: LiveValue;
  readonly #below: readonly LiveValue[];

  /** `below` is what each `default` over the groups stands on, innermost first. */
  constructor(graph: GroupGraph, value: LiveValue, below: readonly LiveValue[]) {
    this.#graph = graph;
    this.#value = value;
    this.#below = below;
  }

  apply(element: Datum): void {
    this.#graph.changeGroup(NONE, [element]);
  }

  unapply(element: Datum): void {
    this.#graph.changeGroup([element], NONE);
  }

  settle(): Folded {
    this.#graph.settle();
    for (const [stage, { value }] of this.#below.entries()) {
      if (value instanceof ReqlError) return new Failure(value, stage);
    }
    return this.#value.value;
  }
}
