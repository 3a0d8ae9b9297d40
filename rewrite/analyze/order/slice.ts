// Ranges and orders of a table by an index (TABLE_SLICE): which index RethinkDB goes by, for terms that go by the same one.

import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { optargOf } from '../rules/argument.ts';

/** A range of a table, or all of it. */
export interface Slice {
  readonly table: CallTerm;
  /** The index that it goes by, as an optarg gives it; `primary` for a range without one; `undefined` for a bare table. */
  readonly index: Term | 'primary' | undefined;
  readonly descending: boolean;
  /** The BETWEEN term that bounds it. */
  readonly range: CallTerm | undefined;
}

/** The slice that a selection is; `undefined` where RethinkDB takes it for less than one. */
export function sliceOf(selection: Term | undefined): Slice | undefined {
  const above: CallTerm[] = [];
  for (let term = selection; term?.kind === 'call'; term = term.args[0]) {
    if (term.type === TermType.TABLE) {
      const bare: Slice = { table: term, index: undefined, descending: false, range: undefined };
      return above.reduceRight(sliceOver, bare);
    }
    if (!isRange(term) && !isSliceOrder(term)) return undefined;
    above.push(term);
  }
  return undefined;
}

function sliceOver(slice: Slice, term: CallTerm): Slice {
  const index = optargOf(term, 'index');
  // A range goes by the index of the order that it stands on.
  if (isRange(term)) return { ...slice, index: index ?? slice.index ?? 'primary', range: term };
  const descending = isCall(index, TermType.DESC);
  const named = index?.kind === 'call' && (descending || index.type === TermType.ASC) ? index.args[0] : index;
  return { ...slice, index: named, descending };
}

function isRange({ type }: CallTerm): boolean {
  return type === TermType.BETWEEN || type === TermType.BETWEEN_DEPRECATED;
}

/** `orderBy` by an index, and by more or not. */
export function isIndexOrder(term: CallTerm): boolean {
  return term.type === TermType.ORDER_BY && optargOf(term, 'index') !== undefined;
}

/** `orderBy` by an index alone. */
export function isSliceOrder(term: CallTerm): boolean {
  return isIndexOrder(term) && term.args.length === 1;
}

function isCall(term: Term | undefined, type: number): boolean {
  return term?.kind === 'call' && term.type === type;
}
