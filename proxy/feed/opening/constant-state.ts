// The state of a query that reads no table: the same for ever.

import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { countedFunction } from '../../../rewrite/reql/eval/core/pure-function.ts';
import type { EvalContext } from '../../../rewrite/reql/eval/index.ts';
import type { Term } from '../../../rewrite/reql/term/term.ts';
import { funcTerm } from '../../../rewrite/reql/term/vars.ts';
import type { Subject } from '../../../rewrite/subject.ts';
import { type Difference, SCALAR_KEY } from '../operator/difference.ts';
import { computed } from '../operator/expressed-value.ts';
import { shown } from '../operator/operator.ts';

/**
 * All that is there, as what differs from nothing.
 * @throws ReqlError that the term raises, but for want of something
 */
export function constantState(subject: Subject, term: Term, context: EvalContext): readonly Difference[] {
  const value = shown(computed(countedFunction(funcTerm([], term), context), []));
  return states[subject](value);
}

type State = (value: Datum) => readonly Difference[];

/** A query whose groups cannot be read has none. */
const none: State = () => [];

const states: { readonly [Of in Subject]: State } = {
  value: (value) => [{ of: 'value', key: SCALAR_KEY, group: undefined, old: undefined, now: value }],
  row: (value) =>
    Array.isArray(value)
      ? value.map((row: Datum) => ({ of: 'row', key: undefined, group: undefined, old: undefined, now: row }))
      : [],
  group: none,
  output: none,
};
