// How deep a term is nested. RethinkDB 2.4.4 ends itself with "Callstack overflow in a coroutine" on functions that are
// nested some two thousand levels deep, so that no rewriting may come near it: a query that it would answer by itself with
// an error must not take the server down.

import { resourceLimit } from './reql/error.ts';
import type { Origin } from './reql/origin.ts';
import type { Term } from './term/term.ts';

/** Seen on 2.4.4: 1,500 levels of `add` in a fold work, 2,200 do not. */
const DEEPEST = 1000;

/** Whether a term can be sent without harm. */
export function isShallow(root: Term): boolean {
  const left: [term: Term, depth: number][] = [[root, 1]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [term, depth] = next;
    if (depth > DEEPEST) return false;
    if (term.kind === 'datum') continue;
    const named = term.kind === 'object' ? term.fields : term.optargs;
    for (const [, below] of named) left.push([below, depth + 1]);
    if (term.kind === 'call') for (const below of term.args) left.push([below, depth + 1]);
  }
  return true;
}

/** The refusal of a live query that is nested too deeply. */
export const tooDeep = (origin?: Origin) => resourceLimit('The query is nested too deeply to be watched.', origin);
