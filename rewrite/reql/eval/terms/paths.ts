// The arguments of `pluck`, `without` and `hasFields`: field names, nested objects of them, arrays of both. The server
// reads each set of arguments into a pattern first.

import { sortedKeys } from '../../data/compare.ts';
import { isPlainOrPseudoObject, typeError } from '../../data/data-type.ts';
import { type Datum, type DatumObject, getField, setField } from '../../data/datum.ts';
import { printDatum } from '../../data/json-text.ts';
import { sanitizeObject } from '../../data/pseudo.ts';
import { logicError, ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { ErrorType } from '../../protocol.ts';
import { ERROR_STEPS } from '../core/bind.ts';

/** A pattern: one field, all of several patterns, or patterns for the values of fields. */
export type Paths =
  | { readonly kind: 'field'; readonly key: string }
  | { readonly kind: 'all'; readonly parts: readonly Paths[] }
  | { readonly kind: 'nested'; readonly fields: readonly (readonly [key: string, paths: Paths])[] };

/** Reads arguments into a pattern. Raises QUERY_LOGIC, pointing to `origin`, for a path that is none. */
export function parsePaths(argument: Datum, origin: Origin | undefined, meter: Meter): Paths {
  meter.spend(1);
  if (typeof argument === 'string') return { kind: 'field', key: argument };
  if (Array.isArray(argument)) return all(argument.map((part: Datum) => parsePaths(part, origin, meter)));
  if (!isPlainOrPseudoObject(argument)) {
    throw logicError(`Invalid path argument \`${printDatum(argument, meter)}\`.`, origin);
  }
  const fields: Paths[] = [];
  const nested: (readonly [string, Paths])[] = [];
  for (const key of sortedKeys(argument)) {
    const value = argument[key] ?? null;
    if (value === true) fields.push({ kind: 'field', key });
    else nested.push([key, parsePaths(value, origin, meter)]);
  }
  const deep: Paths = { kind: 'nested', fields: nested };
  if (fields.length === 0) return deep;
  return all(nested.length === 0 ? fields : [...fields, deep]);
}

function all(parts: readonly Paths[]): Paths {
  const [only] = parts;
  return only !== undefined && parts.length === 1 ? only : { kind: 'all', parts };
}

/** Steps that each object taken apart takes, and each of its fields. */
const OBJECT_STEPS = 4;
const FIELD_STEPS = 2;

// Errors about data inside a path count as "nothing there".
function ignoringDatumErrors(meter: Meter, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ReqlError) || error.origin !== undefined) throw error;
    // An error about too much work is no error about data.
    if (error.errorType === ErrorType.RESOURCE_LIMIT) throw error;
    meter.spend(ERROR_STEPS);
  }
}

function objectOf(datum: Datum): DatumObject {
  if (isPlainOrPseudoObject(datum)) return datum;
  throw typeError(datum, 'OBJECT');
}

/** What of a datum matches a pattern; of each element, where it is an array below the top. */
export function project(datum: Datum, paths: Paths, meter: Meter, below = false): Datum {
  meter.spend(OBJECT_STEPS);
  if (below && Array.isArray(datum)) return datum.map((element: Datum) => project(element, paths, meter));
  const result: Record<string, Datum> = {};
  switch (paths.kind) {
    case 'field': {
      const value = getField(objectOf(datum), paths.key);
      if (value !== undefined) setField(result, paths.key, value);
      break;
    }
    case 'all':
      for (const part of paths.parts) {
        const projected = objectOf(project(datum, part, meter, below));
        const keys = Object.keys(projected);
        meter.spend(FIELD_STEPS * keys.length);
        for (const key of keys) setField(result, key, projected[key] ?? null);
      }
      break;
    case 'nested':
      for (const [key, inner] of paths.fields) {
        const value = getField(objectOf(datum), key);
        if (value !== undefined)
          ignoringDatumErrors(meter, () => setField(result, key, project(value, inner, meter, true)));
      }
      break;
  }
  return sanitizeObject(result);
}

/** What of a datum does not match a pattern; of each element, where it is an array below the top. */
export function unproject(datum: Datum, paths: Paths, meter: Meter, below = false): Datum {
  meter.spend(OBJECT_STEPS);
  if (below && Array.isArray(datum)) return datum.map((element: Datum) => unproject(element, paths, meter));
  const rest = new Map<string, Datum>(Object.entries(objectOf(datum)));
  meter.spend(2 * FIELD_STEPS * rest.size);
  remove(rest, paths, meter);
  const result: Record<string, Datum> = {};
  for (const [key, value] of rest) setField(result, key, value);
  return sanitizeObject(result);
}

function remove(rest: Map<string, Datum>, paths: Paths, meter: Meter): void {
  meter.spend(1);
  switch (paths.kind) {
    case 'field':
      rest.delete(paths.key);
      break;
    case 'all':
      for (const part of paths.parts) remove(rest, part, meter);
      break;
    case 'nested':
      for (const [key, inner] of paths.fields) {
        const value = rest.get(key);
        if (value !== undefined) ignoringDatumErrors(meter, () => rest.set(key, unproject(value, inner, meter, true)));
      }
      break;
  }
}

/** Whether all that a pattern names is there and not null. */
export function hasPaths(datum: Datum, paths: Paths, meter: Meter): boolean {
  let has = false;
  ignoringDatumErrors(meter, () => {
    has = hasAll(datum, paths, meter);
  });
  return has;
}

function hasAll(datum: Datum, paths: Paths, meter: Meter): boolean {
  meter.spend(1);
  switch (paths.kind) {
    case 'field':
      return (getField(objectOf(datum), paths.key) ?? null) !== null;
    case 'all':
      return paths.parts.every((part) => hasPaths(datum, part, meter));
    case 'nested':
      return paths.fields.every(([key, inner]) => {
        const value = getField(objectOf(datum), key);
        return value !== undefined && hasPaths(value, inner, meter);
      });
  }
}
