// Streams of rows: `distinct` as a term, and what a stream is for the client when it is itself watched.

import type { Rows } from '../../live.ts';
import type { Consumer } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { indexValues } from '../../sources/index-values.ts';
import type { IndexFields } from '../../sources/known-index.ts';
import { isWithin, rangeOf } from '../../sources/range.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { isSliceOrder, type Slice, sliceOf } from '../order/slice.ts';
import { unordered } from '../order/unordered.ts';
import { branchOf, type Piece, type RowsBase, type Stream, type Valued } from '../piece.ts';
import { isListedInGroup } from './aggregate.ts';
import { optargOf } from './argument.ts';
import { collected, onCollected } from './collect.ts';
import { expressed } from './expressed.ts';
import { indexFields, indexName, isPrimaryKey } from './index-field.ts';
import { isGrouped, missedBy, missedValue } from './missed.ts';
import { perElement } from './per-element.ts';
import { selectionOf } from './selection.ts';

/**
 * `distinct` of a table or a range of it goes by an index: it gives a stream in the order of that index, of the rows by the
 * primary key, of the values of an index where one is named. Of anything else it gives a sorted array.
 */
const distinct: StreamRule = (analysis, term, stream): Piece => {
  const index = optargOf(term, 'index');
  const slice = stream.tail.every(isSliceOrder) ? sliceOf(selectionOf({ ...stream, tail: [] })) : undefined;
  if (index === undefined) return distinctRows(analysis, term, stream, orderOfDistinct(analysis, slice));
  // The server refuses an index on anything else.
  if (slice === undefined) throw new LeaveToServer();
  const known = indexFields(analysis, term, indexName(term, index));
  // By the primary key RethinkDB only takes the key of each row.
  if (known.primaryKey === indexName(term, index)) return perElement(analysis, keyOfRow(analysis, term, index), stream);
  if (!goesBy(slice, term, index)) throw new LeaveToServer();
  const values: Consumer = { term, elements: (t, row) => valuesWithin(t, indexValues(t, row, known), slice, known) };
  return distinctOf(analysis, term, stream, values, {
    order: { by: 'row', descending: slice.descending },
    array: false,
  });
};

type Shape = Pick<RowsBase, 'order' | 'array'>;

const SORTED: Shape = { order: { by: 'row', descending: false }, array: true };

function orderOfDistinct(analysis: Analysis, slice: Slice | undefined): Shape {
  if (slice === undefined) return SORTED;
  const { table, index, descending } = slice;
  const byKey: Shape = { order: { by: { primaryKeyOf: table }, descending }, array: false };
  if (index === undefined || index === 'primary') return byKey;
  const isKey = index.kind === 'datum' && typeof index.value === 'string' && isPrimaryKey(analysis, table, index.value);
  return isKey ? byKey : SORTED;
}

/** Whether a slice goes by an index, or by none yet. */
function goesBy({ index: own }: Slice, term: CallTerm, index: Term): boolean {
  if (own === undefined || own === 'primary') return own === undefined;
  return indexName(term, own) === indexName(term, index);
}

function keyOfRow(analysis: Analysis, term: CallTerm, index: Term): CallTerm {
  return analysis.context.builder(term).bracket(term.args[0] ?? index, index);
}

/** A range of an index that is `multi` holds a row under some of its values alone. */
function valuesWithin(t: Builder, values: Term, { range }: Slice, { multi }: IndexFields): Term {
  if (!multi || range === undefined) return values;
  const bounds = rangeOf(range);
  if (bounds === undefined) throw refusal(range, 'which of its bounds belong to it is not a literal. Write it out');
  return t.filter(
    values,
    t.func((value) => isWithin(t, value, bounds), 1),
  );
}

function distinctRows(analysis: Analysis, term: CallTerm, stream: Stream, shape: Shape): Piece {
  const bag = unordered(stream);
  if (bag === undefined || isListedInGroup(stream)) {
    return { ...onCollected(analysis, term, collected(analysis, term, stream)), sequence: true };
  }
  return distinctOf(analysis, term, bag, { term, isIdentity: true, elements: (t, element) => t.array(element) }, shape);
}

function distinctOf(analysis: Analysis, term: CallTerm, stream: Stream, consumer: Consumer, shape: Shape): Stream {
  const bag: Stream = { ...stream, tail: [] };
  const of = analysis.context.consume(bag, consumer);
  const objects = bag.branches.every((branch) => branch.objects) && term.optargs.length === 0;
  const missed = isGrouped(bag) ? [] : missedBy(analysis, term, bag);
  const counted = missedValue(analysis, term, missed);
  const rows: Rows = { kind: 'distinct', of, ...(counted === undefined ? {} : { missed: counted }) };
  return { kind: 'stream', branches: [branchOf({ kind: 'rows', rows, ...shape }, objects, missed)], tail: [] };
}

/** The rows of a stream that is watched itself. `term` is the CHANGES term. */
export function watchedRows(analysis: Analysis, term: CallTerm, stream: Stream): Rows {
  const bag = unordered(stream);
  if (bag !== undefined) return bareRows(bag) ?? { kind: 'listed', of: analysis.context.consume(bag, whole(term)) };
  return flatRows(analysis, collected(analysis, term, stream));
}

/** The items of an array-valued expression as rows. */
export function flatRows(analysis: Analysis, array: Valued): Rows {
  return { kind: 'flat', of: expressed(analysis.context, array) };
}

function whole(term: CallTerm): Consumer {
  return { term, isIdentity: true, elements: (t, element) => t.array(element) };
}

/** The rows that a stream is, when nothing stands on top of them. */
function bareRows(stream: Stream): Rows | undefined {
  const [branch, ...more] = stream.branches;
  if (branch === undefined || more.length > 0 || branch.chain.length > 0) return undefined;
  return branch.root.kind === 'rows' ? branch.root.rows : undefined;
}

/** Terms that make rows of a stream, by term number. */
export const rowRules: StreamRules = new Map([[TermType.DISTINCT, distinct]]);
