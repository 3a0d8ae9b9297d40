// What is evaluated away from the server is evaluated with.

import type { DatumObject } from '../reql/datum.ts';
import type { Entry } from '../term/term.ts';
import { createContext, type EvalContext, pureTerms } from './index.ts';

/**
 * The context for optargs of CHANGES, and for whatever the proxy plan computes of a query.
 * @param now the TIME that `r.now()` is; without it, `r.now()` is refused
 */
export function outsideContext(globalOptargs: readonly Entry[], now: DatumObject | undefined): EvalContext {
  return createContext({
    terms: pureTerms,
    // The database is for tables, of which nothing evaluated here has any.
    globalOptargs: globalOptargs.filter(([name]) => name !== 'db'),
    ...(now === undefined ? {} : { now }),
  });
}
