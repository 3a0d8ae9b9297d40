// Those who take the elements of pairs. Rows that are there several times are in as many pairs as the product of their numbers: the
// first is told at once, all others in steps.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { ElementSink } from './operator.ts';
import type { Steps } from './steps.ts';

/** What is to be told of some times more: that elements went, and that some came. */
interface Owed {
  readonly sinks: readonly ElementSink[];
  readonly gone: readonly Datum[];
  readonly come: readonly Datum[];
  readonly times: number;
}

/** The sinks of a join. */
export class PairSinks {
  /** Those of each consumer. */
  readonly of: readonly ElementSink[][];
  #owed: Owed[] = [];

  constructor(consumers: number) {
    this.of = Array.from({ length: consumers }, () => []);
  }

  /** Whether there is something to be told of more than once. */
  get isOwed(): boolean {
    return this.#owed.length > 0;
  }

  /** Tells a consumer of elements that are there so many times; once now, and `repeat` tells of the others. */
  push(consumer: number, gone: readonly Datum[], come: readonly Datum[], times: number): void {
    if (times === 0 || (gone.length === 0 && come.length === 0)) return;
    const sinks = this.of[consumer] ?? [];
    for (const sink of sinks) sink.change(gone, come);
    if (times > 1) this.#owed.push({ sinks, gone, come, times: times - 1 });
  }

  /** Tells of what is owed. */
  *repeat(): Steps {
    const owed = this.#owed;
    this.#owed = [];
    for (const { sinks, gone, come, times } of owed) {
      for (let i = times; i > 0; i--) {
        for (const sink of sinks) sink.change(gone, come);
        yield;
      }
    }
  }
}
