// The errors of aggregates that have no value over nothing, as the server words them.

import { nonExistence, type ReqlError } from '../reql/error.ts';
import type { Origin } from '../reql/origin.ts';

/** The error of `avg` over no numbers. */
export function averageOfNothing(origin: Origin | undefined): ReqlError {
  return nothingToTake('average', 'avg', origin);
}

/** The error of `min` and `max` over no rows. */
export function extremeOfNothing(name: 'min' | 'max', origin: Origin | undefined): ReqlError {
  return nothingToTake(name, name, origin);
}

/** The error of `reduce` over no rows; its origin is the function. */
export function reductionOfNothing(origin: Origin | undefined): ReqlError {
  return nonExistence('Cannot reduce over an empty stream.', origin);
}

function nothingToTake(what: string, term: string, origin: Origin | undefined): ReqlError {
  return nonExistence(
    `Cannot take the ${what} of an empty stream.  (If you passed \`${term}\` a field name, it may be that no elements of the stream had that field.)`,
    origin,
  );
}
