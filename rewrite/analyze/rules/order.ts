// Orders and limits. An order by itself changes nothing that can be watched; what it means depends on what stands above.

import { onTop } from '../../plan/projection.ts';
import { mixedRefusal, refusal, unitedRefusal } from '../../refusal.ts';
import { factsOf } from '../../reql/term/facts.ts';
import { spreadOut } from '../../reql/term/spread.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { rowsStandOnGroup } from '../lookup/stands-on-group.ts';
import { isTotal, keepsElements } from '../order/order-of.ts';
import { partOfOrder } from '../order/part.ts';
import { positionRefusal } from '../order/position.ts';
import { checkPlaces } from '../order/range-of.ts';
import { isSliceOrder } from '../order/slice.ts';
import type { Branch, LostOrder, Piece, Stream } from '../piece.ts';
import { above } from './above.ts';
import { checkApplied, checkDeterministic, optargOf } from './argument.ts';
import { collected, onCollected } from './collect.ts';
import { listStream } from './list-stream.ts';
import { isListed } from './per-element.ts';
import { selectionOf, selectionStream } from './selection.ts';
import { asStream, isArray, typeAbove, typeOf } from './stream-type.ts';

const orderBy: StreamRule = (analysis, term, stream): Stream => {
  // The server refuses an order by what it cannot tell at once.
  if (term.args.slice(1).some(isUnsteadyOrder)) throw new LeaveToServer();
  checkApplied(term);
  for (const key of term.args.slice(1)) checkDeterministic(key);
  const index = optargOf(term, 'index');
  // The server refuses an order by nothing.
  if (index === undefined && spreadOut(term.args.slice(1)).length === 0) throw new LeaveToServer();
  const below = index === undefined ? stream : withinIndex(analysis, term, index, stream);
  // Where nothing is equal it does not matter which order the rows were in.
  return { ...below, tail: [...stream.tail, term], lost: isTotal(term) ? undefined : below.lost };
};

/** Whether a key is a function that reads a table, or is a matter of chance. */
function isUnsteadyOrder(key: Term): boolean {
  const isDirected = key.kind === 'call' && (key.type === TermType.ASC || key.type === TermType.DESC);
  const [func] = isDirected ? key.args : [key];
  const parts = func === undefined ? undefined : funcParts(func);
  if (parts === undefined) return false;
  const { table, unsteady } = factsOf(parts.body);
  return table !== undefined || unsteady !== undefined;
}

/** The rows that an index orders: those that it does not hold are left out. RethinkDB watches such a range by itself. */
function withinIndex(analysis: Analysis, term: CallTerm, index: Term, stream: Stream): Stream {
  const selection = selectionOf(stream);
  // The server refuses the index on anything but a table or a range of it.
  if (selection === undefined) throw new LeaveToServer();
  return selectionStream(analysis.context.builder(term).orderBy(selection, { index }));
}

const limit: StreamRule = (analysis, term, stream): Piece => {
  const [, count] = term.args;
  if (count?.kind !== 'datum') throw refusal(term, 'its number is not a literal. Write it out');
  checkPlaces(term);
  // The server refuses a count below 0.
  if (typeof count.value !== 'number' || count.value < 0) throw new LeaveToServer();
  const order = firstsOf(stream);
  if (order !== undefined) return selectionStream(onTop(term, order), true);
  const part = partOfOrder(analysis, term, stream);
  if (part !== undefined) return part;
  if (!isListed(stream)) throw positionRefusal(term, stream);
  return { ...stream, tail: [...stream.tail, term] };
};

/**
 * The order of an index, directly on a table or a range of it, of which RethinkDB watches the first rows; of those that pass a
 * filter, too, where that cannot fail.
 */
function firstsOf({ branches, tail: [order, ...filters] }: Stream): CallTerm | undefined {
  const ordered = selectionOf({ kind: 'stream', branches, tail: [] });
  const [branch] = branches;
  if (ordered === undefined || branch === undefined || order === undefined || !isSliceOrder(order)) return undefined;
  const native = filters.reduce(above, branch).native === filters.length && filters.every(keepsElements);
  return native ? filters.reduce<CallTerm>((below, filter) => onTop(filter, below), ordered) : undefined;
}

const union: StreamRule = (analysis, term, stream): Piece => {
  const others = term.args.slice(1).map((argument) => analysis.analyze(argument));
  const streams = others.flatMap((piece) => united(term, piece) ?? []);
  if (streams.length < others.length) throw mixedRefusal(term);
  const limited = [stream, ...streams].find(({ tail }) => tail.some((above) => above.type !== TermType.ORDER_BY));
  if (limited !== undefined)
    throw refusal(term, 'one of the streams that it unites is a part of an order. Use `coerceTo("array")` on each');
  const branches = [stream, ...streams].flatMap((one) => one.branches);
  if (branches.some(({ root }) => root.kind === 'group')) throw unitedRefusal(term);
  return { kind: 'stream', branches, tail: [], lost: lostIn(term, branches) };
};

/** What a stream is united with, as a stream; `undefined` for a value that is live. */
function united(term: CallTerm, piece: Piece): Stream | undefined {
  return piece.kind === 'pure' ? listStream(term, piece.term) : piece.kind === 'stream' ? piece : undefined;
}

function lostIn(term: CallTerm, branches: readonly Branch[]): LostOrder | undefined {
  return keepsOrder(term) ? { term, listed: isArray({ kind: 'stream', branches, tail: [] }) } : undefined;
}

/** Whether a union gives its streams one after the other, as `interleave` may ask for. */
function keepsOrder(term: CallTerm): boolean {
  const interleave = optargOf(term, 'interleave');
  if (interleave === undefined) return false;
  if (interleave.kind === 'datum' && typeof interleave.value === 'boolean') return !interleave.value;
  throw refusal(
    term,
    'its `interleave` merges streams that have to be in an order already. Leave it out, and order what comes of the union',
  );
}

/**
 * A stream is a value of its own, which no `default` replaces: what is raised while it is read comes too late for it. Rows
 * that are computed are there at once, and so is an array of rows that are looked up.
 */
const byDefault: StreamRule = (analysis, term, stream): Piece =>
  stream.branches.some(({ missed }) => missed.length > 0) || isFoundArray(stream)
    ? asStream(
        { ...onCollected(analysis, term, collected(analysis, term, stream)), sequence: true },
        typeAbove(typeOf(stream), term),
      )
    : stream;

/** Whether a stream is an array of rows that are looked up: whatever is raised for one of them is raised while that is made. */
function isFoundArray(stream: Stream): boolean {
  const isFound = ({ root }: Branch): boolean =>
    root.kind === 'group' || (root.kind === 'rows' && rowsStandOnGroup(root.rows));
  return isArray(stream) && stream.branches.some(isFound);
}

/** Terms about the order and the union of streams, by term number. */
export const orderRules: StreamRules = new Map([
  [TermType.ORDER_BY, orderBy],
  [TermType.LIMIT, limit],
  [TermType.UNION, union],
  [TermType.DEFAULT, byDefault],
]);
