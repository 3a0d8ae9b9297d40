// A text for each datum, the same for two data exactly when the server takes them for the same: for maps and sets.

import { sortedKeys } from './compare.ts';
import { PSEUDO_TYPE, pseudoType } from './data-type.ts';
import { type Datum, type DatumObject, getField, isObject, MAXVAL, MINVAL } from './datum.ts';

/** The key of a datum. 0 and -0 have one, equal instants in two time zones have one. */
export function datumKey(datum: Datum): string {
  switch (typeof datum) {
    case 'number':
      return datum === 0 ? '0' : String(datum);
    case 'string':
      return JSON.stringify(datum);
    case 'boolean':
      return datum ? 'true' : 'false';
    default:
      break;
  }
  if (datum === null) return 'null';
  if (!isObject(datum)) return `[${datum.map(datumKey).join(',')}]`;
  return objectKey(datum);
}

function objectKey(object: DatumObject): string {
  if (object === MINVAL) return 'minval';
  if (object === MAXVAL) return 'maxval';
  if (pseudoType(object) === 'TIME') return `time(${datumKey(getField(object, 'epoch_time') ?? null)})`;
  const fields = sortedKeys(object).map((key) => {
    const value = object[key] ?? null;
    return `${key === PSEUDO_TYPE ? '$' : JSON.stringify(key)}:${datumKey(value)}`;
  });
  return `{${fields.join(',')}}`;
}
