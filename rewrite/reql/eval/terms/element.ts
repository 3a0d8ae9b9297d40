// The transformations of elements that terms make of functions.

import { compareDatums, sortedKeys } from '../../data/compare.ts';
import { asObject, isPlainOrPseudoObject, isPseudo, isTrue } from '../../data/data-type.ts';
import { type Datum, type DatumObject, getField } from '../../data/datum.ts';
import { cText } from '../../data/json-text.ts';
import { mergeDatums } from '../../data/merge.ts';
import { logicError, nonExistence, ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { ErrorType } from '../../protocol.ts';
import { asStream } from '../core/args.ts';
import { bound, EmptyError, ERROR_STEPS } from '../core/bind.ts';
import type { Func } from '../core/func.ts';
import { elementsOf } from '../streams/materialize.ts';
import type { Transform } from '../streams/transform.ts';

// Errors about what a function returned point to the function, not to its body.
function inFunction<Result>(func: Func, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw bound(error, func.origin?.parent);
  }
}

/** `map`. */
export function mapElements(func: Func, origin: Origin | undefined): Transform {
  return {
    kind: 'map',
    functions: [func],
    origin,
    apply: (element, emit) => emit(func.datum1(element)),
  };
}

/** `concatMap`. */
export function concatMapElements(func: Func, origin: Origin | undefined, meter: Meter): Transform {
  const made = (element: Datum): readonly Datum[] => {
    const value = func.call([element]);
    if (!Array.isArray(value)) return elementsOf(asStream(value, func.maker(), meter));
    meter.spend(value.length / 4);
    return value;
  };
  return {
    kind: 'concatMap',
    functions: [func],
    origin,
    // What is made of the elements further on is no business of this function.
    apply: (element, emit) => {
      for (const next of inFunction(func, () => made(element))) emit(next);
    },
  };
}

/** `filter`. `otherwise` gives the default for elements on which the function raises NON_EXISTENCE. */
export function filterElements(func: Func, otherwise: Func | undefined, origin: Origin | undefined): Transform {
  return {
    kind: 'filter',
    functions: otherwise === undefined ? [func] : [func, otherwise],
    origin,
    apply: (element, emit) => {
      if (inFunction(func, () => passes(func, element, otherwise))) emit(element);
    },
  };
}

/** Whether a filter's function accepts an element; objects written out are patterns. */
export function passes(func: Func, element: Datum, otherwise?: Func): boolean {
  func.meter.spend(1);
  try {
    const result = func.datum1(element);
    if (!func.returnsPattern || !isPlainOrPseudoObject(result)) return isTrue(result);
    return matches(result, element, func);
  } catch (error) {
    if (!(error instanceof ReqlError) || error.errorType !== ErrorType.NON_EXISTENCE) throw error;
    func.meter.spend(ERROR_STEPS);
    if (otherwise === undefined) return false;
    return fallback(otherwise, error);
  }
}

function fallback(otherwise: Func, caught: ReqlError): boolean {
  try {
    return isTrue(otherwise.datum([]));
  } catch (error) {
    throw error instanceof EmptyError ? caught : error;
  }
}

function matches(pattern: DatumObject, value: Datum, func: Func): boolean {
  const { meter, origin } = func;
  if (isPseudo(pattern, 'LITERAL')) {
    return compareDatums(getField(pattern, 'value') ?? null, value, meter) === 0;
  }
  for (const key of sortedKeys(pattern)) {
    meter.spend(1);
    const wanted = pattern[key] ?? null;
    const found = getField(asObject(value), key);
    if (found === undefined) throw nonExistence(`No attribute \`${cText(key)}\` in object.`, origin);
    if (isPlainOrPseudoObject(wanted) && isPlainOrPseudoObject(found)) {
      if (!matches(wanted, found, func)) return false;
    } else if (compareDatums(found, wanted, meter) !== 0) {
      return false;
    }
  }
  return true;
}

/** `zip`: what a join gave, the right side merged over the left. */
export function zipElements(origin: Origin | undefined, meter: Meter): Transform {
  return {
    kind: 'zip',
    functions: [],
    origin,
    apply: (element, emit) => {
      meter.spend(1);
      const pair = asObject(element);
      const left = getField(pair, 'left');
      const right = getField(pair, 'right');
      if (left === undefined) throw logicError('ZIP can only be called on the result of a join.');
      emit(right === undefined ? left : (mergeDatums(left, right, meter) ?? null));
    },
  };
}
