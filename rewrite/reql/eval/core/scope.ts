// The variables of a running function. A scope lives as long as something that reads it: a lazy stream keeps its own.

import type { Datum } from '../../data/datum.ts';
import type { ReqlError } from '../../error.ts';

/** The content of a variable: a datum, or an error that is raised when the variable is read. */
export type Bound = Datum | ReqlError;

/**
 * The arguments of one call of a function; functions without parameters have none. Where a variable is to be found
 * (how many scopes up, and at which place) is known when a term is compiled.
 */
export class Scope {
  // Only declared: a field that is defined is set to undefined first, for every call.
  declare readonly parent: Scope | undefined;
  declare readonly first: Bound;
  declare readonly second: Bound;
  declare readonly others: readonly Bound[];

  constructor(parent: Scope | undefined, first: Bound, second: Bound = null, others: readonly Bound[] = NONE) {
    this.parent = parent;
    this.first = first;
    this.second = second;
    this.others = others;
  }
}

const NONE: readonly Bound[] = [];
