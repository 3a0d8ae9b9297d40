// Terms over groups that RethinkDB does not map over them: `ungroup`, `default`, `typeOf`, `info`; all others it applies to
// each group (op.cc, can_be_grouped).

import { count } from '../../aggregates/count.ts';
import { originOf } from '../../reql/term/origin-of.ts';
import type { CallTerm } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis } from '../analysis.ts';
import { LeaveToServer } from '../context.ts';
import { mayMiss } from '../failure.ts';
import { orderOf } from '../order/order-of.ts';
import {
  branchOf,
  type GroupedPiece,
  type Leaf,
  type Piece,
  type Pure,
  type RowOrder,
  type RowsBase,
  type Stream,
  type Valued,
  type WholeDefault,
} from '../piece.ts';
import { takeTerm } from './call.ts';
import { collected } from './collect.ts';
import { innerOf, valueAgain } from './each-group.ts';
import { groupedBy } from './group.ts';

/** What a term makes of something grouped. */
type GroupedRule = (analysis: Analysis, term: CallTerm, piece: GroupedPiece) => Piece;

const BY_GROUP: RowOrder = { by: 'group', descending: false };

const ungroup: GroupedRule = (analysis, term, piece): Stream => {
  // It refuses a value that is no groups, as a whole answer may be.
  const { grouped, missed } = groupedBy(analysis, { ...piece, defaults: wholesAbove(analysis, term, piece) });
  const failing: readonly Leaf[] = canRaise(piece)
    ? [
        analysis.context.leaf(undefined, () => ({
          kind: 'aggregate',
          aggregate: count,
          term: piece.group,
          of: { parts: [{ kind: 'failing', of: grouped }] },
        })),
      ]
    : [];
  const base: RowsBase = { kind: 'rows', rows: { kind: 'ungroup', of: grouped }, array: true, order: BY_GROUP };
  const branch = branchOf(base, true, [...missed, ...failing]);
  return { kind: 'stream', branches: [branch], tail: [] };
};

/** The `default`s of groups with one more term on the whole answer. */
function wholesAbove(analysis: Analysis, term: CallTerm, { defaults }: GroupedPiece): readonly WholeDefault[] {
  return defaults.map((given) => ({ ...given, whole: above(analysis, term, given.whole) }));
}

function above(analysis: Analysis, term: CallTerm, whole: Valued): Valued {
  return valueAgain(innerOf(term, takeTerm(analysis, term, whole)));
}

/** It catches what is raised for any of the groups, and then stands for the whole answer; null in a group it does not see. */
const byDefault: GroupedRule = (analysis, term, piece): GroupedPiece => {
  if (isUnread(piece)) return piece;
  const { inner } = piece;
  const below = inner.kind === 'stream' ? collected(analysis, piece.group, inner) : inner;
  const defaults = wholesAbove(analysis, term, piece);
  if (!canRaise({ ...piece, inner: below })) return { ...piece, inner: below, defaults };
  const raised = analysis.context.fresh();
  const body = analysis.context.builder(term).var(raised);
  const whole = above(analysis, term, { kind: 'value', body, leaves: [], sequence: false, row: false });
  return { ...piece, inner: below, defaults: [...defaults, { below, raised, whole }] };
};

/** Whether nobody has read the elements yet: a grouped stream, of which RethinkDB knows no errors before it is read. */
function isUnread({ inner }: GroupedPiece): boolean {
  return (
    inner.kind === 'stream' &&
    inner.branches.every(({ root: base }) => base.kind === 'group' && inner.tail.length === base.orders)
  );
}

/** Whether the value of a group, or a row on its way to one, can raise NON_EXISTENCE. */
function canRaise({ stream, uses, inner }: GroupedPiece): boolean {
  if (stream.branches.some(({ mayLackField, missed }) => mayLackField || missed.length > 0)) return true;
  const used = uses.consumer;
  if (used !== undefined && (used.branch.mayLackField || used.consumer.mayLackField === true)) return true;
  if (inner.kind === 'stream') return inner.branches.some(({ missed }) => missed.length > 0);
  // The aggregates of a group have something to aggregate; others need not.
  return mayMiss(inner.body) || inner.leaves.some(({ value }) => value.of.parts.some(({ kind }) => kind !== 'group'));
}

const told =
  (tell: (type: string) => Pure['term']): GroupedRule =>
  (_, term, piece) => {
    if (piece.defaults.length > 0) throw new LeaveToServer();
    return { kind: 'pure', term: { ...tell(isUnread(piece) ? 'GROUPED_STREAM' : 'GROUPED_DATA'), ...originOf(term) } };
  };

const toServer: GroupedRule = () => {
  throw new LeaveToServer();
};

/** Terms that are not applied to each group, by term number. */
export const groupedRules: ReadonlyMap<number, GroupedRule> = new Map([
  [TermType.UNGROUP, ungroup],
  [TermType.DEFAULT, byDefault],
  [TermType.TYPE_OF, told((value) => ({ kind: 'datum', value }))],
  [TermType.INFO, told((type) => ({ kind: 'datum', value: { type } }))],
  // RethinkDB refuses to group groups, and unites each with what is no stream.
  [TermType.GROUP, toServer],
  [TermType.UNION, toServer],
]);

/** Whether the server does not apply a term to the elements of a group, which are a stream unless they are sorted. */
export function takesNoGroupedStream({ type, args }: CallTerm, { inner }: GroupedPiece): boolean {
  const takesNone = type === TermType.FOLD || type === TermType.EQ_JOIN || (type === TermType.MAP && args.length > 2);
  return takesNone && inner.kind === 'stream' && orderOf(inner) !== 'listed';
}
