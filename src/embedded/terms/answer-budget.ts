// The budget of what the in-memory database evaluates for one answer, so that a query that would run for ever ends, and does not hold up
// the others. RethinkDB has no such limit: it is far above what an ordinary query takes.

import { workClock } from '../../../proxy/work/work-clock.ts';
import { explained } from '../../../rewrite/reql/eval/core/counted.ts';
import { Meter, msFor } from '../../../rewrite/reql/meter.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';

/** Steps for one answer: a million rows that pass through a few functions, or some hundred changes in a fold over a large state. */
const ANSWER_STEPS = 50_000_000;
/** Steps for one row in a function that outlives its query, or that runs when somebody else writes. */
export const ROW_STEPS = 100_000;

/** Makes the meters of queries. */
export class AnswerBudget {
  readonly #clock = workClock();

  /** The meter of one query. Callers owe a `renew` for each further answer. */
  meter(): Meter {
    return new Meter(ANSWER_STEPS, tooManySteps, this.#clock);
  }
}

/** Does a part of a query; an error about too many steps names the term of the query that takes them. */
export function namingTerm<Result>(root: Term, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw explained(error, root);
  }
}

function tooManySteps(what: string, most: number): string {
  return `${what} takes more than the ${most} steps, or the ${msFor(most)} milliseconds, that the in-memory database takes for an answer.  RethinkDB has no such limit.`;
}
