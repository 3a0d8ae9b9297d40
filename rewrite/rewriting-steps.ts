// The steps of rewriting, which are counted: nobody waits while one query is taken apart, whatever it is made of. Whoever builds terms
// counts them (`reql/build/build.ts`), and whoever takes them apart does (`context.ts`).

import { DEFAULT_EVALUATION } from './reql/eval/core/evaluation-limits.ts';
import { Meter, OutOfSteps } from './reql/meter.ts';
import type { Origin } from './reql/origin.ts';
import { factsOf } from './reql/term/facts.ts';
import { signatureOf } from './reql/term/signatures.ts';
import type { StartQuery, Term } from './reql/term/term.ts';
import { find } from './reql/term/walk.ts';

/** Steps for each term of a query, for all walks that look at it a fixed number of times. */
const TERM_STEPS = 200;
const DATUM_STEPS = 4;

/** Counts the terms of a query. Raises what `meter` raises. */
export function countQuery({ term, globalOptargs }: StartQuery, meter: Meter): void {
  for (const root of [term, ...globalOptargs.map(([, optarg]) => optarg)]) {
    const { terms, data } = factsOf(root);
    meter.spend(TERM_STEPS * terms + DATUM_STEPS * data);
  }
}

/** Counts what rewriting one query outside of a proxy costs. */
export function libraryMeter(maxSteps: number = DEFAULT_EVALUATION.maxSteps): Meter {
  return new Meter(
    maxSteps,
    (what, most) => `${what} takes more than ${most} steps.  To raise the limit, set \`maxSteps\`.`,
  );
}

/** Of the steps that one evaluation in a proxy may take, the part that rewriting may: it cannot be left, and its steps are longer. */
const REWRITING_PART = 1 / 2;

/** Counts what rewriting one query in a proxy costs, where an evaluation may take `maxSteps`. */
export function proxyMeter(maxSteps: number): Meter {
  return new Meter(Math.ceil(maxSteps * REWRITING_PART), tooMuchToRewrite);
}

/** The text of a meter for rewriting in a proxy. */
function tooMuchToRewrite(what: string, most: number): string {
  return `${what} takes more than the ${most} steps that Livefold may take to open a feed.  To raise the limit, set \`--max-steps\` of the proxy.`;
}

/** What is raised for anything caught while `root` was rewritten: too many steps are those of a term in it. */
export function explainedRewriting(error: unknown, root: Term): unknown {
  if (!(error instanceof OutOfSteps)) return error;
  return error.named(workAt(root, error.origin));
}

function workAt(root: Term, origin: Origin | undefined): string {
  const term =
    origin === undefined ? undefined : find(root, (inner) => inner.kind === 'call' && inner.origin === origin);
  const name = term?.kind === 'call' ? signatureOf(term.type)?.driver : undefined;
  return name === undefined ? 'Rewriting the query' : `Rewriting \`${name}\``;
}
