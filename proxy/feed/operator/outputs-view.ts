// The outputs of a reducer, by group.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { Difference, OutputChange, Tell } from './difference.ts';
import { Listeners } from './listeners.ts';
import type { OutputSink, ReducedOutputs } from './reduced-outputs.ts';
import type { View } from './view.ts';

/** Outputs, with how often they are there. */
export class OutputsView implements View, OutputSink {
  readonly #outputs: ReducedOutputs;
  readonly #grouped: boolean;
  readonly #listeners = new Listeners();

  /** `grouped`: what is shown is in groups. */
  constructor(outputs: ReducedOutputs, grouped: boolean) {
    this.#outputs = outputs;
    this.#grouped = grouped;
    outputs.sinks.push(this);
  }

  listen(tell: Tell): () => void {
    return this.#listeners.add(tell);
  }

  *snapshot(): Iterable<Difference> {
    for (const { key, group, changes } of this.#outputs.outputs()) yield this.#difference(key, group, changes);
  }

  settle(): boolean {
    return true;
  }

  outputs(key: string, group: Datum, changes: readonly OutputChange[]): void {
    if (!this.#listeners.isEmpty) this.#listeners.tell(this.#difference(key, group, changes));
  }

  #difference(key: string, group: Datum, changes: readonly OutputChange[]): Difference {
    return { of: 'output', key, group: this.#grouped ? group : undefined, changes };
  }
}
