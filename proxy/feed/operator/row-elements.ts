// The rows of something live as the elements of the next thing: each row goes through a function that gives an array.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import { type ElementSink, NONE, type RowSink } from './operator.ts';

/** Projects rows for a sink of elements. */
export class RowElements implements RowSink {
  readonly #each: PureFunction;
  readonly #sink: ElementSink;

  constructor(each: PureFunction, sink: ElementSink) {
    this.#each = each;
    this.#sink = sink;
  }

  row(old: Datum | undefined, now: Datum | undefined): void {
    this.#sink.change(this.#elements(old), this.#elements(now));
  }

  #elements(row: Datum | undefined): readonly Datum[] {
    return row === undefined ? NONE : elementsOf(this.#each([row]));
  }
}

/** The elements that a projection gave. */
export function elementsOf(datum: Datum): readonly Datum[] {
  if (isArray(datum)) return datum;
  throw new TypeError('a projection gave something other than an array');
}

function isArray(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
