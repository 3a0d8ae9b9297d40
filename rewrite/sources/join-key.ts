// The values that can be keys, in the server's words (datum.cc, print_primary and print_secondary).

import type { JoinKeys } from '../live.ts';
import { pseudoType, typeName } from '../reql/data/data-type.ts';
import { type Datum, isObject, MAXVAL, MINVAL } from '../reql/data/datum.ts';
import { printDatum, printTruncated } from '../reql/data/json-text.ts';
import { logicError, nonExistence, type ReqlError } from '../reql/error.ts';

/** How an error says that a value is no key. */
type Say = (value: Datum) => string;

const texts: { readonly [Of in Exclude<JoinKeys, 'any' | 'fields'>]: Say } = {
  primary: (value) =>
    `Primary keys must be either a number, string, bool, pseudotype or array (got type ${typeName(value)}):\n${printTruncated(value)}`,
  index: (value) =>
    `Secondary keys must be a number, string, bool, pseudotype, or array (got ${printDatum(value)} of type ${typeName(value)}).`,
};

const ofArray: Say = (value) =>
  `Array keys can only contain numbers, strings, bools,  pseudotypes, or arrays (got ${printDatum(value)} of type ${typeName(value)}).`;

/**
 * Checks that a value can be looked up.
 * @throws ReqlError where it cannot: NON_EXISTENCE for null, QUERY_LOGIC for anything else
 */
export function checkJoinKey(key: Datum, keys: JoinKeys): void {
  if (keys === 'any') return;
  if (keys === 'fields') checkField(key);
  else check(key, texts[keys]);
}

/** An object in the place of a field's value would ask for some of its fields, which no key can say. */
function checkField(value: Datum): void {
  if (isList(value)) for (const item of value) checkField(item);
  else if (isObject(value) && pseudoType(value) === undefined) {
    throw logicError(
      "Cannot look rows up by a field that is equal to an object found in a row: such a filter asks for some fields of it. Use a function, `row => row('field').eq(...)`.",
    );
  }
}

function check(value: Datum, say: Say): void {
  if (typeof value !== 'object') return;
  if (value === null) throw nonExistence(say(value));
  if (isList(value)) {
    for (const item of value) check(item, ofArray);
    return;
  }
  const fault = objectFault(value, say);
  if (fault !== undefined) throw fault;
}

function objectFault(value: Datum, say: Say): ReqlError | undefined {
  if (value === MINVAL || value === MAXVAL) return logicError('Cannot use `r.minval` or `r.maxval` in an index key.');
  const pseudo = isObject(value) ? pseudoType(value) : undefined;
  if (pseudo === undefined) return logicError(say(value));
  if (pseudo === 'TIME' || pseudo === 'BINARY') return undefined;
  if (pseudo === 'GEOMETRY') {
    return logicError('Cannot use a geometry value as a key value in a primary or non-geospatial secondary index.');
  }
  return logicError(`Cannot use pseudotype ${typeName(value)} as a primary or secondary key value .`);
}

function isList(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
