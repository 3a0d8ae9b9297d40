// Each distinct element once: it comes with its first occurrence and goes with its last.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { type HashKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import type { Turn } from '../../work/turn.ts';
import { DatumCounts } from './datum-counts.ts';
import type { Gauge } from './gauge.ts';
import {
  type ElementSink,
  isAny,
  type LiveRow,
  type LiveRows,
  type LiveValue,
  type Operator,
  type RowSink,
} from './operator.ts';
import { Rest, type Steps } from './steps.ts';

/** An element that may have come or gone. */
interface Touched {
  /** The one of the equal ones that is kept. */
  readonly datum: Datum;
  readonly wasShown: boolean;
}

/** A hash of elements with how often they are there. */
export class DistinctRows implements LiveRows, ElementSink, Operator {
  readonly sinks: RowSink[] = [];
  readonly #counts: DatumCounts;
  readonly #touched = new Map<HashKey, Touched>();
  readonly #missed: LiveValue | undefined;
  readonly #rest = new Rest();
  #hidden = false;
  /** Whether it has settled once. */
  #begun = false;

  /** While `missed` is above 0 there are no rows. */
  constructor(gauge: Gauge, missed?: LiveValue) {
    this.#counts = new DatumCounts(gauge);
    this.#missed = missed;
  }

  *rows(): Iterable<LiveRow> {
    if (this.#hidden) return;
    for (const [datum] of this.#counts.entries()) yield [datum, datum];
  }

  change(gone: readonly Datum[], come: readonly Datum[]): void {
    for (const element of gone) if (this.#counts.remove(element) === 0) this.#touch(element, true);
    for (const element of come) if (this.#counts.add(element) === 1) this.#touch(element, false);
  }

  settle(turn: Turn): boolean {
    const isDue = !this.#begun || this.#touched.size > 0 || isAny(this.#missed) !== this.#hidden || this.#rest.isOpen;
    return !isDue || this.#rest.go(turn, () => this.#settle());
  }

  *#settle(): Steps {
    const wasHidden = this.#hidden;
    this.#hidden = isAny(this.#missed);
    for (const { datum, wasShown } of this.#touched.values()) {
      const isThere = this.#counts.count(datum) > 0;
      if (!isThere) this.#counts.forget(datum);
      this.#show(datum, wasShown, isThere && !this.#hidden);
      yield;
    }
    if (!this.#begun || wasHidden !== this.#hidden) {
      for (const [datum] of this.#counts.entries()) {
        if (!this.#touched.has(hashKey(datum))) this.#show(datum, this.#begun && !wasHidden, !this.#hidden);
        yield;
      }
    }
    this.#begun = true;
    this.#touched.clear();
  }

  #show(datum: Datum, wasShown: boolean, isShown: boolean): void {
    if (isShown === wasShown) return;
    for (const sink of this.sinks) sink.row(isShown ? undefined : datum, isShown ? datum : undefined, datum);
  }

  /** `wasThere`: before this change, which is the first of this step to matter. At first all are new, and none need be listed. */
  #touch(element: Datum, wasThere: boolean): void {
    if (!this.#begun) {
      this.#counts.forget(element);
      return;
    }
    const key = hashKey(element);
    if (this.#touched.has(key)) return;
    this.#touched.set(key, { datum: this.#counts.kept(element), wasShown: wasThere && !this.#hidden });
  }
}
