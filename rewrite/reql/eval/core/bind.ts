// Errors about data arise without a place in the query; the term at work gives them its own.

import { ReqlError } from '../../error.ts';
import type { Origin } from '../../origin.ts';

/** `r.error()` without a text: outside of `default` a QUERY_LOGIC error, inside it means "raise what you caught". */
export class EmptyError extends ReqlError {}

/** Steps that an error takes which is raised and caught: it keeps where in our own code it was raised. */
export const ERROR_STEPS = 150;

/** The error with this origin, where it has none yet. */
export function withOrigin(error: ReqlError, origin: Origin | undefined): ReqlError {
  if (error.origin !== undefined || origin === undefined) return error;
  return error.at(origin);
}

/** What is raised for anything caught: ReqlErrors without an origin get this one. */
export function bound(error: unknown, origin: Origin | undefined): unknown {
  return error instanceof ReqlError ? withOrigin(error, origin) : error;
}

/** Runs `work`; its errors without an origin get this one. */
export function bind<Result>(origin: Origin | undefined, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw bound(error, origin);
  }
}
