// The name of a watched row, by which all changes of one row can be told as changes of one thing: a group, the row itself where
// it is there once, its primary key, or, of rows that are known by their value alone, the value and which of its copies it is.

import type { Live } from '../live.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import { HANDING_ON } from '../sources/selecting-terms.ts';
import type { KindName } from './kind.ts';

/** The kind of name that the rows of a feed have; `tableOf`: the primary key of that table, by which rows are there once. */
export type RowName = 'itself' | 'group' | 'copy' | { readonly tableOf: CallTerm };

/** The kind of name that the rows of a live query have. */
export function rowNameOf({ watched, changes }: Pick<Live, 'watched' | 'changes'>): RowName {
  const name = ownName(watched);
  const table = name === 'copy' ? tableBelow(changes.args[0]) : undefined;
  return table === undefined ? name : { tableOf: table };
}

/** The kind of name that rows have by themselves. A part of an order has the rows of what is ordered. */
function ownName(watched: Live['watched']): Exclude<RowName, object> {
  if (watched.kind !== 'top') return names[watched.kind];
  const kinds = new Set(watched.of.parts.map((part) => (part.kind === 'rows' ? names[part.rows.kind] : 'copy')));
  const [only = 'copy'] = kinds;
  return kinds.size === 1 ? only : 'copy';
}

/** By kind; of what is no rows, what it would be of one. */
const names: { readonly [Name in KindName]: Exclude<RowName, object> } = {
  aggregate: 'itself',
  expression: 'itself',
  reduced: 'itself',
  grouped: 'group',
  ungroup: 'group',
  distinct: 'itself',
  top: 'copy',
  flat: 'copy',
  listed: 'copy',
};

/** The table of which a term gives rows as they are; `undefined` where it makes something else of them. */
function tableBelow(root: Term | undefined): CallTerm | undefined {
  for (let term = root; term?.kind === 'call'; [term] = term.args) {
    if (term.type === TermType.TABLE) return term;
    if (!HANDING_ON.has(term.type) && term.type !== TermType.BETWEEN) return undefined;
  }
  return undefined;
}
