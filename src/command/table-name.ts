// The names in a TABLE term, where they are written out.

import type { Term } from '../../rewrite/reql/term/term.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';

/** The name of a table; `undefined` where it is computed. */
export function nameOfTable(table: Term): string | undefined {
  return table.kind === 'call' ? textOf(table.args.at(-1)) : undefined;
}

/** The name of a table's database; `undefined` where the query says none, or computes it. */
export function nameOfDb(table: Term): string | undefined {
  if (table.kind !== 'call') return undefined;
  const [db] = table.args;
  return db?.kind === 'call' && db.type === TermType.DB ? textOf(db.args[0]) : undefined;
}

/** The text that a term is. */
export function textOf(term: Term | undefined): string | undefined {
  return term?.kind === 'datum' && typeof term.value === 'string' ? term.value : undefined;
}
