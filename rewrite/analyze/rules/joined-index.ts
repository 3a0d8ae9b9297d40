// The index by which rows of a table are found, and the keys that it has of a row.

import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { indexValues, isPlain, type PlainIndex } from '../../sources/index-values.ts';
import type { Analysis } from '../analysis.ts';

/** An index of plain fields, or the primary key. */
export interface JoinedIndex extends PlainIndex {
  readonly isPrimary: boolean;
}

/**
 * What rows of a table are found by; `name` is `undefined` for the primary key.
 * @throws UnknownIndex where the server has to be asked first
 * @throws ReqlError where it is not known, or is no index of plain fields
 */
export function joinedIndex(
  { context }: Analysis,
  term: CallTerm,
  table: CallTerm,
  name: string | undefined,
): JoinedIndex {
  const known = context.indexFields({ table, index: name });
  if (known === null && name === undefined) {
    throw refusal(term, 'the primary key of the table is not known here. Name an index of the table');
  }
  if (known === null || !isPlain(known)) {
    throw refusal(
      term,
      `the index \`${name}\` is not one of plain fields. Use one that is, or compare fields in a function`,
    );
  }
  const isPrimary =
    !known.compound && known.primaryKey !== undefined && (name ?? known.primaryKey) === known.primaryKey;
  return { ...known, isPrimary };
}

/** The array of the keys under which an index has a row. */
export function keysIn(t: Builder, row: Term, known: JoinedIndex): Term {
  const [field] = known.fields;
  return known.isPrimary && field !== undefined ? t.array(t.bracket(row, field)) : indexValues(t, row, known);
}
