// Terms as the server copies them: where it rewrites a term into others, it copies all that is below it, and keeps optargs
// and fields by name (minidriver.cc).

import { compareStrings } from '../data/compare.ts';
import { callWith } from './call-with.ts';
import { originOf } from './origin-of.ts';
import type { CallTerm, Entry, Term } from './term.ts';
import { find, mapTerm } from './walk.ts';

/** Optargs or fields of a copy: of equal names the last counts, all in order of name. */
export function copiedEntries(entries: readonly Entry[]): readonly Entry[] {
  return [...new Map(entries)].sort(([a], [b]) => compareStrings(a, b));
}

const inOrder = (entries: readonly Entry[]): boolean =>
  entries.every(([name], index) => index === 0 || compareStrings(entries[index - 1]?.[0] ?? '', name) < 0);

/** A copy of a term with all that is below it; the same object where nothing is in another order. */
export function copied(call: CallTerm): CallTerm {
  if (find(call, (term) => !inOrder(entriesOf(term))) === undefined) return call;
  const made = mapTerm(call, copiedHere);
  return made.kind === 'call' ? made : call;
}

function entriesOf(term: Term): readonly Entry[] {
  if (term.kind === 'datum') return [];
  return term.kind === 'object' ? term.fields : term.optargs;
}

function copiedHere(term: Term): Term {
  if (inOrder(entriesOf(term)) || term.kind === 'datum') return term;
  return term.kind === 'object'
    ? { kind: 'object', fields: copiedEntries(term.fields), ...originOf(term) }
    : callWith(term, { optargs: copiedEntries(term.optargs) });
}
