// Merging objects, as `merge` and `update` do: objects field by field at any depth, everything else replaced; `literal`
// replaces without merging, and without a value removes.

import type { Meter } from '../meter.ts';
import { isPlainOrPseudoObject, isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, getField, setField } from './datum.ts';
import { sanitizeObject } from './pseudo.ts';

/** Steps that a merge takes, and each field of the objects merged. */
const MERGE_STEPS = 4;
const FIELD_STEPS = 2;

function fieldCount(object: DatumObject): number {
  let count = 0;
  for (const _key in object) count += 1;
  return count;
}

/** Merges `right` over `left`; `undefined` where all that is left is a `literal` without a value. */
export function mergeDatums(left: Datum, right: Datum, meter?: Meter): Datum | undefined {
  if (!isPlainOrPseudoObject(left) || !isPlainOrPseudoObject(right)) return dropLiterals(right, meter);
  const merged: Record<string, Datum> = { ...left };
  const keys = Object.keys(right);
  meter?.spend(MERGE_STEPS + FIELD_STEPS * (keys.length + (meter === undefined ? 0 : fieldCount(left))));
  for (const key of keys) {
    const value = right[key] ?? null;
    const before = getField(merged, key);
    const after =
      before !== undefined && isPlainOrPseudoObject(value) && !isPseudo(value, 'LITERAL')
        ? mergeDatums(before, value, meter)
        : dropLiterals(value, meter);
    if (after === undefined) delete merged[key];
    else setField(merged, key, after);
  }
  return sanitizeObject(merged);
}

/** Data with every `literal` replaced by its value; `undefined` for one that has none. */
function dropLiterals(datum: Datum, meter: Meter | undefined): Datum | undefined {
  if (typeof datum !== 'object' || datum === null) return datum;
  if (Array.isArray(datum)) return dropFromArray(datum, meter);
  if (!isPlainOrPseudoObject(datum)) return datum;
  if (isPseudo(datum, 'LITERAL')) {
    const value = getField(datum, 'value');
    return value === undefined ? undefined : dropLiterals(value, meter);
  }
  return dropFromObject(datum, meter);
}

function dropFromArray(array: readonly Datum[], meter: Meter | undefined): readonly Datum[] {
  meter?.spend(1 + array.length / 2);
  const kept = array.map((item) => dropLiterals(item, meter));
  if (kept.every((item, index) => item === array[index])) return array;
  return kept.filter((item) => item !== undefined);
}

function dropFromObject(object: DatumObject, meter: Meter | undefined): DatumObject {
  const entries = Object.entries(object);
  meter?.spend(1 + FIELD_STEPS * entries.length);
  const kept = entries.map(([key, value]) => [key, dropLiterals(value, meter)] as const);
  if (kept.every(([, value], index) => value === entries[index]?.[1])) return object;
  const made: Record<string, Datum> = {};
  for (const [key, value] of kept) {
    if (value !== undefined) setField(made, key, value);
  }
  return sanitizeObject(made);
}
