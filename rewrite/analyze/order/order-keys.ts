// The keys by which rows are kept in an order in the proxy: what is ordered by, what decides between rows that are equal, and which of
// it each row carries.

import { argumentValue, isFunction } from '../../aggregates/element.ts';
import type { Elements, OrderField } from '../../live.ts';
import { appliedToRow, type Consumer, onTop, withVariables } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, varOf } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import { indexValue } from '../../sources/index-values.ts';
import { tableBelow } from '../../sources/known-index.ts';
import type { Analysis } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { argumentCanFail } from '../failure.ts';
import type { Branch, Stream } from '../piece.ts';
import { checkApplied, checkDeterministic, optargOf } from '../rules/argument.ts';
import { argumentsOf } from '../rules/arguments-of.ts';
import { indexFields, indexName } from '../rules/index-field.ts';

/** The terms that say in which order rows are. */
export interface Ordered {
  /** Their own. */
  readonly own: CallTerm | undefined;
  /** What they are ordered by besides, innermost first. */
  readonly orders: readonly CallTerm[];
  /** What is made of them before that. */
  readonly made: readonly CallTerm[];
}

/** A key of an order. */
interface Key {
  readonly descending: boolean;
  /** The field that it is, where it is one. */
  readonly field?: string;
  /** Its value, as ReQL. */
  value(t: Builder, row: Term): Term;
  /** The argument of `orderBy` that says it for a list. */
  readonly argument: Term;
}

/** The keys of an order. */
export interface OrderKeys {
  /** Outermost first. */
  readonly keys: readonly Key[];
  /** Whether all of them are fields of rows that are objects, so that a row is all that is needed. */
  readonly areFields: boolean;
  /** What decides between rows that are equal in all keys. */
  readonly tie: readonly OrderField[];
  /** A key can raise more than NON_EXISTENCE. */
  readonly fails: boolean;
}

/**
 * The keys of an order of the rows of `bag`, which `term` takes a part of. Throws a refusal for an index that orders a row several times.
 */
export function keysOf(analysis: Analysis, term: CallTerm, bag: Stream, ordered: Ordered): OrderKeys {
  const { own, orders, made } = ordered;
  const objects = bag.branches.every((branch) => branch.objects);
  const byOrders = [...orders].reverse().flatMap((order) => keysBy(analysis, order));
  const all = [
    ...(made.length === 0 ? byOrders : byOrders.map((key) => keyOfMade(analysis, term, key, made))),
    ...(own === undefined ? [] : keysBy(analysis, own)),
  ];
  const keys = withoutRow(all);
  const areFields = (objects || keys.length === 0) && keys.every(({ field }) => field !== undefined);
  return {
    keys,
    areFields,
    // Rows that are in the order of all that they are have no ties.
    tie: own === undefined && keys.length === all.length ? tieOf(analysis, term, bag, orders) : [],
    fails: keys.some(({ field, argument }) => (field === undefined ? argumentCanFail(argument, objects) : !objects)),
  };
}

/** The key of what terms make of a row, as one of the row. */
function keyOfMade(analysis: Analysis, term: CallTerm, key: Key, made: readonly CallTerm[]): Key {
  const t = analysis.context.builder(term);
  const value = (inner: Builder, row: Term): Term =>
    key.value(
      inner,
      made.reduce<Term>((below, one) => madeOf(inner, withVariables(one, analysis.context.fresh), below), row),
    );
  const func = t.func((row) => value(t, row), 1);
  return { descending: key.descending, value, argument: key.descending ? t.desc(func) : func };
}

/** What a term that makes one element of each makes of one. */
function madeOf(t: Builder, made: CallTerm, row: Term): Term {
  const [, func] = made.args;
  if (made.type !== TermType.MAP) return onTop(made, row);
  return func?.kind === 'call' && isFunction(func) ? appliedToRow(t, func, row) : t.nth(onTop(made, t.array(row)), 0);
}

/** Of rows that are equal in all keys the least comes first, without a key for it. */
function withoutRow(keys: readonly Key[]): readonly Key[] {
  const last = keys.at(-1);
  return last !== undefined && !last.descending && isRow(last.argument) ? keys.slice(0, -1) : keys;
}

function isRow(argument: Term): boolean {
  const parts = funcParts(argument);
  return parts !== undefined && varOf(parts.body) === parts.params[0];
}

function keysBy(analysis: Analysis, order: CallTerm): readonly Key[] {
  checkApplied(order);
  const own = argumentsOf(analysis.context, order).map((argument): Key => {
    checkDeterministic(argument);
    const { by, descending } = directed(argument);
    // The server refuses an argument that names no field.
    if (by.kind === 'object' || (by.kind === 'datum' && typeof by.value !== 'string')) throw new LeaveToServer();
    const field = by.kind === 'datum' && typeof by.value === 'string' ? { field: by.value } : {};
    return { descending, ...field, value: (t, row) => argumentValue(t, by, row), argument };
  });
  const index = optargOf(order, 'index');
  return index === undefined ? own : [indexKey(analysis, order, index), ...own];
}

function directed(argument: Term): { readonly by: Term; readonly descending: boolean } {
  const isMarked = argument.kind === 'call' && (argument.type === TermType.DESC || argument.type === TermType.ASC);
  const by = isMarked ? (argument.args[0] ?? argument) : argument;
  return { by, descending: isMarked && argument.type === TermType.DESC };
}

function indexKey(analysis: Analysis, order: CallTerm, index: Term): Key {
  const { by, descending } = directed(index);
  const known = indexFields(analysis, order, indexName(order, by));
  if (known.multi)
    throw refusal(order, 'an index that is `multi` orders a row several times. Use a function instead of it');
  const [only, ...more] = known.fields;
  const field = known.compound || only === undefined || more.length > 0 ? {} : { field: only };
  const t = analysis.context.builder(order);
  const value = (inner: Builder, row: Term): Term => indexValue(inner, row, known);
  const func = t.func((row) => value(t, row), 1);
  return { descending, ...field, value, argument: descending ? t.desc(func) : func };
}

/** Rows of a table that are equal otherwise are in the order of the primary key: backwards where an index that is `desc` orders them. */
function tieOf(analysis: Analysis, term: CallTerm, bag: Stream, orders: readonly CallTerm[]): readonly OrderField[] {
  const [first] = orders;
  const index = first === undefined ? undefined : optargOf(first, 'index');
  const descending = index !== undefined && directed(index).descending;
  const keys = new Set(bag.branches.map((branch) => primaryKeyOf(analysis, term, branch)));
  const [key, ...more] = keys;
  return key === undefined || more.length > 0 ? [] : [{ field: key, descending }];
}

/** The primary key of the rows of a table, as far as it is known. */
function primaryKeyOf(analysis: Analysis, term: CallTerm, { root: base, objects }: Branch): string | undefined {
  if (!objects) return undefined;
  switch (base.kind) {
    case 'selection': {
      const table = tableBelow(base.term);
      return table === undefined ? undefined : analysis.context.primaryKey(table);
    }
    case 'group': {
      const table = tableBelow(term);
      return table === undefined ? undefined : analysis.context.primaryKey(table);
    }
    case 'rows':
    case 'join':
      return undefined;
  }
}

/** Rows are carried whole, and their keys are read in the proxy, where that is all that they are. */
export function consumedInOrder(
  analysis: Analysis,
  term: CallTerm,
  bag: Stream,
  { keys, areFields, fails }: OrderKeys,
): Elements {
  const consumer: Consumer = areFields
    ? { term, isIdentity: true, mayRaise: true, elements: (t, row) => t.array(row) }
    : {
        term,
        mayRaise: fails || bag.branches.every(({ objects }) => objects),
        elements: (t, row) => {
          const boxes = keys.map(({ value }) => t.default(t.array(value(t, row)), []));
          return t.array(t.array(t.array(...boxes), row));
        },
      };
  return analysis.context.consume(bag, consumer);
}

/** The order of all keys, as an `orderBy` over an array. */
export function orderTerm(analysis: Analysis, term: CallTerm, { keys, tie }: OrderKeys): CallTerm {
  const t = analysis.context.builder(term);
  const ties = tie.map(({ field, descending }) => (descending ? t.desc(field) : t.expr(field)));
  return t.orderBy(
    t.array(),
    ...keys.map(({ argument }) => argument),
    ...ties,
    t.func((row) => row, 1),
  );
}

/** The fields that are the keys of an order; keys that are computed are left out. */
export function keyFields({ keys }: OrderKeys): readonly OrderField[] {
  return keys.flatMap(({ field, descending }) => (field === undefined ? [] : [{ field, descending }]));
}
