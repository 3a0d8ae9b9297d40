// Reading a field of an object, and of each object of an array: `getField` and bracket on data.

import { asString, isPlainOrPseudoObject, pseudoType, typedError } from '../../data/data-type.ts';
import { type Datum, type DatumObject, getField, MAXVAL, MINVAL } from '../../data/datum.ts';
import { cText, printDatum, printTruncated } from '../../data/json-text.ts';
import { logicError, nonExistence } from '../../error.ts';
import type { Meter } from '../../meter.ts';

/** The field of an object; raises NON_EXISTENCE without an origin where there is none. */
export function requireField(object: DatumObject, key: string, meter: Meter): Datum {
  const value = getField(object, key);
  if (value !== undefined) return value;
  throw nonExistence(`No attribute \`${cText(key)}\` in object:\n${printDatum(object, meter)}`);
}

/**
 * The field of an object, or `undefined` where it has none. Raises what `requireField` would where that is not that the
 * field is missing: an object with minval or maxval in it cannot be shown in an error.
 */
export function optionalField(object: DatumObject, key: string, meter: Meter): Datum | undefined {
  const value = getField(object, key);
  if (value === undefined && holdsExtreme(object, meter)) printDatum(object, meter);
  return value;
}

/** Whether minval or maxval stands anywhere in a datum. */
export function holdsExtreme(root: Datum, meter: Meter): boolean {
  const left: Datum[] = [root];
  for (let datum = left.pop(); datum !== undefined; datum = left.pop()) {
    if (typeof datum !== 'object' || datum === null) continue;
    if (datum === MINVAL || datum === MAXVAL) return true;
    const below = Object.values<Datum>(datum);
    meter.spend(below.length / 4);
    for (const value of below) left.push(value);
  }
  return false;
}

/** The object that a term over objects can work on; raises without an origin, naming the term, for any other datum. */
export function workableObject(name: string, datum: Datum, meter: Meter): DatumObject {
  if (!isPlainOrPseudoObject(datum)) {
    if (Array.isArray(datum)) throw logicError(`Cannot perform ${name} on a sequence of sequences.`);
    throw typedError(datum, `Cannot perform ${name} on a non-object non-sequence \`${printTruncated(datum, meter)}\`.`);
  }
  const pseudo = pseudoType(datum);
  if (pseudo !== undefined) throw logicError(`Cannot call \`${name}\` on objects of type \`PTYPE<${pseudo}>\`.`);
  return datum;
}

/** `getField` on a datum as a shorthand function does it: a field, or the fields of an array's objects that have it. */
export function fieldOf(name: string, datum: Datum, key: Datum, meter: Meter): Datum {
  if (!Array.isArray(datum)) return requireField(workableObject(name, datum, meter), asString(key), meter);
  meter.spend(datum.length);
  const found: Datum[] = [];
  for (const element of datum) {
    // A null element has no field, which counts as missing.
    const value =
      element === null ? undefined : optionalField(workableObject(name, element, meter), asString(key), meter);
    if (value !== undefined) found.push(value);
  }
  return found;
}
