// Functions that a term makes of a datum: a field's name, what to pluck, a constant.

import type { Datum } from '../reql/datum.ts';
import type { Origin } from '../reql/origin.ts';
import { bind } from './bind.ts';
import { Determinism } from './compiled.ts';
import { fieldOf, workableObject } from './field.ts';
import { Func } from './func.ts';
import { parsePaths, project } from './paths.ts';
import type { Value } from './value.ts';

/** What a datum in the place of a function stands for. */
export type Shortcut = 'none' | 'constant' | 'field' | 'pluck';

/** The function that a datum stands for. Everything about it points to the datum's place. */
export function shortcutFunc(shortcut: Exclude<Shortcut, 'none'>, datum: Datum, origin: Origin | undefined): Func {
  switch (shortcut) {
    case 'constant':
      return new NativeFunc(0, origin, () => datum, true);
    case 'field':
      return new NativeFunc(1, origin, ([row = null]) => fieldOf('get_field', row, datum));
    case 'pluck':
      return new NativeFunc(1, origin, ([row = null]) => pluckFrom(row, datum, origin));
  }
}

function pluckFrom(row: Datum, argument: Datum, origin: Origin | undefined): Datum {
  const paths = parsePaths([argument], origin);
  if (!Array.isArray(row)) return project(workableObject('pluck', row), paths);
  return row.map((element: Datum) => project(workableObject('pluck', element), paths));
}

/** A function of ours. Errors that it raises without an origin point to `origin`. */
export class NativeFunc extends Func {
  readonly arity: number;
  readonly origin: Origin | undefined;
  readonly determinism: Determinism = Determinism.ALWAYS;
  readonly returnsPattern: boolean;
  readonly #run: (args: readonly Datum[]) => Value;

  constructor(
    arity: number,
    origin: Origin | undefined,
    run: (args: readonly Datum[]) => Value,
    returnsPattern = false,
  ) {
    super();
    this.arity = arity;
    this.origin = origin;
    this.#run = run;
    this.returnsPattern = returnsPattern;
  }

  maker(): Origin | undefined {
    return this.origin;
  }

  call(args: readonly Datum[]): Value {
    if (this.arity !== 0 && this.arity !== args.length) throw this.wrongArity(args.length);
    return bind(this.origin, () => this.#run(args));
  }
}
