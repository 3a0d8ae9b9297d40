// A reduction whose reverse was derived, in process: exact sums and ordered multisets, part by part, of the elements that have
// exactly the derived shape. All others go into a tree of partial reductions, and f joins the two; so no value is wrong,
// whatever comes.

import type { Accumulator } from '../aggregates/aggregate.ts';
import { ExactSum } from '../aggregates/state/exact-sum.ts';
import { Multiset } from '../aggregates/state/multiset.ts';
import { type Datum, getField, isObject, setField } from '../reql/data/datum.ts';
import { finite } from '../reql/data/number.ts';
import { ReqlError } from '../reql/error.ts';
import type { Derived } from './derive-reverse.ts';
import { type Combine, ReductionTree } from './reduction-tree.ts';

export class DerivedReduction implements Accumulator {
  readonly #derived: Derived;
  readonly #state: State;
  readonly #combine: Combine;
  readonly #others: ReductionTree;
  readonly #nothing: ReqlError;
  #regular = 0;

  constructor(derived: Derived, combine: Combine, nothing: ReqlError) {
    this.#derived = derived;
    this.#state = stateOf(derived);
    this.#combine = combine;
    this.#others = new ReductionTree(combine);
    this.#nothing = nothing;
  }

  get count(): number {
    return this.#regular + this.#others.size;
  }

  get kept(): number {
    return this.#state.kept + this.#others.size;
  }

  apply(element: Datum): void {
    if (!hasShape(this.#derived, element)) {
      this.#others.add(element);
      return;
    }
    this.#state.change(element, 1);
    this.#regular += 1;
  }

  unapply(element: Datum): void {
    if (!hasShape(this.#derived, element)) {
      this.#others.remove(element);
      return;
    }
    this.#state.change(element, -1);
    this.#regular -= 1;
  }

  value(): Datum | ReqlError {
    const other = this.#others.value;
    if (this.#regular === 0) return other === undefined ? this.#nothing : other;
    try {
      const regular = this.#state.value(this.#regular - 1);
      if (other === undefined || other instanceof ReqlError) return other ?? regular;
      return this.#combine(regular, other);
    } catch (error) {
      if (error instanceof ReqlError) return error;
      throw error;
    }
  }
}

/** The state of a part. */
interface State {
  readonly kept: number;
  change(element: Datum, by: 1 | -1): void;
  /** The value after so many calls of the function. */
  value(calls: number): Datum;
}

function hasShape(derived: Derived, element: Datum): boolean {
  switch (derived.kind) {
    case 'sum':
      return typeof element === 'number';
    case 'min':
    case 'max':
      return true;
    case 'object': {
      if (!isObject(element) || Object.keys(element).length !== derived.fields.size) return false;
      for (const [name, field] of derived.fields) {
        const value = getField(element, name);
        if (value === undefined || !hasShape(field, value)) return false;
      }
      return true;
    }
    case 'array':
      return (
        Array.isArray(element) &&
        element.length === derived.items.length &&
        derived.items.every((item, index) => hasShape(item, element[index] ?? null))
      );
  }
}

function stateOf(derived: Derived): State {
  switch (derived.kind) {
    case 'sum':
      return new SumState(derived.plus);
    case 'min':
    case 'max':
      return new ExtremeState(derived.kind);
    case 'object':
      return new ObjectState([...derived.fields].map(([name, field]) => [name, stateOf(field)]));
    case 'array':
      return new ArrayState(derived.items.map(stateOf));
  }
}

class SumState implements State {
  readonly kept = 1;
  readonly #sum = new ExactSum();
  readonly #plus: number;

  constructor(plus: number) {
    this.#plus = plus;
  }

  change(element: Datum, by: 1 | -1): void {
    if (typeof element === 'number') this.#sum.add(by * element);
  }

  value(calls: number): Datum {
    return finite(this.#sum.value + this.#plus * calls);
  }
}

class ExtremeState implements State {
  readonly #values = new Multiset();
  readonly #kind: 'min' | 'max';

  constructor(kind: 'min' | 'max') {
    this.#kind = kind;
  }

  get kept(): number {
    return this.#values.distinct;
  }

  change(element: Datum, by: 1 | -1): void {
    if (by === 1) this.#values.add(element);
    else this.#values.remove(element);
  }

  value(): Datum {
    return (this.#kind === 'min' ? this.#values.first : this.#values.last) ?? null;
  }
}

class ObjectState implements State {
  readonly #fields: readonly (readonly [name: string, state: State])[];

  constructor(fields: readonly (readonly [name: string, state: State])[]) {
    this.#fields = fields;
  }

  get kept(): number {
    return this.#fields.reduce((kept, [, field]) => kept + field.kept, 0);
  }

  change(element: Datum, by: 1 | -1): void {
    if (!isObject(element)) return;
    for (const [name, field] of this.#fields) field.change(getField(element, name) ?? null, by);
  }

  value(calls: number): Datum {
    const object: Record<string, Datum> = {};
    for (const [name, field] of this.#fields) setField(object, name, field.value(calls));
    return object;
  }
}

class ArrayState implements State {
  readonly #items: readonly State[];

  constructor(items: readonly State[]) {
    this.#items = items;
  }

  get kept(): number {
    return this.#items.reduce((kept, item) => kept + item.kept, 0);
  }

  change(element: Datum, by: 1 | -1): void {
    if (!Array.isArray(element)) return;
    for (const [index, item] of this.#items.entries()) item.change(element[index] ?? null, by);
  }

  value(calls: number): Datum {
    return this.#items.map((item) => item.value(calls));
  }
}
