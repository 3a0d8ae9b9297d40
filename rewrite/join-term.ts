// The term that makes a query one of two tables, for the words of a refusal.

import { factsOf } from './reql/term/facts.ts';
import type { CallTerm, Term } from './reql/term/term.ts';
import { find } from './reql/term/walk.ts';
import { TermType } from './reql/term-type.ts';

const joins: ReadonlySet<number> = new Set([TermType.EQ_JOIN, TermType.INNER_JOIN, TermType.OUTER_JOIN]);

/** The outermost term that joins, or whose function looks rows up; `undefined` where none does. */
export function joinTermIn(root: Term): CallTerm | undefined {
  const found = find(root, (term) => term.kind === 'call' && (joins.has(term.type) || looksUp(term)));
  return found?.kind === 'call' ? found : undefined;
}

function looksUp({ args: [, ...functions] }: CallTerm): boolean {
  return functions.some(
    (term) => term.kind === 'call' && term.type === TermType.FUNC && factsOf(term).table !== undefined,
  );
}
