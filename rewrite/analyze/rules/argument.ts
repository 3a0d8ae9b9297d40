// What may stand in the arguments of terms that are applied to elements.

import { refusal, subqueryRefusal } from '../../refusal.ts';
import { logicError } from '../../reql/error.ts';
import { factsOf, freeVars } from '../../reql/term/facts.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { childrenOf } from '../../reql/term/walk.ts';
import type { Analysis } from '../analysis.ts';
import type { Base, Stream } from '../piece.ts';

/** The optarg of a name. */
export function optargOf(term: CallTerm, name: string): Term | undefined {
  for (const entry of term.optargs) if (entry[0] === name) return entry[1];
  return undefined;
}

/**
 * Checks that what is applied to each element depends on nothing else: no table, nothing live, no variable from outside.
 * @throws ReqlError that names the term in the way.
 */
export function checkApplied(term: CallTerm): void {
  for (const applied of childrenOf(term).slice(1)) {
    const { table, free } = factsOf(applied);
    if (table !== undefined) throw subqueryRefusal(term, table);
    if (free === 'many' ? freeVars(applied).size > 0 : free.size > 0) throw subqueryRefusal(term, applied);
  }
}

/** Whether a term reads a table or something live. */
export function readsLive(analysis: Analysis, term: Term): boolean {
  if (factsOf(term).table !== undefined) return true;
  for (const id of freeVars(term)) if (analysis.scope.has(id)) return true;
  return false;
}

/**
 * Checks what the proxy or a fold evaluates.
 * @throws ReqlError that names the term that is not deterministic.
 */
export function checkDeterministic(term: Term): void {
  const { unsteady } = factsOf(term);
  if (unsteady !== undefined) throw refusal(unsteady);
}

/** Whether elements are of no stream of RethinkDB's: rows that are computed, or looked up for a row. */
function isOwn(base: Base): boolean {
  return base.kind === 'rows' || (base.kind === 'group' && base.isSelection);
}

/**
 * Checks what is applied to the elements of a stream: over rows of tables with the server's own text, whoever evaluates it.
 * @throws ReqlError where it is not deterministic.
 */
export function checkAppliedDeterministic(stream: Stream, applied: readonly Term[]): void {
  for (const term of applied) {
    if (factsOf(term).unsteady === undefined) continue;
    if (stream.branches.some(({ root: base }) => isOwn(base))) checkDeterministic(term);
    const place = funcParts(term)?.body.origin ?? term.origin;
    throw logicError('Cannot call `changes` after a non-deterministic function.', place);
  }
}
