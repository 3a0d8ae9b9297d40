// The join of two streams by equal keys, as what other terms stand on.

import type { JoinedBy, JoinKeys, PairConsumer, PairJoin, Part } from '../../live.ts';
import { bothRead, NOTHING_READ, parameterRead, type Read } from '../../plan/fields-read.ts';
import { appliedToRow, type Consumer, projectionOf } from '../../plan/projection.ts';
import type { Builder } from '../../reql/build/build.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { varOf } from '../../reql/term/vars.ts';
import { mapTerm } from '../../reql/term/walk.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Context } from '../context.ts';
import type { JoinBase, JoinUse, Stream, StreamType } from '../piece.ts';
import { narrowed } from './narrowed.ts';

/** A side of a join. */
export interface Side {
  readonly stream: Stream;
  /** The array of elements `[key, row]` of a row, of which `carried` is what is carried. */
  elements(t: Builder, row: Term, carried: Term): Term;
  /** Finding the keys can raise more than NON_EXISTENCE. */
  readonly fails: boolean;
}

/** A join of two streams by a key. */
export interface Pairing {
  readonly term: CallTerm;
  readonly left: Side;
  readonly right: Side;
  readonly by: JoinedBy;
  readonly keys: JoinKeys;
  /** FUNC of both rows. */
  readonly condition: CallTerm | undefined;
  readonly outer: boolean;
  /** As in the join. */
  readonly repeats: boolean;
  readonly type: StreamType;
}

/** A join that gets its sides once it is known what is read of them. */
export function pairBase(context: Context, pairing: Pairing): JoinBase {
  const { term, left, right, by, keys, condition, outer, repeats, type } = pairing;
  const parts: { readonly left: Part[]; readonly right: Part[] } = { left: [], right: [] };
  const consumers: PairConsumer[] = [];
  const join: PairJoin = {
    kind: 'pairs',
    left: { parts: parts.left },
    right: { parts: parts.right },
    by,
    keys,
    condition,
    outer,
    repeats,
    consumers,
  };
  const fill = (uses: readonly JoinUse[]): void => {
    consumers.push(...uses.map((use, at) => pairConsumer(context, use, outer, unlessOf(uses, at))));
    const read = sidesRead(consumers, condition);
    parts.left.push(...sideParts(context, term, left, read.left));
    parts.right.push(...sideParts(context, term, right, read.right));
  };
  const depth = 1 + Math.max(depthOf(left.stream), depthOf(right.stream));
  return { kind: 'join', term, join, type, rows: 'object', depth, fill };
}

/** The number of joins that a stream stands on. */
export function depthOf({ branches }: Stream): number {
  return Math.max(0, ...branches.map(({ root: base }) => (base.kind === 'join' ? base.depth : 0)));
}

function pairConsumer(
  context: Context,
  { branch, consumer }: JoinUse,
  outer: boolean,
  unless: number | undefined,
): PairConsumer {
  const t = context.builder(consumer.term);
  const each = projectionOf(branch, consumer, context.fresh, 'object');
  return {
    pair: t.func((left, right) => withoutPairs(appliedToRow(t, each, t.expr({ left, right }))), 2),
    alone: outer ? t.func((left) => withoutPairs(appliedToRow(t, each, t.expr({ left }))), 1) : undefined,
    unless,
  };
}

/** What raises NON_EXISTENCE on its way to a consumer gives it no elements: where it gives some, nothing is missed. */
function unlessOf(uses: readonly JoinUse[], at: number): number | undefined {
  const misses = uses[at]?.consumer.misses;
  if (misses === undefined) return undefined;
  const other = uses.findIndex(({ branch: { chain }, consumer }) => {
    const isSameWay =
      chain.length === misses.chain.length && chain.every((term, index) => term === misses.chain[index]);
    const isNoFurther = misses.consumer.isIdentity === true || misses.consumer === consumer;
    return isSameWay && isNoFurther && consumer.misses === undefined;
  });
  return other >= 0 && other < at ? other : undefined;
}

/** A side of a pair that is made for it alone is the row itself: pairs need not be made to be taken apart. */
function withoutPairs(root: Term): Term {
  return mapTerm(root, (term) => {
    if (term.kind !== 'call' || !sides.has(term.type)) return term;
    const [pair, name, ...more] = term.args;
    if (pair?.kind !== 'object' || name?.kind !== 'datum' || more.length > 0) return term;
    const isPair = pair.fields.every(([, side]) => varOf(side) !== undefined);
    return (isPair ? pair.fields.find(([field]) => field === name.value)?.[1] : undefined) ?? term;
  });
}

/** Terms that take a field. */
const sides: ReadonlySet<number> = new Set([TermType.BRACKET, TermType.GET_FIELD]);

interface SidesRead {
  readonly left: Read;
  readonly right: Read;
}

function sidesRead(consumers: readonly PairConsumer[], condition: CallTerm | undefined): SidesRead {
  const functions = consumers.flatMap(({ pair, alone }) => (alone === undefined ? [pair] : [pair, alone]));
  if (condition !== undefined) functions.push(condition);
  return functions.reduce<SidesRead>(
    (read, func) => ({
      left: bothRead(read.left, parameterRead(func, 0)),
      right: bothRead(read.right, parameterRead(func, 1)),
    }),
    { left: NOTHING_READ, right: NOTHING_READ },
  );
}

function sideParts(context: Context, term: CallTerm, side: Side, read: Read): readonly Part[] {
  const consumer: Consumer = {
    term,
    mayRaise: side.fails,
    elements: (t, row, objects) => side.elements(t, row, narrowed(t, row, read, objects)),
  };
  return context.consume(side.stream, consumer).parts;
}
