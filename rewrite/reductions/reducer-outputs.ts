// The outputs of a client's reducer: a list of pairs of a value and how often it is there, as any integer.

import type { Datum } from '../reql/data/datum.ts';
import { datumKey } from '../reql/data/datum-key.ts';
import { jsonText } from '../reql/data/json-text.ts';
import { logicError, type ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';

/** A value with how often it is an output. */
export interface Output {
  readonly value: Datum;
  readonly count: number;
}

/** Outputs by the `datumKey` of their value. */
export type Outputs = ReadonlyMap<string, Output>;

/** The most characters of an output that an error shows. */
const SHOWN = 100;

/**
 * Reads outputs: equal ones add up, and those that add up to nothing are not there.
 * @param origin where the error about another shape points
 * @throws ReqlError that shows what is not `[value, count]`
 */
export function readOutputs(datum: Datum, origin: Origin | undefined): Outputs {
  const outputs = new Map<string, Output>();
  if (!isList(datum)) throw wrongShape(datum, origin);
  for (const pair of datum) {
    const [value, count] = isList(pair) && pair.length === 2 ? pair : [];
    if (value === undefined || typeof count !== 'number' || !Number.isSafeInteger(count))
      throw wrongShape(pair, origin);
    const key = datumKey(value);
    outputs.set(key, { value, count: (outputs.get(key)?.count ?? 0) + count });
  }
  for (const [key, { count }] of outputs) if (count === 0) outputs.delete(key);
  return outputs;
}

function isList(datum: Datum): datum is readonly Datum[] {
  return Array.isArray(datum);
}

function wrongShape(datum: Datum, origin: Origin | undefined): ReqlError {
  const text = jsonText(datum);
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return logicError(
    `The \`reducer\` of \`changes\` must give an array of pairs [value, count], the counts whole numbers, but gave ${shown}.`,
    origin,
  );
}
