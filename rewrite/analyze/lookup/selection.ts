// Terms that select the rows of a table by a key that depends on the element: `get`, `getAll`, `filter`.

import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import { isSpread } from '../../reql/term/spread.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Analysis } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { unordered } from '../order/unordered.ts';
import type { Stream } from '../piece.ts';
import { optargOf } from '../rules/argument.ts';
import { indexName } from '../rules/index-field.ts';
import { joinedIndex, keysIn } from '../rules/joined-index.ts';
import { equalities, type FilterKey } from './lookup-filter.ts';

/** A term that selects rows by a key, read. */
export interface Selection {
  readonly right: Stream;
  readonly key: Term;
  readonly by: Pick<FilterKey, 'of' | 'keys' | 'missingIsNone' | 'rightKeys' | 'fails'>;
  /** A row, or null. */
  readonly isPoint: boolean;
  /** The term has to be evaluated over the rows that are found. */
  readonly again: boolean;
  /** What else the rows have to pass. */
  readonly above: readonly CallTerm[];
}

/** Reads a term as a selection by a key; `undefined` where it is none. */
type Select = (
  analysis: Analysis,
  term: CallTerm,
  below: Term,
  readsElement: (term: Term) => boolean,
) => Selection | undefined;

const get: Select = (analysis, term, below) => {
  const [, key] = term.args;
  if (below.kind !== 'call' || below.type !== TermType.TABLE || key === undefined) return undefined;
  return { ...byIndex(analysis, term, below, undefined), key, isPoint: true, again: false };
};

const getAll: Select = (analysis, term, below) => {
  const [key, ...more] = term.args.slice(1);
  if (below.kind !== 'call' || below.type !== TermType.TABLE || key === undefined) return undefined;
  if (more.length > 0 || isSpread(key)) {
    throw refusal(
      term,
      'it looks up several keys for each element. Make an element of each key with `concatMap`, and use `eqJoin` or look up for that',
    );
  }
  const index = optargOf(term, 'index');
  return {
    ...byIndex(analysis, term, below, index === undefined ? undefined : indexName(term, index)),
    key,
    isPoint: false,
    again: false,
  };
};

function byIndex(
  analysis: Analysis,
  term: CallTerm,
  table: CallTerm,
  index: string | undefined,
): Omit<Selection, 'key' | 'isPoint' | 'again'> {
  const known = joinedIndex(analysis, term, table, index);
  const keys = known.isPrimary ? 'primary' : 'index';
  const rightKeys = (t: Builder, row: Term): Term => keysIn(t, row, known);
  const of: Term = { kind: 'datum', value: index ?? known.primaryKey ?? 'id' };
  return {
    right: streamOf(analysis, table),
    by: { of, keys, missingIsNone: false, rightKeys, fails: false },
    above: [],
  };
}

const filter: Select = (analysis, term, below, readsElement) => {
  if (below.kind !== 'call' || tableBelow(below) === undefined) return undefined;
  const { key, above: ofRows, again, ...by } = equalities(analysis.context, term, readsElement);
  return { right: streamOf(analysis, below), by, key, above: ofRows, again, isPoint: false };
};

const between: Select = (_taking, term) => {
  throw refusal(term, 'its bounds depend on the element. Look rows up by `getAll`, or by a `filter` with `eq`');
};

/** Terms that select rows of a table, by term number. */
export const selections: ReadonlyMap<number, Select> = new Map<number, Select>([
  [TermType.GET, get],
  [TermType.GET_ALL, getAll],
  [TermType.FILTER, filter],
  [TermType.BETWEEN, between],
  [TermType.BETWEEN_DEPRECATED, between],
  [TermType.GET_INTERSECTING, between],
  [TermType.GET_NEAREST, between],
]);

function streamOf(analysis: Analysis, term: CallTerm): Stream {
  const piece = analysis.analyze(term);
  if (piece.kind !== 'stream') throw new LeaveToServer();
  const bag = unordered(piece);
  if (bag === undefined) throw refusal(term, 'rows are looked up in a part of an order. Look them up before `limit`');
  return bag;
}
