// A reduction with a reverse given by the client, in process: the acc takes elements in with f and out with g. The client's
// word is checked on the values that come; the elements are kept so that the first failure moves the reduction to the
// general way before a wrong value is shown.

import type { Datum } from '../reql/datum.ts';
import { ReqlError } from '../reql/error.ts';
import type { Accumulator, Warning } from './aggregate.ts';
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
import { Multiset } from './multiset.ts';
import { TreeReduce } from './tree-reduce.ts';

/** All changes are checked up to this many, later one in `SAMPLED`. */
const ALWAYS_CHECKED = 1000;
const SAMPLED = 100;
/** So many elements are reduced anew to check what a reverse left of them. */
const FEW = 100;
/** Elements that are tried together when a smallest counterexample is looked for. */
const TRIED = 8;

/** What a reduction is made of, ready to call. */
export interface ReversibleReduction extends ReversiblePair {
  /** The acc of no elements; `undefined` where the first element is the first acc. */
  readonly base: Datum | undefined;
  readonly emit: (acc: Datum) => Datum;
  /** The error of a reduction of nothing. */
  readonly nothing: ReqlError;
}

export class ReversedReduction implements Accumulator {
  readonly #reduction: ReversibleReduction;
  readonly #elements = new Multiset();
  #acc: Datum | undefined;
  #general: TreeReduce | 'anew' | undefined;
  #changes = 0;
  #recent: Datum | undefined;
  #warning: Warning | undefined;

  constructor(reduction: ReversibleReduction) {
    this.#reduction = reduction;
    this.#acc = reduction.base;
  }

  get count(): number {
    return this.#elements.size;
  }

  get kept(): number {
    return this.#elements.distinct;
  }

  /** The smallest counterexample found, once the reverse has failed. */
  get warning(): Warning | undefined {
    return this.#warning;
  }

  apply(element: Datum): void {
    this.#elements.add(element);
    if (this.#general instanceof TreeReduce) this.#general.add(element);
    if (this.#general !== undefined) return;
    this.#carefully(() => {
      const acc = this.#acc;
      if (this.#isDue()) this.#check(this.#lawsOfApply(acc, element), acc, element);
      this.#acc = acc === undefined ? element : this.#reduction.apply(acc, element);
      this.#recent = element;
    });
  }

  unapply(element: Datum): void {
    this.#elements.remove(element);
    if (this.#general instanceof TreeReduce) this.#general.remove(element);
    if (this.#general !== undefined) return;
    const acc = this.#acc;
    if (this.count === 0 || acc === undefined) {
      this.#acc = this.#reduction.base;
      return;
    }
    this.#carefully(() => {
      const rest = this.#undone(acc, element);
      const due = this.#isDue();
      const anew = due && this.count <= FEW ? this.#anew() : undefined;
      if (due) this.#check(this.#lawsOfUnapply(acc, rest, element, anew), rest, element);
      // What f makes of the elements has not gone through g: nothing of it is lost by rounding.
      this.#acc = anew ?? rest;
    });
  }

  emit(): Datum | ReqlError {
    try {
      const acc = this.#value();
      if (acc === undefined) return this.#reduction.nothing;
      return acc instanceof ReqlError ? acc : this.#reduction.emit(acc);
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  }

  #value(): Datum | ReqlError | undefined {
    if (this.#general === undefined) return this.#acc;
    return this.#general === 'anew' ? this.#anew() : this.#general.value;
  }

  /** The acc of the elements that are there, from the first on. */
  #anew(): Datum | undefined {
    let acc = this.#reduction.base;
    for (const element of this.#elements) acc = acc === undefined ? element : this.#reduction.apply(acc, element);
    return acc;
  }

  #lawsOfApply(acc: Datum | undefined, element: Datum): (Counterexample | undefined)[] {
    const { base } = this.#reduction;
    const recent = this.#recent;
    const accs = acc === undefined ? [] : [acc];
    if (base === undefined && recent !== undefined) accs.push(recent);
    const found = accs.map((one) => checkUndone(this.#reduction, one, element));
    if (recent !== undefined) {
      if (base === undefined) {
        found.push(checkUndone(this.#reduction, element, recent), checkFirst(this.#reduction, recent, element));
      }
      for (const one of accs) found.push(checkOrder(this.#reduction, one, recent, element));
    }
    return found;
  }

  // What was taken out, put back in, must give the same acc; and few elements are quickly reduced anew.
  #lawsOfUnapply(acc: Datum, rest: Datum, element: Datum, anew: Datum | undefined): (Counterexample | undefined)[] {
    const swapped: ReversiblePair = { apply: this.#reduction.unapply, unapply: this.#reduction.apply };
    const found = checkUndone(swapped, acc, element);
    const back = found === undefined ? undefined : { ...found, acc: rest };
    return [back, anew === undefined ? undefined : checkRest(acc, element, rest, anew)];
  }

  #isDue(): boolean {
    this.#changes += 1;
    return this.#changes <= ALWAYS_CHECKED || this.#changes % SAMPLED === 0;
  }

  #check(found: readonly (Counterexample | undefined)[], acc: Datum | undefined, element: Datum): void {
    const failed = smallest(found);
    if (failed === undefined) return;
    const elements = [...this.#sample(), element];
    const least = checkReverse(this.#reduction, this.#reduction.base, elements, acc === undefined ? [] : [acc]);
    this.#warning = warningOf(smallest([failed, least]) ?? failed);
    this.#generalize();
  }

  // A reverse that fails on what its function took in is no reverse.
  #undone(acc: Datum, element: Datum): Datum {
    try {
      return this.#reduction.unapply(acc, element);
    } catch (error) {
      if (error instanceof ReqlError) this.#check([this.#failure(acc, element, error)], acc, element);
      throw error;
    }
  }

  #failure(acc: Datum, element: Datum, { message: found }: ReqlError): Counterexample | undefined {
    const expected = this.#anew();
    const law = 'the reverse undoes the function';
    return expected === undefined ? undefined : { law, acc, elements: [element], expected, found };
  }

  *#sample(): IterableIterator<Datum> {
    let left = TRIED;
    for (const [element] of this.#elements.entries()) {
      if (left-- === 0) return;
      yield element;
    }
  }

  // An error of f or g is no wrong value, but the acc is lost: the general way says whether there is a value.
  #carefully(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof ReqlError)) throw error;
      this.#generalize();
    }
  }

  #generalize(): void {
    if (this.#reduction.base !== undefined) {
      this.#general = 'anew';
      return;
    }
    const tree = new TreeReduce(this.#reduction.apply);
    for (const element of this.#elements) tree.add(element);
    this.#general = tree;
  }
}
