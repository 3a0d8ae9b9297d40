// Selections by keys of one index, `getAll(key, ..., {index})`: several of one table through one index are read as one, so that
// a write to a row is one change of the feed, whichever of the selections the row leaves and enters.

import type { IndexQuestion } from './known-index.ts';
import { indexRead } from './place.ts';
import { datumKey } from './reql/datum-key.ts';
import { TermType } from './reql/term-type.ts';
import type { Builder } from './term/build.ts';
import { canonicalKey } from './term/canonical-key.ts';
import type { CallTerm, Entry, Term } from './term/term.ts';

/** A selection by keys that are written out, each once. */
export interface KeySelection {
  readonly term: CallTerm;
  readonly question: IndexQuestion;
  /** The keys: strings, numbers and booleans, by a text that is equal for equal ones. */
  readonly keys: ReadonlyMap<string, Term>;
}

/** Reads a selection; `undefined` where it is none by keys, or is not known to give a row once. */
export function keySelection(term: CallTerm, globalOptargs: readonly Entry[]): KeySelection | undefined {
  if (term.type !== TermType.GET_ALL || !isTable(term.args[0])) return undefined;
  const question = indexRead(term, globalOptargs)?.question;
  if (question === undefined) return undefined;
  const keys = new Map<string, Term>();
  for (const key of term.args.slice(1)) {
    if (key.kind !== 'datum' || key.value === null || typeof key.value === 'object') return undefined;
    keys.set(datumKey(key.value), key);
  }
  return keys.size === term.args.length - 1 ? { term, question, keys } : undefined;
}

function isTable(term: Term | undefined): boolean {
  return term?.kind === 'call' && term.type === TermType.TABLE;
}

/** A text for the table and the index that a selection reads; the options of the table belong to it. */
export function readingKey({ question }: KeySelection): string {
  return `${canonicalKey(question.table)} ${question.index}`;
}

/** One selection of all that several select. */
export function joinedSelection(selections: readonly KeySelection[]): CallTerm | undefined {
  const [first] = selections;
  if (first === undefined) return undefined;
  const { text: _, ...term } = first.term;
  const keys = new Map(selections.flatMap((selection) => [...selection.keys]));
  return { ...term, args: [...first.term.args.slice(0, 1), ...keys.values()] };
}

/** A filter that leaves of a joined selection the rows of one; `field` is what the index holds. Its first argument is a stand-in. */
export function ownRows(t: Builder, { term, keys }: KeySelection, field: string): CallTerm {
  return t.filter(
    term,
    t.func((row) => t.contains(t.array(...keys.values()), t.bracket(row, field)), 1),
  );
}
