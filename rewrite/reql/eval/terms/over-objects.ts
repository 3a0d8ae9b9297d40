// The run of a term over objects: on an object as such, on a sequence once per element, arguments and all.

import { dataType, pseudoType, typeName } from '../../data/data-type.ts';
import type { Datum, DatumObject } from '../../data/datum.ts';
import { logicError, ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import { ErrorType } from '../../protocol.ts';
import { type Args, asSelection, isSelectionLike, isStreamLike } from '../core/args.ts';
import { bind, ERROR_STEPS } from '../core/bind.ts';
import { Determinism } from '../core/compiled.ts';
import { NativeFunc } from '../core/shortcut-func.ts';
import { isDatumLike, printValueTruncated, Selection, toDatum, type Value, valueError } from '../core/value.ts';
import { streamValue } from '../streams/materialize.ts';
import type { Transform } from '../streams/transform.ts';
import { workableObject } from './field.ts';

/** What comes of a sequence: a result per element; the elements that pass; the results of those that have one. */
export type OverSequence = 'map' | 'filter' | 'skipMap';

/** A term over objects. */
export interface OverObjects {
  /** The term's name in error texts. */
  readonly name: string;
  readonly sequence: OverSequence;
  /** The term on one object; reads its further arguments itself. */
  readonly onObject: (object: DatumObject, args: Args) => Datum;
  /** With 'skipMap': the same, but `undefined` where there is no result, without the cost of an error. */
  readonly tryOnObject?: (object: DatumObject, args: Args) => Datum | undefined;
}

/** Runs a term over objects on the value of its first argument. */
export function overObjects(over: OverObjects, args: Args, value: Value): Value {
  const maker = args.maker(0);
  const { meter } = args.context;
  const datum = isDatumLike(value) ? toDatum(value, maker) : undefined;
  if (datum !== undefined && dataType(datum) === 'OBJECT') {
    const object = datum as DatumObject;
    if (pseudoType(object) !== undefined) {
      throw logicError(`Cannot call \`${over.name}\` on objects of type \`${typeName(object)}\`.`, maker);
    }
    return over.onObject(object, args);
  }
  if (datum === undefined ? !isStreamLike(value) : !Array.isArray(datum)) {
    throw valueError(
      value,
      `Cannot perform ${over.name} on a non-object non-sequence \`${printValueTruncated(value, meter)}\`.`,
      maker,
    );
  }
  if (args.optargBool('_NO_RECURSE_', false)) {
    throw args.fail(`Cannot perform ${over.name} on a sequence of sequences.`);
  }
  return overSequence(over, args, datum ?? value);
}

function overSequence(over: OverObjects, args: Args, value: Value): Value {
  const transform = transformOf(over, args);
  if (over.sequence === 'filter' && isSelectionLike(value)) {
    const { table, stream } = asSelection(value, args.maker(0));
    return new Selection(table, stream.transform(transform));
  }
  return streamValue(args.streamOf(value, args.maker(0)).transform(transform), args.context);
}

function transformOf(over: OverObjects, args: Args): Transform {
  const func = elementFunc(over, args);
  const { origin } = args;
  switch (over.sequence) {
    case 'map':
      return {
        kind: 'map',
        functions: [func],
        origin,
        apply: (element, emit) => emit(func.datum1(element)),
      };
    case 'filter':
      return {
        kind: 'filter',
        functions: [func],
        origin,
        apply: (element, emit) => {
          // Elements without a value (null) do not pass.
          if (orSkip(() => func.datum1(element), func.meter) === true) emit(element);
        },
      };
    case 'skipMap':
      return {
        kind: 'skipMap',
        functions: [func],
        origin,
        apply: (element, emit) => {
          const made = orSkip(() => resultOf(over, args, func, element), func.meter);
          if (made !== undefined) emit(made);
        },
      };
  }
}

function elementFunc(over: OverObjects, args: Args): NativeFunc {
  const determinism = args.terms
    .slice(1)
    .reduce((joined, term) => joined | term.determinism, Determinism.ALWAYS as Determinism);
  const { meter } = args.context;
  const run = (element: Datum): Datum => over.onObject(workableObject(over.name, element, meter), args);
  return new NativeFunc(1, args.origin, meter, ([element = null]) => run(element), false, determinism);
}

function resultOf(over: OverObjects, args: Args, func: NativeFunc, element: Datum): Datum | undefined {
  if (over.tryOnObject === undefined) return func.datum1(element);
  const { tryOnObject } = over;
  func.meter.spend(1);
  return bind(args.origin, () => tryOnObject(workableObject(over.name, element, func.meter), args));
}

function orSkip(work: () => Datum | undefined, meter: Meter): Datum | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ReqlError) || error.errorType !== ErrorType.NON_EXISTENCE) throw error;
    meter.spend(ERROR_STEPS);
    return undefined;
  }
}
