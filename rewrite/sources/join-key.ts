// The values that can be keys, in the server's words (`key-error.ts`).

import type { JoinKeys } from '../live.ts';
import { pseudoType } from '../reql/data/data-type.ts';
import { type Datum, isObject } from '../reql/data/datum.ts';
import { indexBoundKey, rowKey } from '../reql/data/key-error.ts';
import { logicError } from '../reql/error.ts';

/**
 * Checks that a value can be looked up.
 * @throws ReqlError where it cannot: NON_EXISTENCE for null, also within an array, QUERY_LOGIC for anything else
 */
export function checkJoinKey(key: Datum, keys: JoinKeys): void {
  if (keys === 'any' || isSound(key)) return;
  check[keys](key);
}

/** A text of fewer characters is shorter than the longest primary key, whatever these are. */
const SHORT = 30;

/** Whether a value is a key of anything, seen without writing it as one: most are. */
function isSound(key: Datum): boolean {
  return typeof key === 'string' ? key.length < SHORT && !key.includes('\0') : typeof key !== 'object';
}

const check: { readonly [Of in Exclude<JoinKeys, 'any'>]: (key: Datum) => unknown } = {
  primary: rowKey,
  index: indexBoundKey,
  fields: checkField,
};

/** An object in the place of a field's value would ask for some of its fields, which no key can say. */
function checkField(value: Datum): void {
  if (isList(value)) for (const item of value) checkField(item);
  else if (isObject(value) && pseudoType(value) === undefined) {
    throw logicError(
      "Cannot look rows up by a field that is equal to an object found in a row: such a filter asks for some fields of it. Use a function, `row => row('field').eq(...)`.",
    );
  }
}

function isList(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}
