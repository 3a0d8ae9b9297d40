// The fold of one group.

import type { Accumulator } from '../../../rewrite/aggregates/aggregate.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import type { Turn } from '../../work/turn.ts';
import { applyTo, costOf, unapplyTo, type Warn } from './aggregate-value.ts';
import type { Gauge, GaugePart } from './gauge.ts';
import type { Graph } from './graph.ts';
import { Failure, type Folded, type GroupMember } from './groups.ts';
import { type LiveValue, NONE } from './operator.ts';

const MEMBER = 40;
/** What a graph is made of, with an operator or two in it. */
const GRAPH = 2500;

/** A single aggregate over the elements of a group. */
export class AccumulatorMember implements GroupMember {
  readonly #accumulator: Accumulator;
  readonly #gauge: Gauge;
  readonly #warn: Warn;

  constructor(accumulator: Accumulator, gauge: Gauge, warn: Warn) {
    this.#accumulator = accumulator;
    this.#gauge = gauge;
    this.#warn = warn;
  }

  get bytes(): number {
    return MEMBER + costOf(this.#accumulator).base;
  }

  apply(element: Datum): void {
    applyTo(this.#accumulator, element, this.#gauge);
  }

  unapply(element: Datum): void {
    unapplyTo(this.#accumulator, element, this.#gauge);
  }

  settle(): boolean {
    return true;
  }

  fold(): Datum | ReqlError {
    const value = this.#accumulator.value();
    if (this.#accumulator.warning !== undefined) this.#warn(this.#accumulator.warning);
    return value;
  }

  /** It keeps nothing without elements. */
  close(): void {}
}

/** Any value over the elements of a group: a graph of its own per group. */
export class GraphMember implements GroupMember {
  readonly bytes: number = GRAPH;
  readonly #graph: Graph;
  readonly #value: LiveValue;
  readonly #below: readonly LiveValue[];
  readonly #gauge: GaugePart;

  /** `below` is what each `default` over the groups stands on, innermost first; `gauge` is that of the graph alone. */
  constructor(graph: Graph, value: LiveValue, below: readonly LiveValue[], gauge: GaugePart) {
    this.#graph = graph;
    this.#value = value;
    this.#below = below;
    this.#gauge = gauge;
  }

  apply(element: Datum): void {
    this.#graph.changeGroup(NONE, [element]);
  }

  unapply(element: Datum): void {
    this.#graph.changeGroup([element], NONE);
  }

  settle(turn: Turn): boolean {
    return this.#graph.settle(turn);
  }

  fold(): Folded {
    for (const [stage, { value }] of this.#below.entries()) {
      if (value instanceof ReqlError) return new Failure(value, stage);
    }
    return this.#value.value;
  }

  close(): void {
    this.#gauge.clear();
  }
}
