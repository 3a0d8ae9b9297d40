// The context of what is evaluated away from the server: the terms that need none, and how much may be evaluated.

import type { DatumObject } from '../../data/datum.ts';
import { resourceLimit } from '../../error.ts';
import { Meter, msFor, OutOfSteps } from '../../meter.ts';
import { type Origin, ROOT } from '../../origin.ts';
import type { Entry } from '../../term/term.ts';
import { createContext, type EvalContext, pureTerms } from '../index.ts';
import { DEFAULT_EVALUATION, type EvaluationLimits } from './evaluation-limits.ts';

/** Steps that an option of a query, or of CHANGES, may take: enough for arithmetic, and for no loop of any length. */
export const OPTION_STEPS = 10_000;

/**
 * The context for optargs of CHANGES, and for whatever the proxy plan computes of a query. Its meter counts what is evaluated;
 * callers renew it for each piece of work.
 * @param now the TIME that `r.now()` is; without it, `r.now()` is refused
 * @throws ReqlError RESOURCE_LIMIT for options that are no constants, and what else evaluating them raises
 */
export function outsideContext(
  globalOptargs: readonly Entry[],
  now: DatumObject | undefined,
  limits: EvaluationLimits = DEFAULT_EVALUATION,
): EvalContext {
  const meter = new Meter(limits.maxSteps, tooManySteps, limits.clock);
  const advice = `That is the most that Livefold allows for what it evaluates itself; to raise it, set \`--max-array-limit\` of the proxy.`;
  return asOption('The run options take', meter, ROOT, () =>
    createContext({
      terms: pureTerms,
      // The database is for tables, of which nothing evaluated here has any.
      globalOptargs: globalOptargs.filter(([name]) => name !== 'db'),
      meter,
      arrayCap: { most: limits.maxArrayLimit, advice },
      ...(now === undefined ? {} : { now }),
    }),
  );
}

/**
 * Evaluates an option: it has few steps, since no query is evaluated before RethinkDB has seen it.
 * @param what the option, as the beginning of a sentence: `The option \`squash\` takes`
 */
export function asOption<Result>(what: string, meter: Meter, origin: Origin | undefined, work: () => Result): Result {
  try {
    return meter.apart(OPTION_STEPS, work);
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
    const text = `${what} more than the ${OPTION_STEPS} steps that Livefold takes for it.  Write the value into the query.`;
    throw resourceLimit(text, origin);
  }
}

function tooManySteps(what: string, most: number): string {
  return `${what} takes more than the ${most} steps, or the ${msFor(most)} milliseconds, that Livefold may take for it at a time.  To raise the limits, set \`--max-steps\` of the proxy.`;
}
