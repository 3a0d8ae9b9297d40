// Indexes of plain fields: what they hold, so that groups, orders and distinct values by index can be had from the rows.

import { withVariables } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import type { Expression } from '../../reql/build/build.ts';
import { callWith } from '../../reql/term/call-with.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { indexValue, isPlain, type PlainIndex } from '../../sources/index-values.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Analysis } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';

/**
 * The fields of an index.
 * @throws UnknownIndex when the server has to be asked first.
 * @throws ReqlError when it is not an index of plain fields.
 */
export function indexFields(analysis: Analysis, term: CallTerm, index: string): PlainIndex {
  const table = tableBelow(term);
  const known = table === undefined ? null : analysis.context.indexFields({ table, index });
  if (known === null || !isPlain(known)) {
    throw refusal(
      term,
      `the index \`${index}\` is not one of plain fields. Use one that is, or a function instead of the index`,
    );
  }
  return known;
}

/**
 * The name of the primary key.
 * @throws UnknownIndex when the server has to be asked first.
 * @throws ReqlError where nobody can be asked.
 */
export function primaryKeyOf(analysis: Analysis, table: CallTerm): string {
  const key = knownPrimaryKey(analysis, table);
  if (key === undefined) {
    throw refusal(
      table,
      'its rows come in the order of the primary key, which is not known here. Use `orderBy` on them',
    );
  }
  return key;
}

/** Whether an index is the primary key. Where nobody can be asked it is taken for another. */
export function isPrimaryKey(analysis: Analysis, table: CallTerm, index: string): boolean {
  return knownPrimaryKey(analysis, table) === index;
}

function knownPrimaryKey(analysis: Analysis, table: CallTerm): string | undefined {
  const question = { table, index: undefined };
  const known = analysis.context.indexFields(question);
  return known?.primaryKey;
}

/**
 * The name of an index, as an optarg gives it. What is written out and no name is refused by the server.
 * @throws ReqlError where it is not written out
 */
export function indexName(term: CallTerm, index: Term): string {
  if (index.kind !== 'datum') throw refusal(term, 'its index is not a literal name. Write it out');
  if (typeof index.value !== 'string') throw new LeaveToServer();
  return index.value;
}

/** `orderBy({index: ...}, more...)` as an order of an array by the fields of the index. */
export function indexOrder(analysis: Analysis, term: CallTerm, index: Term): CallTerm {
  const direction =
    index.kind === 'call' && (index.type === TermType.ASC || index.type === TermType.DESC) ? index : undefined;
  const known = indexFields(analysis, term, indexName(term, direction?.args[0] ?? index));
  if (known.multi)
    throw refusal(term, 'an index that is `multi` orders a row several times. Use a function instead of it');
  const t = analysis.context.builder(term);
  const directed = (key: Expression): Expression => (direction?.type === TermType.DESC ? t.desc(key) : key);
  const key = directed(t.func((row) => indexValue(t, row, known), 1));
  const own = withVariables(term, analysis.context.fresh);
  // Rows that are equal in the index are in the order of their primary keys (before a `limit`; without one RethinkDB leaves
  // their order open).
  const last = known.primaryKey === undefined ? [] : [t.expr(directed(known.primaryKey))];
  return callWith(own, {
    args: [...own.args.slice(0, 1), t.expr(key), ...own.args.slice(1), ...last],
    optargs: own.optargs.filter(([option]) => option !== 'index'),
  });
}
