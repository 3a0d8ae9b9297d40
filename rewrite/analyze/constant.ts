// Terms whose value is the same wherever they stand in a query.

import type { Datum } from '../reql/data/datum.ts';
import { ReqlError } from '../reql/error.ts';
import { DEFAULT_EVALUATION } from '../reql/eval/core/evaluation-limits.ts';
import { OPTION_STEPS, outsideContext } from '../reql/eval/core/outside-context.ts';
import { evaluateClosed } from '../reql/eval/core/pure-function.ts';
import { OutOfSteps } from '../reql/meter.ts';
import { factsOf } from '../reql/term/facts.ts';
import type { Term } from '../reql/term/term.ts';
import { containsTerm } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';

/** Whether a term reads no table, no variable and no row, and is no matter of chance; the instant of the query is no matter either. */
export function isConstant(term: Term): boolean {
  const { free, holdsRow, table, unsteady } = factsOf(term);
  return table === undefined && unsteady === undefined && !holdsRow && free !== 'many' && free.size === 0;
}

/** What a constant comes to; `undefined` for what is none, raises an error, takes many steps, or depends on the instant of the query. */
export function constantValue(term: Term): Datum | undefined {
  const found = constantOutcome(term);
  return found instanceof ReqlError ? undefined : found;
}

/** The same, and what is raised where it is an error. */
export function constantOutcome(term: Term): Datum | ReqlError | undefined {
  if (term.kind === 'datum') return term.value;
  if (!isConstant(term) || factsOf(term).write !== undefined || containsTerm(term, TermType.NOW)) return undefined;
  try {
    return evaluateClosed(term, outsideContext([], undefined, { ...DEFAULT_EVALUATION, maxSteps: OPTION_STEPS }));
  } catch (error) {
    if (error instanceof ReqlError) return error;
    if (error instanceof OutOfSteps) return undefined;
    throw error;
  }
}
