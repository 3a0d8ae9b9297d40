// Parts of an order that RethinkDB does not watch: of a list that it has sorted in memory, and of an index all that is not the
// first rows of it. Read from the tree alone, by what RethinkDB makes of each term.

import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { rangeOf } from './range-of.ts';
import { isSliceOrder } from './slice.ts';

/** What is known of the rows that a term hands on. */
interface Rows {
  /** In the order of an index, in that of a list, or in none. */
  readonly order: 'none' | 'index' | 'list';
  /** They are the first rows by an index. */
  readonly areFirsts: boolean;
  /** They are still known to be rows of a table. */
  readonly areSelected: boolean;
  /** They are a part of an order that RethinkDB does not watch. */
  readonly arePart: boolean;
  /** It is one of them. */
  readonly areOne: boolean;
}

const TABLE: Rows = { order: 'none', areFirsts: false, areSelected: true, arePart: false, areOne: false };

/** Whether terms, innermost first, take a part of an order that RethinkDB does not watch. */
export function takesUnwatchedPart(terms: readonly CallTerm[]): boolean {
  let rows = TABLE;
  for (const term of terms) rows = { ...rows, ...rules.get(term.type)?.(rows, term) };
  // RethinkDB watches one row of a table, however the row was found.
  return rows.arePart && !(rows.areOne && rows.areSelected);
}

type Rule = (below: Rows, term: CallTerm) => Partial<Rows>;

const orderBy: Rule = (_, term) => (isSliceOrder(term) ? { order: 'index' } : { order: 'list' });

const part: Rule = ({ order, areFirsts, arePart }, term) => {
  const range = rangeOf(term);
  const fromStart = range !== undefined && range.from === 0 && range.to >= 0 && range.to !== Number.POSITIVE_INFINITY;
  if (order === 'index' && !areFirsts && fromStart) return { areFirsts: true };
  return { arePart: arePart || order !== 'none' };
};

const item: Rule = ({ order, arePart }) => ({ arePart: arePart || order !== 'none', areOne: true });

/** RethinkDB takes nothing but a filter over the first rows by an index. */
const made: Rule = ({ areFirsts, arePart }) => ({ areSelected: false, arePart: arePart || areFirsts });

const bracket: Rule = (below, term) => (isPlace(term) ? item(below, term) : made(below, term));

function isPlace({ args: [, place] }: CallTerm): boolean {
  return place?.kind === 'datum' && typeof place.value === 'number';
}

const rules: ReadonlyMap<number, Rule> = new Map([
  [TermType.ORDER_BY, orderBy],
  [TermType.LIMIT, part],
  [TermType.SKIP, part],
  [TermType.SLICE, part],
  [TermType.NTH, item],
  [TermType.BRACKET, bracket],
  [TermType.GET_FIELD, made],
  [TermType.MAP, made],
  [TermType.PLUCK, made],
  [TermType.WITHOUT, made],
  [TermType.MERGE, made],
  [TermType.WITH_FIELDS, made],
  [TermType.UNION, () => ({ areSelected: false })],
]);
