// `group`: the same thing for each group of elements. Elements become pairs of group and element; what stands above the
// group is taken apart over the elements of one group.

import { argumentValue } from '../../aggregates/element.ts';
import type { Elements, Grouped, Value } from '../../live.ts';
import { type Consumer, elementsOfRow } from '../../plan/projection.ts';
import { refusal } from '../../refusal.ts';
import type { Builder, Expression } from '../../reql/build/build.ts';
import { isTrue } from '../../reql/data/data-type.ts';
import { logicError } from '../../reql/error.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import { indexValues } from '../../sources/index-values.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { fieldCanFail } from '../failure.ts';
import { lookedUp, looksUp } from '../lookup/lookup.ts';
import { keepsElements, orderLostIn, orderOf } from '../order/order-of.ts';
import { isOrder, unordered } from '../order/unordered.ts';
import {
  branchOf,
  type GroupBase,
  type GroupedPiece,
  GroupUses,
  type Leaf,
  type RowOrder,
  type Stream,
} from '../piece.ts';
import { checkApplied, checkAppliedDeterministic, optargOf } from './argument.ts';
import { argumentsOf } from './arguments-of.ts';
import { baseOrder, collected } from './collect.ts';
import { expressed, expressedAbove } from './expressed.ts';
import { indexFields, indexName } from './index-field.ts';
import { missedBy, missedValue } from './missed.ts';
import { selectionOf } from './selection.ts';

/** Steps for each key of a group. */
const KEY_STEPS = 600;

const group: StreamRule = (analysis, term, stream): GroupedPiece => {
  analysis.context.spend(KEY_STEPS * term.args.length, term);
  if (!looksUp(analysis, term)) {
    checkApplied(term);
    return grouping(analysis, term, stream);
  }
  const looked = lookedUp(analysis, term, stream);
  return grouping(analysis, looked.term, looked.stream);
};

const grouping = (analysis: Analysis, term: CallTerm, stream: Stream): GroupedPiece => {
  if (argumentsOf(analysis.context, term).length === 0 && optargOf(term, 'index') === undefined) {
    throw logicError('Cannot group by nothing.', term.origin);
  }
  // The server refuses an index on anything but a table.
  if (optargOf(term, 'index') !== undefined && selectionOf(stream)?.type !== TermType.TABLE) throw new LeaveToServer();
  const bag = unordered(stream);
  if (bag === undefined) throw refusal(term, 'it stands on a part of an order. Group before `limit`');
  checkAppliedDeterministic(bag, term.args.slice(1));
  const uses = new GroupUses();
  const objects = bag.branches.every((branch) => branch.objects);
  const order = orderWithin(analysis, term, stream);
  const listed = orderOf(stream) === 'listed';
  const base: GroupBase = { kind: 'group', uses, listed, isSelection: false, orders: order.tail.length };
  const inner: Stream = { kind: 'stream', branches: [branchOf(base, objects)], ...order };
  return { kind: 'grouped', stream: bag, group: term, uses, inner, defaults: [] };
};

/** The elements of a group come in the order of the stream that is grouped, which they are put into again. */
function orderWithin(analysis: Analysis, term: CallTerm, stream: Stream): Pick<Stream, 'tail' | 'lost'> {
  const [branch, ...more] = stream.branches;
  const isOrdered = orderOf(stream) !== 'none';
  if (stream.lost !== undefined || !isOrdered || branch === undefined) return { tail: [], lost: stream.lost };
  const lost = orderLostIn(term, stream);
  const above = [...branch.chain, ...stream.tail];
  if (more.length > 0 || !above.every((over) => isOrder(over) || keepsElements(over))) return { tail: [], lost };
  // The primary key is not worth a question to the server, where nobody may want the order.
  if (branch.root.kind === 'rows' && !isKnown(branch.root.order)) return { tail: [], lost };
  const own = baseOrder(analysis, analysis.context.builder(term), branch.root);
  return { tail: [...(own === undefined ? [] : [own]), ...stream.tail.filter(isOrder)] };
}

/** Whether an order needs no question to the server. */
function isKnown(order: RowOrder | undefined): boolean {
  return order !== undefined && (typeof order.by === 'string' || 'term' in order.by);
}

/** The groups that a piece watches, once nothing more is applied to each of them. */
export function groupedValue(analysis: Analysis, piece: GroupedPiece): Grouped {
  return groupedBy(analysis, piece).grouped;
}

/** The same with the counts of what is missed on the way. */
export function groupedBy(
  analysis: Analysis,
  piece: GroupedPiece,
): { readonly grouped: Grouped; readonly missed: readonly Leaf[] } {
  const inner = piece.inner.kind === 'stream' ? collected(analysis, piece.group, piece.inner) : piece.inner;
  const value: Value = expressed(analysis.context, inner);
  const consumer = groupConsumer(analysis, piece);
  const of = analysis.context.consume(piece.stream, consumer);
  const missed = missedBy(analysis, piece.group, piece.stream, consumer);
  const counted = missedValue(analysis, piece.group, missed);
  const defaults = piece.defaults.map(({ below, raised, whole }) => ({
    below: expressed(analysis.context, below),
    ...expressedAbove(analysis.context, [raised], whole),
  }));
  const known = { kind: 'grouped', of, value, defaults } as const;
  return { grouped: counted === undefined ? known : { ...known, missed: counted }, missed };
}

/** The pairs of group and element of a grouped piece whose elements have a consumer. */
export function groupElements(analysis: Analysis, piece: GroupedPiece): Elements {
  return analysis.context.consume(piece.stream, groupConsumer(analysis, piece));
}

function groupConsumer(analysis: Analysis, piece: GroupedPiece): Consumer {
  const used = piece.uses.consumer;
  if (used === undefined)
    throw refusal(piece.group, 'nothing is computed of its elements. Put an aggregate after it, as `count`');
  const { branch, consumer } = used;
  const objects = piece.stream.branches.every((before) => before.objects);
  const keyFails = argumentsOf(analysis.context, piece.group).some((key) => fieldCanFail(key, objects));
  const keys = keysOf(analysis, piece.group);
  return {
    term: piece.group,
    mayRaise: keyFails || branch.mayRaise || consumer.mayRaise === true,
    mayLackField: branch.mayLackField || consumer.mayLackField === true,
    elements: (t, element) =>
      pairs(t, keys(t, element), elementsOfRow(t, branch, consumer, element, analysis.context.fresh, 'any')),
  };
}

interface Keys {
  /** The one group of an element. */
  readonly one?: Term;
  /** The array of all groups of an element. */
  readonly all?: Term;
}

function pairs(t: Builder, keys: Keys, elements: Term): Expression {
  if (keys.one !== undefined) {
    const [single] = elements.kind === 'call' && elements.type === TermType.MAKE_ARRAY ? elements.args : [];
    if (single !== undefined && elements.kind === 'call' && elements.args.length === 1) {
      return t.array(t.array(keys.one, single));
    }
    const one = keys.one;
    return t.map(
      elements,
      t.func((element) => t.array(one, element), 1),
    );
  }
  return t.concatMap(
    keys.all ?? t.array(),
    t.func((key) => {
      const pair = t.func((element) => t.array(key, element), 1);
      return t.map(elements, pair);
    }, 1),
  );
}

/** How an element gives its groups. Missing and null keys are the group null, as in RethinkDB (shards.cc). */
function keysOf(analysis: Analysis, term: CallTerm): (t: Builder, element: Term) => Keys {
  const args = argumentsOf(analysis.context, term);
  const multi = optargOf(term, 'multi');
  const isMulti = multi?.kind === 'datum' && isTrue(multi.value);
  if (multi !== undefined && multi.kind !== 'datum') throw refusal(term, 'its `multi` is not a literal. Write it out');
  const index = optargOf(term, 'index');
  const known = index === undefined ? undefined : indexFields(analysis, term, indexName(term, index));
  const several = args.length + (known === undefined ? 0 : 1) > 1;
  return (t, element) => {
    const values = args.map((arg) => t.default(argumentValue(t, arg, element), null));
    if (!isMulti && known === undefined) {
      const [only] = values;
      return { one: several || only === undefined ? t.array(...values) : only };
    }
    const lists = values.map((value) => (isMulti ? listOf(t, value) : t.array(value)));
    if (known !== undefined) lists.push(withItems(t, indexValues(t, element, known), isMulti));
    return { all: product(t, lists, several) };
  };
}

/** The values that an index gives as a dimension: `multi` takes each that is an array for its items, as those of fields. */
function withItems(t: Builder, values: Term, isMulti: boolean): Term {
  if (!isMulti) return values;
  return t.concatMap(
    values,
    t.func((value) => listOf(t, value), 1),
  );
}

/** The values that one dimension of a `multi` group gives: an array's items, null for an empty one. */
function listOf(t: Builder, value: Term): Term {
  const list = (of: Term): Expression =>
    t.branch(t.eq(t.typeOf(of), 'ARRAY'), t.branch(t.isEmpty(of), [null], of), t.array(of));
  return t.do(
    t.func((of) => list(of), 1),
    value,
  );
}

/** All combinations of one value from each list, as arrays where there are several lists. */
function product(t: Builder, lists: readonly Term[], several: boolean): Term {
  const [first, ...more] = lists;
  if (first === undefined) return t.array();
  if (!several) return first;
  const start = t.map(
    first,
    t.func((value) => t.array(value), 1),
  );
  return more.reduce<Term>(
    (combinations, list) =>
      t.concatMap(
        combinations,
        t.func(
          (combination) =>
            t.map(
              list,
              t.func((value) => t.append(combination, value), 1),
            ),
          1,
        ),
      ),
    start,
  );
}

export const groupRules: StreamRules = new Map([[TermType.GROUP, group]]);
