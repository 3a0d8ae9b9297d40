// The whole answer while something grouped has no groups: `default` over groups.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { computed } from './expressed-value.ts';
import type { Failure } from './groups.ts';
import { type LiveValue, shown } from './operator.ts';

/** One `default`, as a function of what it caught and of other values. */
export interface WholeDefault {
  readonly compute: PureFunction;
  readonly inputs: readonly LiveValue[];
}

/** The whole answer, null where the groups are there. */
export class WholeAnswer {
  readonly #defaults: readonly WholeDefault[];
  #value: Datum = null;

  /** `defaults` from the innermost out. */
  constructor(defaults: readonly WholeDefault[]) {
    this.#defaults = defaults;
  }

  /** How many `default`s there are. */
  get stages(): number {
    return this.#defaults.length;
  }

  get value(): Datum {
    return this.#value;
  }

  /**
   * Takes why there are no groups.
   * @throws ReqlError what the default raises, and the terms above it
   */
  take(failure: Failure | undefined): void {
    const given = failure === undefined ? undefined : this.#defaults[failure.stage];
    if (failure === undefined || given === undefined) {
      this.#value = null;
      return;
    }
    const inputs = given.inputs.map(({ value }) => value);
    this.#value = shown(computed(given.compute, [failure.error, ...inputs]));
  }
}
