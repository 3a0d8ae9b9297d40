// Terms that a generated term reads more than once: evaluated once, and read from a variable after that.

import type { Builder, Expression } from '../../reql/build/build.ts';
import type { Term } from '../../reql/term/term.ts';
import { varOf } from '../../reql/term/vars.ts';

/** Uses a term as often as `use` likes: a variable as it is, anything else through `do`. */
export function evaluatedOnce(t: Builder, term: Term, use: (term: Term) => Expression): Term {
  return varOf(term) === undefined && term.kind !== 'datum' ? t.do((value) => use(value), term) : t.expr(use(term));
}
