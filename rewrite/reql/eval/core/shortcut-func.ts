// Functions that a term makes of a datum: a field's name, what to pluck, a constant.

import { equalDatums } from '../../data/compare.ts';
import { PSEUDO_TYPE } from '../../data/data-type.ts';
import { type Datum, isObject } from '../../data/datum.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { fieldOf, optionalField, workableObject } from '../terms/field.ts';
import { parsePaths, project } from '../terms/paths.ts';
import { bind } from './bind.ts';
import { Determinism } from './compiled.ts';
import { Func } from './func.ts';
import type { Value } from './value.ts';

/** What a datum in the place of a function stands for. */
export type Shortcut = 'none' | 'constant' | 'field' | 'pluck';

/** The function that a datum stands for. Everything about it points to the datum's place. */
export function shortcutFunc(
  shortcut: Exclude<Shortcut, 'none'>,
  datum: Datum,
  origin: Origin | undefined,
  meter: Meter,
): Func {
  switch (shortcut) {
    case 'constant':
      return new NativeFunc(0, origin, meter, () => datum, true);
    case 'field':
      return new FieldFunc(datum, origin, meter);
    case 'pluck':
      return new NativeFunc(1, origin, meter, ([row = null]) => pluckFrom(row, datum, origin, meter));
  }
}

function pluckFrom(row: Datum, argument: Datum, origin: Origin | undefined, meter: Meter): Datum {
  const paths = parsePaths([argument], origin, meter);
  if (!Array.isArray(row)) return project(workableObject('pluck', row, meter), paths, meter);
  return row.map((element: Datum) => project(workableObject('pluck', element, meter), paths, meter));
}

/** A function of ours. Errors that it raises without an origin point to `origin`. */
export class NativeFunc extends Func {
  readonly arity: number;
  readonly origin: Origin | undefined;
  readonly determinism: Determinism;
  readonly returnsPattern: boolean;
  readonly #run: (args: readonly Datum[]) => Value;
  readonly meter: Meter;

  constructor(
    arity: number,
    origin: Origin | undefined,
    meter: Meter,
    run: (args: readonly Datum[]) => Value,
    returnsPattern = false,
    determinism: Determinism = Determinism.ALWAYS,
  ) {
    super();
    this.arity = arity;
    this.origin = origin;
    this.meter = meter;
    this.#run = run;
    this.returnsPattern = returnsPattern;
    this.determinism = determinism;
  }

  maker(): Origin | undefined {
    return this.origin;
  }

  call(args: readonly Datum[]): Value {
    if (this.arity !== 0 && this.arity !== args.length) throw this.wrongArity(args.length);
    return bind(this.origin, () => {
      this.meter.spend(1);
      return this.#run(args);
    });
  }
}

/** `row => row.getField(key)`. */
class FieldFunc extends NativeFunc {
  readonly #key: Datum;

  constructor(key: Datum, origin: Origin | undefined, meter: Meter) {
    super(1, origin, meter, ([row = null]) => fieldOf('get_field', row, key, meter));
    this.#key = key;
  }

  // Rows without the field are common; an error would be dear.
  override tryDatum1(row: Datum): Datum | undefined {
    const key = this.#key;
    if (typeof key !== 'string' || typeof row !== 'object' || row === null || !isObject(row)) {
      return super.tryDatum1(row);
    }
    if (row[PSEUDO_TYPE] !== undefined) return super.tryDatum1(row);
    return bind(this.origin, () => {
      this.meter.spend(1);
      return optionalField(row, key, this.meter);
    });
  }
}

/** The function that tells whether an element is equal to a datum. */
export function equalTo(wanted: Datum, origin: Origin | undefined, meter: Meter): Func {
  return new NativeFunc(1, origin, meter, ([element = null]) => equalDatums(element, wanted, meter));
}
