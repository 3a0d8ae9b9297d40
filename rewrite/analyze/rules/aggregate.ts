// Aggregates over streams: where elements become a value.

import { type Aggregate, isNamed, type TermAggregate, type TermArgument } from '../../aggregates/aggregate.ts';
import { coerceTarget } from '../../aggregates/coerce-target.ts';
import { aggregateFor, aggregates } from '../../aggregates/index.ts';
import { point } from '../../aggregates/point.ts';
import { appliedToRow, type Consumer, onTop, projectionOf } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import { callWith } from '../../reql/term/call-with.ts';
import { canonicalKey } from '../../reql/term/canonical-key.ts';
import { factsOf } from '../../reql/term/facts.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer, streamKey } from '../context.ts';
import { argumentCanFail, fieldCanFail, mayLackField } from '../failure.ts';
import { lookedUp, looksUp } from '../lookup/lookup.ts';
import { keepsElements, orderOf } from '../order/order-of.ts';
import { isOrder, unordered } from '../order/unordered.ts';
import type { Stream, Valued } from '../piece.ts';
import { above, isPerElement } from './above.ts';
import { checkApplied, checkAppliedDeterministic, optargOf } from './argument.ts';
import { argumentsOf } from './arguments-of.ts';
import { checkReduction } from './check-reduction.ts';
import { collected, onCollected } from './collect.ts';
import { isGrouped, missedRows, present, unlessFound, unlessMissed } from './missed.ts';
import { checkClosed, selectionOf, selectionStream } from './selection.ts';
import { isArray } from './stream-type.ts';

/** An aggregate over the elements of a stream. */
export function aggregated(analysis: Analysis, term: CallTerm, stream: Stream, aggregate: Aggregate): Valued {
  const { context } = analysis;
  const bag = unordered(stream);
  // The argument of a named aggregate is its own, and nothing to apply to elements.
  const args = isNamed(aggregate) ? [] : argumentsOf(context, term);
  if (bag === undefined || isListedInGroup(stream))
    return onCollected(analysis, term, collected(analysis, term, stream));
  if (isOrdered(aggregate, args, stream)) {
    const some = isGrouped(stream) ? withElements(analysis, term, stream, aggregate, args) : stream;
    return onCollected(analysis, term, collected(analysis, term, some));
  }
  context.spend(argumentSteps(term, args), term);
  if (!isNamed(aggregate) && looksUp(analysis, term)) {
    const looked = lookedUp(analysis, term, stream);
    return overElements(analysis, looked.term, looked.stream, aggregate);
  }
  checkApplied(term);
  return overElements(analysis, term, bag, aggregate);
}

function overElements(analysis: Analysis, term: CallTerm, bag: Stream, aggregate: Aggregate): Valued {
  const { context } = analysis;
  const args = isNamed(aggregate) ? [] : argumentsOf(context, term);
  checkAppliedDeterministic(bag, args);
  const objects = bag.branches.every((branch) => branch.objects);
  const { argumentIs = 'value', mayLackField: mayMiss }: Partial<TermAggregate> = isNamed(aggregate) ? {} : aggregate;
  const misses = mayMiss === true && mayLackField(term);
  const consumer: Consumer = {
    term,
    mayRaise: args.some((arg) => canRaise[argumentIs](arg, objects)),
    mayLackField: misses,
    elements: (t, element, known) => aggregate.project({ t, term, args, objects: known }, element),
  };
  const key = streamKey(bag);
  const leaf = context.leaf(key && (() => `${aggregate.name} ${tail(term)} of ${key()}`), () => ({
    kind: 'aggregate',
    aggregate,
    term,
    of: context.consume(bag, consumer),
  }));
  const value: Valued = {
    kind: 'value',
    body: context.builder(term).var(leaf.id),
    leaves: [leaf],
    sequence: false,
    row: false,
  };
  if (!misses || isGrouped(bag)) return present(analysis, term, bag, value);
  const found = unlessFound(analysis, term, value, missedRows(analysis, term, bag, consumer));
  const below = bag.branches.flatMap(({ missed }) => missed);
  return unlessMissed(analysis, term, below, found);
}

/** Whether an argument can raise more than NON_EXISTENCE for an element, by what it is to the aggregate. */
const canRaise: { readonly [Of in TermArgument]: (arg: Term, objects: boolean) => boolean } = {
  value: argumentCanFail,
  field: fieldCanFail,
  combining: () => false,
};

/** Steps for each term of what is given to an aggregate; the function of a reduction is compared with all that is known. */
const ARGUMENT_STEPS = 50;
const REDUCTION_STEPS = 1000;

function argumentSteps({ type }: CallTerm, args: readonly Term[]): number {
  const each = type === TermType.REDUCE ? REDUCTION_STEPS : ARGUMENT_STEPS;
  return args.reduce((sum, arg) => sum + each * factsOf(arg).terms, 0);
}

/** Whether the elements come in an order on which the value depends. */
function isOrdered(aggregate: Aggregate, args: readonly Term[], stream: Stream): boolean {
  if (isNamed(aggregate)) return false;
  switch (aggregate.order?.(args)) {
    case undefined:
    case 'none':
      return false;
    case 'read':
      return orderOf(stream) !== 'none' || stream.lost !== undefined;
    case 'listed':
      return isList(stream);
    case 'listed, ties':
      return isList(stream) && !isByItself(stream);
  }
}

/** Whether an aggregate meets the elements in the order of a list, kept or lost. */
function isList(stream: Stream): boolean {
  return orderOf(stream) === 'listed' || stream.lost?.listed === true;
}

/** Whether each group is a list, ordered by itself: it stays though nothing may be left in it, and then some aggregates raise an error. */
export function isListedInGroup(stream: Stream): boolean {
  if (!isGrouped(stream)) return false;
  const { branches, tail } = stream;
  const orders = Math.max(...branches.map(({ root: base }) => (base.kind === 'group' ? base.orders : 0)));
  return tail.slice(orders).some(isOrder);
}

/**
 * The elements of a group that are some to an aggregate: a group without any is not there, which a list of all would not tell.
 */
function withElements(
  analysis: Analysis,
  term: CallTerm,
  { branches, tail, ...rest }: Stream,
  aggregate: Aggregate,
  args: readonly Term[],
): Stream {
  const { context } = analysis;
  const t = context.builder(term);
  const consumer: Consumer = {
    term,
    mayLackField: true,
    elements: (_, element, objects) => aggregate.project({ t, term, args, objects }, element),
  };
  const chain = tail.filter(isPerElement);
  const each = projectionOf({ chain, objects: false, mayLackField: true }, consumer, context.fresh, 'any');
  const some = t.filter(
    t.array(),
    t.func((row) => t.not(t.isEmpty(appliedToRow(t, each, row))), 1),
  );
  return { ...rest, branches: branches.map((branch) => above(branch, some)), tail };
}

/** Whether elements come in the order of their values, so that of equal ones the first is the least. */
function isByItself({ branches, tail }: Stream): boolean {
  return (
    tail.length === 0 &&
    branches.every(({ root: base, chain }) => {
      const order = base.kind === 'rows' ? base.order : undefined;
      return typeof order?.by === 'string' && !order.descending && chain.every(keepsElements);
    })
  );
}

/** What a term says besides its first argument, by a text. */
function tail(term: CallTerm): string {
  const isBare = term.args.length === 1 && term.optargs.length === 0;
  return isBare ? String(term.type) : canonicalKey(callWith(term, { args: term.args.slice(1) }));
}

const aggregate: StreamRule = (analysis, term, stream) => {
  if (term.type === TermType.REDUCE) checkReduction(term);
  const found = aggregateFor(term);
  if (found === undefined) throw refusal(term);
  return aggregated(analysis, term, stream, found);
};

/**
 * `min` and `max` of a table by an index, or by its primary key where they have no argument, are the row at the end of it. That
 * RethinkDB watches.
 */
const extreme: StreamRule = (analysis, term, stream) => {
  const ofIndex = optargOf(term, 'index') !== undefined;
  const isBare = argumentsOf(analysis.context, term).length === 0;
  const table = selectionOf(stream);
  const ofTable = table?.type === TermType.TABLE;
  // The server refuses an index on anything but a table, and beside an argument.
  if (ofIndex && !(ofTable && isBare)) throw new LeaveToServer();
  if (!ofTable || !isBare) return aggregate(analysis, term, stream);
  const found = aggregateFor(term);
  if (found === undefined) throw refusal(term);
  return rowOf(analysis, callWith(onTop(term, table), { optargs: [] }), onTop(term, table), found);
};

/** `sum` and `avg` take no index: the server says so. */
const unindexed: StreamRule = (analysis, term, stream) => {
  if (optargOf(term, 'index') !== undefined) throw new LeaveToServer();
  return aggregate(analysis, term, stream);
};

const coerce: StreamRule = (analysis, term, stream) => {
  if (term.args[1]?.kind !== 'datum') throw refusal(term, 'its type is not a literal. Write it out');
  const rule = coercions.get(coerceTarget(term) ?? '');
  if (rule === undefined) {
    // A stream becomes nothing else, which the server says; an array does.
    if (!isArray(stream)) throw new LeaveToServer();
    return onCollected(analysis, term, collected(analysis, term, stream));
  }
  return rule(analysis, term, stream);
};

/** What a stream may become. */
const coercions: ReadonlyMap<string, StreamRule> = new Map<string, StreamRule>([
  ['array', collected],
  ['object', aggregate],
  ['stream', (_taking, _term, stream) => stream],
]);

/** `table.get(key)` as a stream of at most one row, of which the value is that row or null. */
export function takePoint(analysis: Analysis, term: CallTerm, table: CallTerm, key: Term): Valued {
  const t = analysis.context.builder(term);
  return { ...aggregated(analysis, t.getAll(table, key), selectionStream(t.getAll(table, key)), point), row: true };
}

/** The configuration or the status of a table or a database: a row of a system table. */
export function takeAbout(analysis: Analysis, term: CallTerm): Valued {
  const [about] = term.args;
  // The server refuses it over anything else, in its own words.
  if (about?.kind !== 'call' || (about.type !== TermType.TABLE && about.type !== TermType.DB))
    throw new LeaveToServer();
  if (about.type === TermType.TABLE) checkClosed(analysis, about);
  return rowOf(analysis, term, term, point);
}

/** A row that RethinkDB watches as it is. */
function rowOf(analysis: Analysis, term: CallTerm, watched: CallTerm, of: Aggregate): Valued {
  return { ...aggregated(analysis, term, selectionStream(watched, true), of), row: true };
}

/** Aggregates, by term number: one rule for all but those that have more to them. */
export const aggregateRules: StreamRules = new Map<number, StreamRule>([
  ...aggregates.flatMap((one) => (isNamed(one) ? [] : [[one.term, aggregate] as const])),
  [TermType.SUM, unindexed],
  [TermType.AVG, unindexed],
  [TermType.MIN, extreme],
  [TermType.MAX, extreme],
  [TermType.COERCE_TO, coerce],
]);
