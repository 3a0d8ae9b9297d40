// Joins: rows of one stream beside those of another that have a key in common.

import { count } from '../../aggregates/count.ts';
import { argumentValue } from '../../aggregates/element.ts';
import { refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { ReqlError } from '../../reql/error.ts';
import { freeVars } from '../../reql/term/facts.ts';
import { substituteVar } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { funcParts, funcTerm, type VarId } from '../../reql/term/vars.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, StreamRule, StreamRules } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { argumentCanFail, fieldCanFail } from '../failure.ts';
import { pairBase, type Side } from '../join/pair-base.ts';
import { lookedUp, looksUp } from '../lookup/lookup.ts';
import { allOf, conjuncts, equality } from '../lookup/lookup-filter.ts';
import { keepsElements, orderLostIn } from '../order/order-of.ts';
import { unordered } from '../order/unordered.ts';
import { type Branch, branchOf, type JoinBase, type Leaf, type Stream, type StreamType } from '../piece.ts';
import { checkApplied, checkAppliedDeterministic, optargOf } from './argument.ts';
import { indexName } from './index-field.ts';
import { type JoinedIndex, joinedIndex, keysIn } from './joined-index.ts';
import { missedBy } from './missed.ts';
import { perElement } from './per-element.ts';
import { selectionOf } from './selection.ts';
import { typeOf } from './stream-type.ts';

/** `eqJoin` with a field or a function, over the primary key of a table or an index of it. */
const eqJoin: StreamRule = (analysis, term, stream) => {
  const before: CallTerm = { ...term, args: term.args.slice(0, 2) };
  if (looksUp(analysis, before)) {
    const looked = lookedUp(analysis, before, stream);
    return joinedBy(analysis, { ...term, args: [...looked.term.args, ...term.args.slice(2)] }, looked.stream);
  }
  checkApplied(before);
  return joinedBy(analysis, term, stream);
};

const joinedBy: StreamRule = (analysis, term, stream) => {
  const [, by, to] = term.args;
  const table = to === undefined ? undefined : tableOf(analysis, to);
  if (by === undefined || table === undefined) throw new LeaveToServer();
  const bag = bagOf(term, stream);
  checkAppliedDeterministic(bag, [by]);
  const { context } = analysis;
  const objects = bag.branches.every((branch) => branch.objects);
  const index = optargOf(term, 'index');
  const known = joinedIndex(analysis, term, table.term, index === undefined ? undefined : indexName(term, index));
  const left: Side = {
    stream: bag,
    fails: fieldCanFail(by, objects),
    elements: (t, row, carried) => keyed(t, argumentValue(t, by, row), carried),
  };
  const right: Side = {
    stream: table.stream,
    fails: false,
    elements: (t, row, carried) => indexed(t, row, known, carried),
  };
  const base = context.join(term, () =>
    pairBase(context, {
      term,
      left,
      right,
      by: { left: by, right: index ?? { kind: 'datum', value: known.primaryKey ?? 'id' } },
      keys: known.isPrimary ? 'primary' : 'index',
      condition: undefined,
      outer: false,
      repeats: known.multi,
      type: typeOfPairs(stream),
    }),
  );
  const missed = [...missedBy(analysis, term, bag), ...incomparable(analysis, term, base)];
  // Pairs come in the order in which the table is read, but where the left side's is asked for.
  const lost = optargOf(term, 'ordered') === undefined ? undefined : orderLostIn(term, stream);
  return { kind: 'stream', branches: [branchOf(base, true, missed)], tail: [], lost };
};

/** `innerJoin` and `outerJoin` by a function that compares a value of one side with one of the other. */
const compared: StreamRule = (analysis, term, stream) => {
  const [, to, func] = term.args;
  const right = to === undefined ? undefined : analysis.analyze(to);
  const parts = func === undefined ? undefined : funcParts(func);
  if (right === undefined || func === undefined) throw new LeaveToServer();
  if (right.kind !== 'stream')
    throw refusal(term, 'its right side is no table. Join with a table, or what passes its filters');
  const [ofLeft, ofRight, ...more] = parts?.params ?? [];
  if (parts === undefined || ofLeft === undefined || ofRight === undefined || more.length > 0) throw comparison(term);
  checkApplied({ ...term, args: [...term.args.slice(0, 1), func] });
  const [leftBag, rightBag] = [bagOf(term, stream), bagOf(term, right)];
  checkAppliedDeterministic(leftBag, [func]);
  const [first, ...others] = conjuncts(parts.body);
  const reads = (param: VarId) => (of: Term) => freeVars(of).has(param);
  const equal = first === undefined ? undefined : equality(first, reads(ofLeft), reads(ofRight));
  if (equal === undefined) throw comparison(term);
  const { context } = analysis;
  const outer = term.type === TermType.OUTER_JOIN;
  const side = (of: Stream, param: VarId, key: Term): Side => ({
    stream: of,
    fails: argumentCanFail(
      funcTerm([param], key, func),
      of.branches.every(({ objects }) => objects),
    ),
    elements: (t, row, carried) =>
      t.array(t.default(t.array(substituteVar(key, param, row), carried), t.array(carried))),
  });
  const base = context.join(term, () =>
    pairBase(context, {
      term,
      left: side(leftBag, ofLeft, equal.own),
      right: side(rightBag, ofRight, equal.other),
      by: { left: funcTerm([ofLeft], equal.own, func), right: funcTerm([ofRight], equal.other, func) },
      keys: 'any',
      condition: others.length === 0 ? undefined : funcTerm(parts.params, allOf(context.builder(term), others), func),
      outer,
      repeats: false,
      type: typeOfPairs(stream),
    }),
  );
  const missed = [
    ...missedBy(analysis, term, leftBag),
    ...missedBy(analysis, term, rightBag),
    ...incomparable(analysis, term, base),
  ];
  return { kind: 'stream', branches: [branchOf(base, true, missed)], tail: [], lost: orderLostIn(term, stream) };
};

function comparison(term: CallTerm): ReqlError {
  return refusal(
    term,
    'its function does not begin with an equality between the two sides. Write `(left, right) => left(...).eq(right(...))`, further conditions after it in an `and`, or use `eqJoin`',
  );
}

/** Whether rows are compared of which one has no value to compare: the one-shot query has no answer then. */
function incomparable(analysis: Analysis, term: CallTerm, { join }: JoinBase): readonly Leaf[] {
  if (join.kind !== 'pairs') return [];
  const leaf = analysis.context.leaf(undefined, () => ({
    kind: 'aggregate',
    aggregate: count,
    term,
    of: { parts: [{ kind: 'incomparable', of: join }] },
  }));
  return [leaf];
}

/** `zip` merges both rows of each pair. */
const zip: StreamRule = (analysis, term, stream) => {
  // The server refuses it over rows that are no pairs, as those of a table are seldom.
  if (stream.branches.every(isOfTable)) throw new LeaveToServer();
  if (!stream.branches.every((branch) => branch.root.kind === 'join' || makesPairs(branch))) {
    throw refusal(
      term,
      'it merges the rows of a join. Put it on the join itself, or on a `map` to a written object `{left: ..., right: ...}`',
    );
  }
  return perElement(analysis, term, stream);
};

/** Whether elements are made pairs by an object that is written out. */
function makesPairs({ chain }: Branch): boolean {
  const last = chain.at(-1);
  const [, func] = last?.type === TermType.MAP ? last.args : [];
  const body = func === undefined ? undefined : funcParts(func)?.body;
  return body?.kind === 'object' && body.fields.some(([name]) => name === 'left');
}

/** Whether elements are rows of a table as they are, by themselves or in groups. */
function isOfTable({ root: base, chain }: Branch): boolean {
  return (base.kind === 'selection' || base.kind === 'group') && chain.every(keepsElements);
}

/** Pairs are no rows of a table; those of a list are a list. */
function typeOfPairs(stream: Stream): StreamType {
  return { ...typeOf(stream), selection: false };
}

interface JoinedTable {
  readonly term: CallTerm;
  readonly stream: Stream;
}

function tableOf(analysis: Analysis, term: Term): JoinedTable | undefined {
  const piece = analysis.analyze(term);
  const table = piece.kind === 'stream' ? selectionOf(piece) : undefined;
  if (piece.kind !== 'stream' || table?.type !== TermType.TABLE) return undefined;
  return { term: table, stream: piece };
}

const OF_GROUP = 'it joins the rows of each group. Join before `group`';
const OF_FOUND = 'it joins rows that are looked up. Use `eqJoin` right behind `getAll` or `filter`, or join before';

/** The elements of a stream that is joined: which they are must not depend on an order. */
function bagOf(term: CallTerm, stream: Stream): Stream {
  const bag = unordered(stream);
  if (bag === undefined) throw refusal(term, 'it stands on a part of an order. Join before `limit`');
  const group = bag.branches.find(({ root }) => root.kind === 'group');
  if (group?.root.kind === 'group') throw refusal(term, group.root.isSelection ? OF_FOUND : OF_GROUP);
  return bag;
}

/** `[[key, row]]`, or nothing where a row has no key: null is none. */
function keyed(t: Builder, key: Term, row: Term): Term {
  const pair = t.func((of) => t.branch(t.eq(of, null), [], [[of, row]]), 1);
  return t.default(t.do(pair, key), []);
}

/** A pair of key and row for each key under which an index has the row. */
function indexed(t: Builder, row: Term, known: JoinedIndex, carried: Term): Term {
  return t.map(
    keysIn(t, row, known),
    t.func((key) => t.array(key, carried), 1),
  );
}

/** Joins, by term number. */
export const joinRules: StreamRules = new Map([
  [TermType.EQ_JOIN, eqJoin],
  [TermType.INNER_JOIN, compared],
  [TermType.OUTER_JOIN, compared],
  [TermType.ZIP, zip],
]);
