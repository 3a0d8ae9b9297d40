// Takes a watched term apart: one rule per term number, chosen by what its first argument turned out to be.

import { coerceTarget } from '../aggregates/coerce-target.ts';
import { onTop } from '../plan/each.ts';
import { innerKeyRefusal, refusal } from '../refusal.ts';
import { freeVars } from '../reql/term/facts.ts';
import { signatureOf } from '../reql/term/signatures.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { TermType } from '../reql/term-type.ts';
import { type Context, LeaveToServer } from './context.ts';
import type { GroupedPiece, Piece, Stream } from './piece.ts';
import { isPerElement } from './rules/above.ts';
import { aggregateRules, takeAbout, takePoint } from './rules/aggregate.ts';
import { readsLive } from './rules/argument.ts';
import { takeDo, takeTerm, takeVar } from './rules/call.ts';
import { innerOf, onEachGroup } from './rules/each-group.ts';
import { eachWritten } from './rules/each-written.ts';
import { groupRules } from './rules/group.ts';
import { groupedRules } from './rules/grouped.ts';
import { joinRules } from './rules/join.ts';
import { orderRules } from './rules/order.ts';
import { limitedFirst } from './rules/page.ts';
import { elementRules, givesRows } from './rules/per-element.ts';
import { rowRules } from './rules/rows.ts';
import { selectionOf, selectionRules, takeTable } from './rules/selection.ts';
import type { Scope, StreamRules, Taking } from './taking.ts';

const streamRules: StreamRules = new Map([
  ...selectionRules,
  ...elementRules,
  ...orderRules,
  ...rowRules,
  ...groupRules,
  ...aggregateRules,
  ...joinRules,
]);

/** The rules at work on one query. */
export function takingApart(context: Context, scope: Scope = new Map()): Taking {
  const taking: Taking = {
    context,
    scope,
    take: (term, inner = scope) => takeAny(inner === scope ? taking : takingApart(context, inner), term),
  };
  return taking;
}

/** Steps that a rule takes, beside what it is counted for where it stands. */
const RULE_STEPS = 200;

function takeAny(taking: Taking, term: Term): Piece {
  taking.context.spend(RULE_STEPS, term);
  if (term.kind !== 'call') return takeTerm(taking, term);
  if (signatureOf(term.type)?.writes === true || term.type === TermType.CHANGES) throw new LeaveToServer();
  const rule = ownRules.get(term.type);
  return rule === undefined ? takeCall(taking, limitedFirst(term)) : rule(taking, term);
}

type OwnRule = (taking: Taking, term: CallTerm) => Piece;

/** Terms that are not read by what their first argument is. */
const ownRules: ReadonlyMap<number, OwnRule> = new Map<number, OwnRule>([
  [TermType.TABLE, takeTable],
  [TermType.CONFIG, takeAbout],
  [TermType.STATUS, takeAbout],
  [TermType.VAR, takeVar],
  [TermType.FUNCALL, takeDo],
  [TermType.FUNC, (taking, term) => takeTerm(taking, term)],
]);

function takeCall(taking: Taking, term: CallTerm): Piece {
  const [below] = term.args;
  if (below === undefined) return takeTerm(taking, term);
  const first = taking.take(below);
  switch (first.kind) {
    case 'stream':
      return onStream(taking, onSelection(term, below, first), first);
    case 'grouped':
      return onGrouped(taking, term, first);
    case 'value': {
      if (first.row && refusesRow(term)) throw new LeaveToServer();
      if (joinRules.has(term.type) && first.leaves.length > 0) {
        throw refusal(term, 'it stands on a list that is made as a whole. Join the rows before it is made');
      }
      const piece = takeTerm(taking, term, first);
      return piece.kind === 'value' && first.sequence && keepsRows(term) ? { ...piece, sequence: true } : piece;
    }
    case 'pure': {
      const written = eachWritten(taking.context, term);
      return written === undefined ? takeTerm(taking, term, first) : taking.take(written);
    }
  }
}

/** A term over the selection that a `do` gives, so that its table can be told from it. */
function onSelection(term: CallTerm, below: Term, { branches: [branch] }: Stream): CallTerm {
  const isDo = below.kind === 'call' && below.type === TermType.FUNCALL;
  return isDo && branch?.base.kind === 'selection' ? onTop(term, branch.base.term) : term;
}

/** Whether a term does not take one row of a table, or tells something of it that never changes: the server says so. */
function refusesRow(term: CallTerm): boolean {
  const dependsOn = refusing.get(term.type);
  return dependsOn?.(term) ?? (ofTheStreamItself.has(term.type) || ofSequences.has(term.type));
}

/** Terms of which it depends on their arguments. */
const refusing: ReadonlyMap<number, (term: CallTerm) => boolean> = new Map<number, (term: CallTerm) => boolean>([
  [TermType.COUNT, ({ args }) => args.length > 1],
  [TermType.BRACKET, ({ args: [, argument] }) => argument?.kind === 'datum' && typeof argument.value === 'number'],
  [TermType.COERCE_TO, (term) => coerceTarget(term) === 'stream'],
]);

/** Terms that take sequences alone. */
const ofSequences: ReadonlySet<number> = new Set([
  TermType.MAP,
  TermType.FILTER,
  TermType.CONCAT_MAP,
  TermType.WITH_FIELDS,
  TermType.GROUP,
  TermType.UNGROUP,
  TermType.ORDER_BY,
  TermType.DISTINCT,
  TermType.LIMIT,
  TermType.SKIP,
  TermType.SLICE,
  TermType.NTH,
  TermType.UNION,
  TermType.REDUCE,
  TermType.FOLD,
  TermType.SUM,
  TermType.AVG,
  TermType.MIN,
  TermType.MAX,
  TermType.CONTAINS,
  TermType.IS_EMPTY,
  TermType.OFFSETS_OF,
  TermType.SAMPLE,
  TermType.INNER_JOIN,
  TermType.OUTER_JOIN,
  TermType.EQ_JOIN,
  TermType.ZIP,
]);

/** Terms after which the items of an array are still rows for the client. */
function keepsRows(term: CallTerm): boolean {
  return isPerElement(term) || ofRows.has(term.type) || givesRows(term);
}

const ofRows: ReadonlySet<number> = new Set([TermType.ORDER_BY, TermType.LIMIT, TermType.DISTINCT, TermType.UNION]);

/** Steps for each branch of a stream on which a term stands, and for each term that stands between. */
const BRANCH_STEPS = 60;
const LINK_STEPS = 4;

/** Steps that whoever stands on a stream takes. */
function stepsOf({ branches, tail }: Stream): number {
  return branches.reduce((sum, { chain }) => sum + BRANCH_STEPS + chain.length * LINK_STEPS, tail.length * LINK_STEPS);
}

function onStream(taking: Taking, term: CallTerm, stream: Stream): Piece {
  taking.context.spend(stepsOf(stream), term);
  if (term.type === TermType.GET) return onTable(taking, term, stream);
  // The items of an array literal, and the parts of an object, are values.
  if (term.type === TermType.MAKE_ARRAY) return takeTerm(taking, term, stream);
  if (ofTheStreamItself.has(term.type) || term.type === TermType.UNGROUP) throw new LeaveToServer();
  const rule = streamRules.get(term.type);
  if (rule !== undefined) return rule(taking, term, stream);
  // What takes no streams takes an array.
  if (!ofStreams.has(term.type)) return takeTerm(taking, term, stream);
  throw refusal(term);
}

/** Terms that take streams and cannot be kept right over them. */
const ofStreams: ReadonlySet<number> = new Set([
  TermType.SAMPLE,
  TermType.GET_NEAREST,
  TermType.INDEX_LIST,
  TermType.INDEX_STATUS,
]);

/** Terms that tell of a stream without reading it: nothing of theirs ever changes, and the server says so. */
const ofTheStreamItself: ReadonlySet<number> = new Set([TermType.INFO, TermType.TYPE_OF]);

function onTable(taking: Taking, term: CallTerm, stream: Stream): Piece {
  const table = selectionOf(stream);
  const [, key] = term.args;
  if (table?.type !== TermType.TABLE || key === undefined) throw new LeaveToServer();
  if (readsLive(taking, key)) throw refusal(term, 'its key depends on another table. Read that first');
  if (freeVars(key).size > 0) throw innerKeyRefusal(term);
  // What cannot be a key is refused by the server.
  if (key.kind === 'object' || (key.kind === 'datum' && key.value === null)) throw new LeaveToServer();
  return takePoint(taking, term, table, key);
}

function onGrouped(taking: Taking, term: CallTerm, piece: GroupedPiece): Piece {
  const rule = groupedRules.get(term.type);
  if (rule !== undefined) return rule(taking, term, piece);
  return onEachGroup(piece, (inner) =>
    innerOf(term, inner.kind === 'stream' ? onStream(taking, term, inner) : takeTerm(taking, term, inner)),
  );
}
