// Numbers at the edges of an aggregate: elements that must be numbers, and results that must be finite.

import { typeError } from '../../reql/data/data-type.ts';
import type { Datum } from '../../reql/data/datum.ts';
import { exactNumberText } from '../../reql/data/number.ts';
import { logicError, ReqlError } from '../../reql/error.ts';
import type { Origin } from '../../reql/origin.ts';

/** The number that an element is; raises `Expected type NUMBER but found STRING.` and the like. */
export function numberElement(element: Datum, origin: Origin | undefined): number {
  if (typeof element === 'number') return element;
  const { responseType, errorType, message } = typeError(element, 'NUMBER');
  throw new ReqlError(responseType, errorType, message, origin);
}

/** A result as a datum, or the error of the server for a number that is none. */
export function finiteResult(value: number, origin: Origin | undefined): number | ReqlError {
  return Number.isFinite(value) ? value : logicError(`Non-finite number: ${exactNumberText(value)}`, origin);
}
