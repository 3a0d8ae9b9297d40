// Errors that are raised for one row: they tell its key.

import { type Datum, getField, isObject } from '../../../rewrite/reql/data/datum.ts';
import { printTruncated } from '../../../rewrite/reql/data/json-text.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { TooDeep } from '../../../rewrite/reql/too-deep.ts';

/** What the primary key of a table is called that does not say otherwise. */
const PRIMARY_KEY = 'id';

/** An error with the key of the row that it was raised for. Of a row that is too deep the client is told the key as well. */
export function raisedFor(error: unknown, row: Datum): unknown {
  const key = isObject(row) ? getField(row, PRIMARY_KEY) : undefined;
  if (!(error instanceof ReqlError)) return error;
  const text = key === undefined ? undefined : printTruncated(key);
  if (error instanceof TooDeep) {
    const name = text === undefined ? 'A row' : `The row with the key ${text}`;
    return new TooDeep(`${name} is nested too deeply for what the query makes of it.`);
  }
  return text === undefined ? error : error.inRow(text);
}
