// Streams of rows: `distinct` as a term, and what a stream is for the client when it is itself watched.

import { argumentValue } from '../aggregates/element.ts';
import { LeaveToServer } from '../context.ts';
import type { Consumer } from '../each.ts';
import type { Rows } from '../live.ts';
import { branchOf, type Piece, type Stream, type Valued } from '../piece.ts';
import { refusal } from '../refusal.ts';
import { TermType } from '../reql/term-type.ts';
import type { Builder } from '../term/build.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { unordered } from './aggregate.ts';
import { argumentsOf, optargOf } from './argument.ts';
import { collected, onCollected } from './collect.ts';
import { expressed } from './expressed.ts';
import { indexFields, indexName, indexValues } from './index-field.ts';
import { isGrouped, missedBy, missedValue } from './missed.ts';
import { isOrder } from './order.ts';
import { selectionOf } from './selection.ts';
import type { StreamRule, StreamRules, Taking } from './taking.ts';

const distinct: StreamRule = (taking, term, stream): Piece => {
  const bag = unordered(stream);
  // The server refuses an index on anything but a table or a range of it.
  if (optargOf(term, 'index') !== undefined && !isRange(bag)) throw new LeaveToServer();
  if (bag === undefined) return { ...onCollected(taking, term, collected(taking, term, stream)), sequence: true };
  const of = taking.context.consume(bag, distinctConsumer(taking, term));
  const objects = bag.branches.every((branch) => branch.objects) && term.optargs.length === 0;
  const missed = isGrouped(bag) ? [] : missedBy(taking, term, bag);
  const counted = missedValue(taking, term, missed);
  const rows: Rows = { kind: 'distinct', of, ...(counted === undefined ? {} : { missed: counted }) };
  return { kind: 'stream', branches: [branchOf({ kind: 'rows', rows }, objects, missed)], tail: [] };
};

function isRange(stream: Stream | undefined): boolean {
  const selection = stream === undefined ? undefined : selectionOf(stream);
  return selection !== undefined && selection.type !== TermType.GET_ALL;
}

function distinctConsumer(taking: Taking, term: CallTerm): Consumer {
  const index = optargOf(term, 'index');
  if (index === undefined) return { term, asIs: true, elements: (t, element) => t.array(element) };
  const known = indexFields(taking, term, indexName(term, index));
  return { term, elements: (t, element) => indexValues(t, element, known) };
}

/** What a stream is when it is watched itself. `term` is the CHANGES term. */
export function watchedRows(taking: Taking, term: CallTerm, stream: Stream): Rows {
  const bag = unordered(stream);
  if (bag !== undefined) return bareRows(bag) ?? { kind: 'listed', of: taking.context.consume(bag, whole(term)) };
  return topRows(taking, stream) ?? flatRows(taking, collected(taking, term, stream));
}

/** The items of an array-valued expression as rows. */
export function flatRows(taking: Taking, array: Valued): Rows {
  return { kind: 'flat', of: expressed(taking.context, array) };
}

function whole(term: CallTerm): Consumer {
  return { term, asIs: true, elements: (t, element) => t.array(element) };
}

/** The rows that a stream is, when nothing stands on top of them. */
function bareRows(stream: Stream): Rows | undefined {
  const [branch, ...more] = stream.branches;
  if (branch === undefined || more.length > 0 || branch.chain.length > 0) return undefined;
  return branch.base.kind === 'rows' ? branch.base.rows : undefined;
}

/** `orderBy(...).limit(n)` over derived rows: elements are pairs of keys and row. */
function topRows(taking: Taking, stream: Stream): Rows | undefined {
  const orders = stream.tail.slice(0, -1);
  const limit = stream.tail.at(-1);
  const [branch, ...more] = stream.branches;
  const count = limit?.args[1];
  if (limit?.type !== TermType.LIMIT || orders.length === 0 || !orders.every(isOrder)) return undefined;
  if (branch?.base.kind !== 'rows' || more.length > 0 || branch.chain.length > 0) return undefined;
  if (count?.kind !== 'datum' || typeof count.value !== 'number') return undefined;
  const keys = [...orders].reverse().flatMap((order) => keysOf(taking, order));
  const tie = tieOf(branch.base.rows);
  const of = taking.context.consume(
    { ...stream, tail: [] },
    {
      term: limit,
      elements: (t, element) => {
        const values = keys.map(({ by }) => t.default(t.array(argumentValue(t, by, element)), []));
        return t.array(t.array(t.array(...values, tie(t, element)), element));
      },
    },
  );
  return { kind: 'top', of, descending: [...keys.map(({ descending }) => descending), false], limit: count.value };
}

interface Key {
  readonly by: Term;
  readonly descending: boolean;
}

function keysOf(taking: Taking, order: CallTerm): readonly Key[] {
  if (optargOf(order, 'index') !== undefined) throw refusal(order, 'there is no index on rows that are computed');
  return argumentsOf(taking.context, order).map((argument) => {
    const marked =
      argument.kind === 'call' && (argument.type === TermType.DESC || argument.type === TermType.ASC)
        ? argument
        : undefined;
    return { by: marked?.args[0] ?? argument, descending: marked?.type === TermType.DESC };
  });
}

/** Rows with equal keys keep the order that they have without `orderBy`. */
function tieOf(rows: Rows): (t: Builder, row: Term) => Term {
  return rows.kind === 'ungroup' ? (t, row) => t.bracket(row, 'group') : (_, row) => row;
}

/** Terms that make rows of a stream, by term number. */
export const rowRules: StreamRules = new Map([[TermType.DISTINCT, distinct]]);
