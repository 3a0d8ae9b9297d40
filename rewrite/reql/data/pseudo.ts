// Objects that are pseudo-types: the checks and corrections that the server applies whenever an object with a
// `$reql_type$` key comes to be. Errors have no origin; the term that makes the object adds its own.

import { logicError, nonExistence } from '../error.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { sortedKeys } from './compare.ts';
import { asArray, asString, PSEUDO_TYPE, typeName } from './data-type.ts';
import { type Datum, type DatumObject, getField, MAXVAL, MINVAL } from './datum.ts';
import { printTruncated } from './json-text.ts';
import { finite } from './number.ts';
import { tryTimeZone } from './time-zone.ts';

/** The text for a literal where none may be. */
export const STRAY_LITERAL =
  'Stray literal keyword found: literal is only legal inside of the object passed to merge or update and cannot nest inside other literals.';

/** The fields of a pseudo-type that must have only them; or objects of no pseudo-type, unchanged. */
export function sanitizeObject(object: DatumObject, literalAllowed = false): DatumObject {
  const name = getField(object, PSEUDO_TYPE);
  if (name === undefined || object === MINVAL || object === MAXVAL) return object;
  if (typeof name !== 'string') {
    throw logicError(
      `Error: Field \`${PSEUDO_TYPE}\` must be a string (got \`${printTruncated(name)}\` of type ${typeName(name)}):\n${printTruncated(object)}`,
    );
  }
  const sanitize = sanitizers.get(name);
  if (sanitize === undefined) throw logicError(`Unknown $reql_type$ \`PTYPE<${name}>\`.`);
  return sanitize(object, literalAllowed);
}

type Sanitize = (object: DatumObject, literalAllowed: boolean) => DatumObject;

const sanitizers: ReadonlyMap<string, Sanitize> = new Map<string, Sanitize>([
  ['TIME', sanitizeTime],
  ['BINARY', sanitizeBinary],
  ['GEOMETRY', checkGeometry],
  [
    'LITERAL',
    (object, literalAllowed) => {
      if (!literalAllowed) throw logicError(STRAY_LITERAL);
      return checkLiteral(object);
    },
  ],
]);

/** A BINARY pseudo-type of these bytes. */
export function makeBinary(bytes: Uint8Array): DatumObject {
  return { [PSEUDO_TYPE]: 'BINARY', data: encodeBase64(bytes) };
}

/** The bytes of a BINARY pseudo-type. */
export function binaryBytes(binary: DatumObject): Uint8Array {
  return decodeBase64(asString(getField(binary, 'data') ?? ''));
}

function sanitizeBinary(object: DatumObject): DatumObject {
  let data: Datum | undefined;
  for (const key of sortedKeys(object)) {
    if (key === 'data') data = object[key] ?? null;
    else if (key !== PSEUDO_TYPE) throw logicError(`Invalid binary pseudotype: illegal \`${key}\` key.`);
  }
  if (data === undefined) throw logicError('Invalid binary pseudotype: lacking `data` key.');
  return makeBinary(decodeBase64(asString(data)));
}

function checkLiteral(object: DatumObject): DatumObject {
  for (const key of sortedKeys(object)) {
    if (key !== PSEUDO_TYPE && key !== 'value') {
      throw logicError(`Invalid literal term with illegal key \`${key}\`.`);
    }
  }
  return object;
}

function checkGeometry(object: DatumObject): DatumObject {
  for (const key of sortedKeys(object)) {
    if (key === 'coordinates') asArray(object[key] ?? null);
    else if (key === 'type') asString(object[key] ?? null);
    else if (key !== 'crs' && key !== PSEUDO_TYPE) {
      throw logicError(`Unrecognized field \`${key}\` found in geometry object.`);
    }
  }
  for (const key of ['type', 'coordinates']) {
    if (getField(object, key) === undefined) throw nonExistence(`Field \`${key}\` not found in geometry object.`);
  }
  return object;
}

function sanitizeTime(time: DatumObject): DatumObject {
  let epochTime: number | undefined;
  let timezone: string | undefined;
  const invalid = (why: string): Error =>
    logicError(`Invalid time object constructed (${why}):\n${printTruncated(time)}`);
  for (const key of sortedKeys(time)) {
    const value = time[key] ?? null;
    if (key === 'epoch_time') {
      if (typeof value !== 'number') throw invalid(`field \`${key}\` must be a number ${found(value)}`);
      epochTime = finite(roundToMilliseconds(value));
    } else if (key === 'timezone') {
      if (typeof value !== 'string') throw invalid(`field \`${key}\` must be a string ${found(value)}`);
      timezone = tryTimeZone(value);
      if (timezone === undefined) throw invalid(`invalid timezone string \`${printTruncated(value)}\``);
    } else if (key !== PSEUDO_TYPE) {
      throw invalid(`unrecognized field \`${key}\``);
    }
  }
  if (epochTime === undefined) throw invalid('no field `epoch_time`');
  if (timezone === undefined) throw invalid('no field `timezone`');
  return { [PSEUDO_TYPE]: 'TIME', epoch_time: epochTime, timezone };
}

function found(value: Datum): string {
  return `(got \`${printTruncated(value)}\` of type ${typeName(value)})`;
}

/** A TIME of this instant in this zone; raises QUERY_LOGIC without an origin for a zone that is none. */
export function makeTime(epochTime: number, timezone: string): DatumObject {
  return sanitizeTime({ [PSEUDO_TYPE]: 'TIME', epoch_time: epochTime, timezone });
}

/** Seconds rounded to milliseconds, half away from zero. */
export function roundToMilliseconds(seconds: number): number {
  return roundAwayFromZero(seconds * 1000) / 1000;
}

/** C's `round`: to the nearest integer, half away from zero. */
export function roundAwayFromZero(value: number): number {
  const whole = Math.trunc(value);
  const far = Math.abs(value - whole) >= 0.5;
  return far ? whole + Math.sign(value) : whole;
}
