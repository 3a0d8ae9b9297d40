// A text for each datum, the same for two data exactly when the server takes them for the same: for maps and sets.

import type { Meter } from '../meter.ts';
import { sortedKeys } from './compare.ts';
import { PSEUDO_TYPE, pseudoType } from './data-type.ts';
import { type Datum, type DatumObject, getField, isObject, MAXVAL, MINVAL } from './datum.ts';
import { deepText, LEVELS } from './deep-text.ts';
import { quoted } from './quoted.ts';

/** Characters of a text that are written in about the time of one step. */
const CHARACTERS_PER_STEP = 32;

/**
 * The key of a datum. 0 and -0 have one, equal instants in two time zones have one. Depth is no concern. `meter` counts the
 * work, and may raise.
 */
export function datumKey(datum: Datum, meter?: Meter): string {
  switch (typeof datum) {
    case 'number':
      return datum === 0 ? '0' : String(datum);
    case 'string':
      meter?.spend(datum.length / CHARACTERS_PER_STEP);
      return quoted(datum);
    case 'boolean':
      return datum ? 'true' : 'false';
    case 'object':
      return datum === null ? 'null' : structureKey(datum, LEVELS, meter);
  }
}

/** The key that stands for a datum in a hash. */
export type HashKey = string | number | boolean | null;

/** Before the text of what does not stand for itself. */
const MARK = '\0';

/**
 * The key of a datum in a hash, the same for two data exactly when the server takes them for the same. Numbers, texts,
 * booleans and null are their own keys, so that nothing is made of them: a hash of a million numbers is half as large as one of
 * their `datumKey`s.
 */
export function hashKey(datum: Datum): HashKey {
  if (typeof datum === 'string') return datum.startsWith(MARK) ? MARK + datumKey(datum) : datum;
  return typeof datum === 'object' && datum !== null ? MARK + datumKey(datum) : datum;
}

function structureKey(datum: readonly Datum[] | DatumObject, levels: number, meter: Meter | undefined): string {
  if (levels === 0) return deepKey(datum, meter);
  const inner = (value: Datum): string =>
    typeof value === 'object' && value !== null ? structureKey(value, levels - 1, meter) : datumKey(value, meter);
  if (isArray(datum)) {
    meter?.spend(1 + datum.length);
    return `[${datum.map(inner).join(',')}]`;
  }
  const atom = objectAtom(datum);
  if (atom !== undefined) return atom;
  const keys = sortedKeys(datum);
  meter?.spend(1 + 2 * keys.length);
  return `{${keys.map((key) => `${keyText(key)}${inner(datum[key] ?? null)}`).join(',')}}`;
}

function deepKey(root: Datum, meter: Meter | undefined): string {
  return deepText(root, {
    atom: (datum) => {
      meter?.spend(2);
      if (typeof datum !== 'object' || datum === null) return datumKey(datum, meter);
      return isObject(datum) ? objectAtom(datum) : undefined;
    },
    key: keyText,
  });
}

/** The key of an object that is one thing; `undefined` for one that is its fields. */
function objectAtom(object: DatumObject): string | undefined {
  if (object === MINVAL) return 'minval';
  if (object === MAXVAL) return 'maxval';
  if (pseudoType(object) === 'TIME') return `time(${datumKey(getField(object, 'epoch_time') ?? null)})`;
  return undefined;
}

function keyText(key: string): string {
  return `${key === PSEUDO_TYPE ? '$' : quoted(key)}:`;
}

function isArray(datum: readonly Datum[] | DatumObject): datum is readonly Datum[] {
  return Array.isArray(datum);
}
