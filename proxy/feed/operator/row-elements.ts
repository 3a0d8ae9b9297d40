// The rows of something live as the elements of the next thing: each row goes through a function that gives an array.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import type { PureFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { CallTerm } from '../../../rewrite/reql/term/term.ts';
import { funcParts, varOf } from '../../../rewrite/reql/term/vars.ts';
import { TermType } from '../../../rewrite/reql/term-type.ts';
import { type ElementSink, NONE, type RowSink } from './operator.ts';

/** The elements that a row is. */
export type Projection = (row: Datum) => readonly Datum[];

/** Makes a FUNC that gives an array ready to be called. */
export function projectionOf(func: CallTerm, compile: (func: CallTerm) => PureFunction): Projection {
  // The row itself takes no evaluation, and is what most orders are made of.
  if (isIdentity(func)) return (row) => [row];
  const each = compile(func);
  return (row) => elementsOf(each([row]));
}

/** Whether a function is `row => [row]`. */
export function isIdentity(func: CallTerm): boolean {
  const parts = funcParts(func);
  const { body } = parts ?? {};
  if (body?.kind !== 'call' || body.type !== TermType.MAKE_ARRAY || body.args.length !== 1) return false;
  const [item] = body.args;
  return item !== undefined && parts?.params.length === 1 && varOf(item) === parts.params[0];
}

/** Projects rows for a sink of elements. */
export class RowElements implements RowSink {
  readonly #each: Projection;
  readonly #sink: ElementSink;

  constructor(each: Projection, sink: ElementSink) {
    this.#each = each;
    this.#sink = sink;
  }

  row(old: Datum | undefined, now: Datum | undefined): void {
    this.#sink.change(this.#elements(old), this.#elements(now));
  }

  #elements(row: Datum | undefined): readonly Datum[] {
    return row === undefined ? NONE : this.#each(row);
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
