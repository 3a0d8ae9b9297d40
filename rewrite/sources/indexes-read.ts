// The secondary indexes that a live query depends on: those that its terms name by `{index}`, on whatever they stand.

import { optargOf } from '../analyze/rules/argument.ts';
import { freeVars } from '../reql/term/facts.ts';
import { serializeTerm } from '../reql/term/serialize.ts';
import type { Entry, Term } from '../reql/term/term.ts';
import { visit } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import { type IndexQuestion, tableBelow } from './known-index.ts';
import { indexName } from './place.ts';
import { INDEX_SELECTIONS } from './selecting-terms.ts';

/** An index of a table, both written out. */
export interface IndexRead extends IndexQuestion {
  readonly index: string;
}

/** Terms that read an index where they have an optarg of that name, or the query has it for all terms. */
const readers: ReadonlySet<number> = new Set([
  ...INDEX_SELECTIONS,
  TermType.MIN,
  TermType.MAX,
  TermType.GROUP,
  TermType.DISTINCT,
  TermType.EQ_JOIN,
]);

/** The indexes that a watched term reads, each once; those whose name or table is computed are left out. */
export function indexesRead(watched: Term, globalOptargs: readonly Entry[]): readonly IndexRead[] {
  const everywhere = globalOptargs.find(([name]) => name === 'index')?.[1];
  const found = new Map<string, IndexRead>();
  visit(watched, (term) => {
    if (term.kind !== 'call' || !readers.has(term.type)) return undefined;
    const named = optargOf(term, 'index') ?? everywhere;
    const index = named === undefined ? undefined : indexName(named);
    const [, , joined] = term.args;
    const on = term.type === TermType.EQ_JOIN ? joined : term;
    const table = on?.kind === 'call' ? tableBelow(on) : undefined;
    if (index === undefined || table === undefined || freeVars(table).size > 0) return undefined;
    found.set(JSON.stringify([serializeTerm(table), index]), { table, index });
    return undefined;
  });
  return [...found.values()];
}
