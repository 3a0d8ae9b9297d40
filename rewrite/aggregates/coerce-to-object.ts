// coerceTo('object'): the object of which the elements are the fields, as pairs `[key, value]`.

import { asArray, asString } from '../reql/data/data-type.ts';
import { type Datum, getField, setField } from '../reql/data/datum.ts';
import { printDatum, printTruncated } from '../reql/data/json-text.ts';
import { sanitizeObject } from '../reql/data/pseudo.ts';
import { logicError, ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';
import { TermType } from '../reql/term-type.ts';
import type { Aggregate } from './aggregate.ts';
import { coerceTarget } from './coerce-target.ts';
import { Bag } from './state/bag.ts';

/** `coerceTo('object')`. */
export const coerceToObject: Aggregate = {
  term: TermType.COERCE_TO,
  name: "coerceTo('object')",
  takes: (term) => coerceTarget(term) === 'object',
  growth: 'per row',
  empty: '{}',
  examples: ['t.map(row => [row("id").coerceTo("string"), row("x")]).coerceTo("object").changes()'],
  project: (_, row) => [row],
  evaluate: (t, elements) => t.coerceTo(elements, 'object'),
  accumulator: ({ origin }) => new Bag((pairs) => coerced(pairs, origin)),
};

function coerced(pairs: readonly Datum[], origin: Origin | undefined): Datum | ReqlError {
  try {
    return toObject(pairs, origin);
  } catch (error) {
    if (error instanceof ReqlError) return error;
    throw error;
  }
}

// Errors about a single pair have no place in the query, as in the server.
function toObject(pairs: readonly Datum[], origin: Origin | undefined): Datum {
  const object: Record<string, Datum> = {};
  for (const pair of pairs) {
    const { length, 0: first = null, 1: value = null } = asArray(pair);
    if (length !== 2) throw logicError(`Expected array of size 2, but got size ${length}.`, origin);
    const key = asString(first);
    const known = getField(object, key);
    if (known !== undefined) throw duplicate(key, known, value, origin);
    setField(object, key, value);
  }
  return sanitizeObject(object);
}

function duplicate(key: string, known: Datum, value: Datum, origin: Origin | undefined): ReqlError {
  const values = `(got ${printTruncated(known)} and ${printTruncated(value)} as values)`;
  return logicError(`Duplicate key ${printDatum(key)} in coerced object.  ${values}`, origin);
}
