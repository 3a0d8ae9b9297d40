// The errors of values that cannot be keys, in the server's words (datum.cc).

import { logicError, nonExistence, type ReqlError } from '../error.ts';
import { typeName } from './data-type.ts';
import type { Datum } from './datum.ts';
import { printDatum, printTruncated } from './json-text.ts';
import { type KeyFault, type KeyResult, MAX_PRIMARY_KEY_SIZE, primaryKey, secondaryBound } from './store-key.ts';

const typed = (value: Datum, message: string): ReqlError =>
  value === null ? nonExistence(message) : logicError(message);

const SHOWN_BYTES = 20;

function faultError(fault: KeyFault, topLevel: (value: Datum) => string): ReqlError {
  switch (fault.kind) {
    case 'type':
      return isPseudo(fault.value) ? pseudoError(fault.value) : typed(fault.value, topLevel(fault.value));
    case 'element':
      if (isPseudo(fault.value)) return pseudoError(fault.value);
      return typed(
        fault.value,
        `Array keys can only contain numbers, strings, bools,  pseudotypes, or arrays (got ${printDatum(fault.value)} of type ${typeName(fault.value)}).`,
      );
    case 'extreme':
      return logicError('Cannot use `r.minval` or `r.maxval` in an index key.');
    case 'null-byte':
      return logicError(
        `String ${quoted(fault.text.slice(0, SHOWN_BYTES))} (truncated) contains NULL byte at offset ${fault.offset} in index key.`,
      );
    case 'geometry':
      return logicError('Cannot use a geometry value as a key value in a primary or non-geospatial secondary index.');
  }
}

const isPseudo = (value: Datum): boolean => typeName(value).startsWith('PTYPE<');

const pseudoError = (value: Datum): ReqlError =>
  logicError(`Cannot use pseudotype ${typeName(value)} as a primary or secondary key value .`);

/** Bytes as the server's debug printer quotes them. */
function quoted(bytes: string): string {
  const shown = [...bytes].map((byte) => {
    if (byte === '"' || byte === '\\') return `\\${byte}`;
    const code = byte.charCodeAt(0);
    return code >= 0x20 && code < 0x7f ? byte : `\\x${code.toString(16).padStart(2, '0')}`;
  });
  return `"${shown.join('')}"`;
}

function orRaise(result: KeyResult, topLevel: (value: Datum) => string): string {
  if (typeof result === 'string') return result;
  throw faultError(result, topLevel);
}

const primaryText = (value: Datum): string =>
  `Primary keys must be either a number, string, bool, pseudotype or array (got type ${typeName(value)}):\n${printTruncated(value)}`;

/** The key of a row; raises QUERY_LOGIC without an origin for what cannot be one. */
export function rowKey(value: Datum): string {
  const key = orRaise(primaryKey(value), primaryText);
  if (key.length > MAX_PRIMARY_KEY_SIZE) {
    throw logicError(`Primary key too long (max ${MAX_PRIMARY_KEY_SIZE - 1} characters): ${printDatum(value)}`);
  }
  return key;
}

/** The key of a bound by primary key, of any length. */
export function primaryBoundKey(value: Datum): string {
  return orRaise(primaryKey(value), primaryText);
}

/** The key of a bound, or of a value looked up, in an index. */
export function indexBoundKey(value: Datum): string {
  return orRaise(
    secondaryBound(value),
    (fault) =>
      `Secondary keys must be a number, string, bool, pseudotype, or array (got ${printDatum(fault)} of type ${typeName(fault)}).`,
  );
}
