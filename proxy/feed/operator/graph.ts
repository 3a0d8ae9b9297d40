// The operators of a live query, or of one group of it, at work: elements come in, then all settle. `graph-builder.ts` fills it.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type Turn, WHOLE_TURN } from '../../work/turn.ts';
import type { ElementSink, Operator } from './operator.ts';

/** Operators, and who of them takes the elements that come from outside. */
export class Graph implements Operator {
  /** In the order in which they depend on each other. */
  readonly #operators: Operator[] = [];
  /** How many of them have settled, where a turn was over before all had. */
  #settled = 0;
  /** Source and projection -> who takes its elements. */
  readonly #sources: ElementSink[][][] = [];
  /** Who takes the elements of the group that this graph is for. */
  readonly #group: ElementSink[] = [];

  /** Adds an operator; all that it reads has been added before. */
  add<Made extends Operator>(operator: Made): Made {
    this.#operators.push(operator);
    return operator;
  }

  /** The elements of a source go to this sink, too. */
  attachToSource(source: number, projection: number, sink: ElementSink): void {
    this.#sources[source] ??= [];
    const projections = this.#sources[source] ?? [];
    projections[projection] ??= [];
    projections[projection]?.push(sink);
  }

  /** The elements of the group go to this sink, too. */
  attachToGroup(sink: ElementSink): void {
    this.#group.push(sink);
  }

  /** A row of a source changed what it is by a projection. */
  change(source: number, projection: number, gone: readonly Datum[], come: readonly Datum[]): void {
    for (const sink of this.#sources[source]?.[projection] ?? []) sink.change(gone, come);
  }

  /** The group that this graph is for has other elements. */
  changeGroup(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const sink of this.#group) sink.change(gone, come);
  }

  /** Brings every operator up to date, at once if no turn is given. */
  settle(turn: Turn = WHOLE_TURN): boolean {
    const operators = this.#operators;
    for (let at = this.#settled; at < operators.length; at++) {
      if (operators[at]?.settle(turn) !== false) continue;
      this.#settled = at;
      return false;
    }
    this.#settled = 0;
    return true;
  }
}
