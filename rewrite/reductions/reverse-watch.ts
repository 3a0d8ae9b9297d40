// The laws of a client's reverse, tried on the values of a reduction as they come: on all changes at first, then on few.

import type { Warning } from '../aggregates/aggregate.ts';
import type { Datum } from '../reql/data/datum.ts';
import { ReqlError } from '../reql/error.ts';
import {
  type Counterexample,
  checkFirst,
  checkOrder,
  checkRest,
  checkReverse,
  checkUndone,
  type ReversiblePair,
  smallest,
  warningOf,
} from './check-reverse.ts';

/** All changes are checked up to this many, later one in `SAMPLED`. */
const ALWAYS_CHECKED = 1000;
const SAMPLED = 100;

/** Finds out whether a reverse is wrong; says so once. */
export class ReverseWatch {
  readonly #pair: ReversiblePair;
  readonly #base: Datum | undefined;
  readonly #sample: () => Iterable<Datum>;
  #changes = 0;
  #recent: Datum | undefined;
  #warning: Warning | undefined;

  /**
   * @param base the acc of no elements; `undefined` where the first element is the first acc
   * @param sample few elements, to look for the smallest counterexample among
   */
  constructor(pair: ReversiblePair, base: Datum | undefined, sample: () => Iterable<Datum>) {
    this.#pair = pair;
    this.#base = base;
    this.#sample = sample;
  }

  /** The smallest counterexample found, once the reverse has failed. */
  get warning(): Warning | undefined {
    return this.#warning;
  }

  /** Counts a change, and says whether it is one to check. Nothing is, once the reverse has failed. */
  isDue(): boolean {
    if (this.#warning !== undefined) return false;
    this.#changes += 1;
    return this.#changes <= ALWAYS_CHECKED || this.#changes % SAMPLED === 0;
  }

  /** An element is about to be applied to an acc, if there is one. */
  applying(acc: Datum | undefined, element: Datum): void {
    const recent = this.#recent;
    this.#recent = element;
    const accs = acc === undefined ? [] : [acc];
    if (this.#base === undefined && recent !== undefined) accs.push(recent);
    const found = accs.map((one) => checkUndone(this.#pair, one, element));
    if (recent !== undefined) {
      if (this.#base === undefined) {
        found.push(checkUndone(this.#pair, element, recent), checkFirst(this.#pair, recent, element));
      }
      for (const one of accs) found.push(checkOrder(this.#pair, one, recent, element));
    }
    this.#conclude(found, acc, element);
  }

  /** An element was taken out of an acc by the reverse, and `rest` is left; `anew` is what the function makes of the others. */
  unapplied(acc: Datum, element: Datum, rest: Datum, anew: Datum | undefined): void {
    // An element that was taken out and is put back in must give the same acc.
    const found = checkUndone({ apply: this.#pair.unapply, unapply: this.#pair.apply }, acc, element);
    const back = found === undefined ? undefined : { ...found, acc: rest };
    this.#conclude([back, anew === undefined ? undefined : checkRest(acc, element, rest, anew)], rest, element);
  }

  /** The reverse failed on what its function took in: it is none. */
  failed(acc: Datum, element: Datum, { message: found }: ReqlError, anew: Datum | undefined): void {
    if (anew === undefined || this.#warning !== undefined) return;
    const law = 'the reverse undoes the function';
    this.#conclude([{ law, acc, elements: [element], expected: anew, found }], acc, element);
  }

  /** Takes the element out of an acc whose rest is known otherwise, to see whether the reverse comes to the same. */
  try(acc: Datum, element: Datum, anew: Datum): void {
    try {
      this.unapplied(acc, element, this.#pair.unapply(acc, element), anew);
    } catch (error) {
      if (!(error instanceof ReqlError)) throw error;
      this.failed(acc, element, error, anew);
    }
  }

  #conclude(found: readonly (Counterexample | undefined)[], acc: Datum | undefined, element: Datum): void {
    const failed = smallest(found);
    if (failed === undefined) return;
    const least = checkReverse(this.#pair, this.#base, [...this.#sample(), element], acc === undefined ? [] : [acc]);
    this.#warning = warningOf(smallest([failed, least]) ?? failed);
  }
}
