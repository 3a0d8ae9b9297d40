// A reduction with a reverse given by the client, in process: the acc takes elements in with f and out with g. The client's
// word is checked on the values that come; the elements are kept so that the first failure moves the reduction to the
// general way before a wrong value is shown.

import type { Accumulator, Warning } from '../aggregates/aggregate.ts';
import { Multiset } from '../aggregates/state/multiset.ts';
import type { Datum } from '../reql/data/datum.ts';
import { ReqlError } from '../reql/error.ts';
import type { ReversiblePair } from './check-reverse.ts';
import { ReductionTree } from './reduction-tree.ts';
import { ReverseWatch } from './reverse-watch.ts';

/** So many elements are reduced anew to check what a reverse left of them. */
const FEW = 100;
/** Elements that are tried together when a smallest counterexample is looked for. */
const TRIED = 8;

/** The functions of a reduction, ready to call. */
export interface ReversibleReduction extends ReversiblePair {
  /** The acc of no elements; `undefined` where the first element is the first acc. */
  readonly base: Datum | undefined;
  readonly emit: (acc: Datum) => Datum;
  /** The error of a reduction of nothing. */
  readonly nothing: ReqlError;
}

export class ReversedReduction implements Accumulator {
  readonly #reduction: ReversibleReduction;
  readonly #watch: ReverseWatch;
  readonly #elements = new Multiset();
  #acc: Datum | undefined;
  #general: ReductionTree | 'anew' | undefined;

  constructor(reduction: ReversibleReduction) {
    this.#reduction = reduction;
    this.#watch = new ReverseWatch(reduction, reduction.base, () => this.#sample());
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
    return this.#watch.warning;
  }

  apply(element: Datum): void {
    this.#elements.add(element);
    if (this.#general instanceof ReductionTree) this.#general.add(element);
    if (this.#general !== undefined) return;
    this.#carefully(() => {
      const acc = this.#acc;
      if (this.#watch.isDue()) this.#watch.applying(acc, element);
      this.#acc = acc === undefined ? element : this.#reduction.apply(acc, element);
      if (this.#watch.warning !== undefined) this.#generalize();
    });
  }

  unapply(element: Datum): void {
    this.#elements.remove(element);
    if (this.#general instanceof ReductionTree) this.#general.remove(element);
    if (this.#general !== undefined) return;
    const acc = this.#acc;
    if (this.count === 0 || acc === undefined) {
      this.#acc = this.#reduction.base;
      return;
    }
    this.#carefully(() => {
      const rest = this.#undone(acc, element);
      const due = this.#watch.isDue();
      const anew = due && this.count <= FEW ? this.#anew() : undefined;
      if (due) this.#watch.unapplied(acc, element, rest, anew);
      if (this.#watch.warning !== undefined) this.#generalize();
      // The acc that f makes of the elements has not gone through g: it has lost nothing by rounding.
      this.#acc = anew === undefined ? rest : anew;
    });
  }

  value(): Datum | ReqlError {
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
    for (const element of this.#elements.values())
      acc = acc === undefined ? element : this.#reduction.apply(acc, element);
    return acc;
  }

  // A reverse that fails on an element that its function took in is no reverse.
  #undone(acc: Datum, element: Datum): Datum {
    try {
      return this.#reduction.unapply(acc, element);
    } catch (error) {
      if (error instanceof ReqlError) this.#watch.failed(acc, element, error, this.#anew());
      throw error;
    }
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
    const tree = new ReductionTree(this.#reduction.apply);
    for (const element of this.#elements.values()) tree.add(element);
    this.#general = tree;
  }
}
