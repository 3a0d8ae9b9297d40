// The place of CHANGES in a query: on the spine of first arguments, under terms over its documents.

import { onTop } from '../plan/projection.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';

/** A CHANGES term and the terms that stand on its documents, innermost first. */
export interface FoundChanges {
  readonly changes: CallTerm;
  readonly after: readonly CallTerm[];
}

/** The CHANGES term of a query; `undefined` where there is none on the spine. */
export function findChanges(root: Term): FoundChanges | undefined {
  const above: CallTerm[] = [];
  for (let term: Term | undefined = root; term?.kind === 'call'; term = term.args[0]) {
    if (term.type === TermType.CHANGES) return { changes: term, after: above.reverse() };
    above.push(term);
  }
  return undefined;
}

/** The query with something else in the place of CHANGES. */
export function replaceChanges(after: readonly CallTerm[], below: Term): Term {
  return after.reduce<Term>((term, above) => onTop(above, term), below);
}
