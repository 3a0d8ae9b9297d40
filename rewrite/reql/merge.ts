// Merging objects, as `merge` and `update` do: objects field by field at any depth, everything else replaced; `literal`
// replaces without merging, and without a value removes.

import { isPlainOrPseudoObject, isPseudo } from './data-type.ts';
import { type Datum, type DatumObject, getField, setField } from './datum.ts';
import { sanitizeObject } from './pseudo.ts';

/** Merges `right` over `left`; `undefined` where all that is left is a `literal` without a value. */
export function mergeDatums(left: Datum, right: Datum): Datum | undefined {
  if (!isPlainOrPseudoObject(left) || !isPlainOrPseudoObject(right)) return dropLiterals(right);
  const merged: Record<string, Datum> = { ...left };
  for (const key of Object.keys(right)) {
    const value = right[key] ?? null;
    const before = getField(merged, key);
    const after =
      before !== undefined && isPlainOrPseudoObject(value) && !isPseudo(value, 'LITERAL')
        ? mergeDatums(before, value)
        : dropLiterals(value);
    if (after === undefined) delete merged[key];
    else setField(merged, key, after);
  }
  return sanitizeObject(merged);
}

/** Data with every `literal` replaced by its value; `undefined` for one that has none. */
function dropLiterals(datum: Datum): Datum | undefined {
  if (typeof datum !== 'object' || datum === null) return datum;
  if (Array.isArray(datum)) return dropFromArray(datum);
  if (!isPlainOrPseudoObject(datum)) return datum;
  if (isPseudo(datum, 'LITERAL')) {
    const value = getField(datum, 'value');
    return value === undefined ? undefined : dropLiterals(value);
  }
  return dropFromObject(datum);
}

function dropFromArray(array: readonly Datum[]): readonly Datum[] {
  const kept = array.map(dropLiterals);
  if (kept.every((item, index) => item === array[index])) return array;
  return kept.filter((item) => item !== undefined);
}

function dropFromObject(object: DatumObject): DatumObject {
  const entries = Object.entries(object);
  const kept = entries.map(([key, value]) => [key, dropLiterals(value)] as const);
  if (kept.every(([, value], index) => value === entries[index]?.[1])) return object;
  const made: Record<string, Datum> = {};
  for (const [key, value] of kept) {
    if (value !== undefined) setField(made, key, value);
  }
  return sanitizeObject(made);
}
