// Takes a watched term apart: one rule per term number, chosen by what its first argument turned out to be.

import { coerceTarget } from '../aggregates/coerce-target.ts';
import { onTop } from '../plan/projection.ts';
import { innerKeyRefusal, mixedRefusal, refusal, writtenRefusal } from '../refusal.ts';
import { logicError, type ReqlError } from '../reql/error.ts';
import { factsOf, isOpen } from '../reql/term/facts.ts';
import { signatureOf } from '../reql/term/signatures.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import { containsTerm } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';
import type { Analysis, Scope, StreamRules } from './analysis.ts';
import { isConstant } from './constant.ts';
import { type Context, LeaveToServer } from './context.ts';
import { limitedFirst } from './order/page.ts';
import type { GroupedPiece, Piece, Pure, Stream, Valued } from './piece.ts';
import { isPerElement } from './rules/above.ts';
import { aggregateRules, takeAbout, takePoint } from './rules/aggregate.ts';
import { readsLive } from './rules/argument.ts';
import { takeDo, takeTerm, takeVar } from './rules/call.ts';
import { innerOf, onEachGroup } from './rules/each-group.ts';
import { eachWritten } from './rules/each-written.ts';
import { groupRules } from './rules/group.ts';
import { groupedRules, takesNoGroupedStream } from './rules/grouped.ts';
import { joinRules } from './rules/join.ts';
import { listStream } from './rules/list-stream.ts';
import { orderRules } from './rules/order.ts';
import { elementRules, givesRows } from './rules/per-element.ts';
import { rowRules } from './rules/rows.ts';
import { selectionOf, selectionRules, takeTable } from './rules/selection.ts';
import { asStream, faultFromEnd, isArray, typeAbove } from './rules/stream-type.ts';
import { writtenOut } from './rules/written-out.ts';

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
export function analysisOf(context: Context, scope: Scope = new Map()): Analysis {
  const analysis: Analysis = {
    context,
    scope,
    analyze: (term, inner = scope) => takeAny(inner === scope ? analysis : analysisOf(context, inner), term),
  };
  return analysis;
}

/** Steps that a rule takes, beside what it is counted for where it stands. */
const RULE_STEPS = 200;

function takeAny(analysis: Analysis, term: Term): Piece {
  analysis.context.spend(RULE_STEPS, term);
  // What is nothing but itself is not taken apart, however often it stands in the query: put in the place of the variables of a
  // `do` in a `do`, it would be twice as often with each.
  if (isInert(term)) return { kind: 'pure', term };
  if (term.kind !== 'call') return takeTerm(analysis, term);
  if (signatureOf(term.type)?.writes === true || term.type === TermType.CHANGES) throw new LeaveToServer();
  const rule = ownRules.get(term.type);
  return rule === undefined ? takeCall(analysis, limitedFirst(writtenOut(term))) : rule(analysis, term);
}

/** Whether a term is the same whatever is around it, and nothing in it is refused. */
function isInert(term: Term): boolean {
  return isConstant(term) && factsOf(term).write === undefined && !containsTerm(term, TermType.CHANGES);
}

type OwnRule = (analysis: Analysis, term: CallTerm) => Piece;

/** Terms that are not read by what their first argument is. */
const ownRules: ReadonlyMap<number, OwnRule> = new Map<number, OwnRule>([
  [TermType.TABLE, takeTable],
  [TermType.CONFIG, takeAbout],
  [TermType.STATUS, takeAbout],
  [TermType.VAR, takeVar],
  [TermType.FUNCALL, takeDo],
  [TermType.FUNC, (analysis, term) => takeTerm(analysis, term)],
]);

function takeCall(analysis: Analysis, term: CallTerm): Piece {
  const [below] = term.args;
  if (below === undefined) return takeTerm(analysis, term);
  const first = analysis.analyze(below);
  switch (first.kind) {
    case 'stream':
      return onStream(analysis, onSelection(term, below, first), first);
    case 'grouped':
      return onGrouped(analysis, term, first);
    case 'value': {
      if (first.row && refusesRow(term)) throw new LeaveToServer();
      if (joinRules.has(term.type) && first.leaves.length > 0) {
        throw refusal(term, 'it stands on a list that is made as a whole. Join the rows before it is made');
      }
      return onValue(analysis, term, first);
    }
    case 'pure': {
      const written = eachWritten(analysis, term);
      if (written !== undefined) return written;
      return besideRows(analysis, term, first) ?? takeTerm(analysis, term, first);
    }
  }
}

function onValue(analysis: Analysis, term: CallTerm, value: Valued): Piece {
  const { stream: type } = value;
  if (type !== undefined) checkOnStream(term);
  const piece = takeTerm(analysis, term, { ...value, stream: undefined });
  if (piece.kind !== 'value') return piece;
  const sequence = value.sequence && keepsRows(term);
  return type === undefined ? { ...piece, sequence } : asStream({ ...piece, sequence }, typeAbove(type, term));
}

/**
 * What RethinkDB refuses on a stream, though we keep a list of it.
 * @throws ReqlError in its words, where it would speak of a place
 */
function checkOnStream(term: CallTerm): void {
  if (ofTheStreamItself.has(term.type) || !takesStreams(term)) throw new LeaveToServer();
  const fault = faultFromEnd(term);
  if (fault !== undefined) throw logicError(fault, term.origin);
}

function takesStreams({ type }: CallTerm): boolean {
  return streamRules.has(type) || ofStreams.has(type);
}

/**
 * A list that is written out and united with rows; `undefined` where no rows stand beside it.
 * @throws ReqlError where it is joined or paired with rows
 */
function besideRows(analysis: Analysis, term: CallTerm, list: Pure): Piece | undefined {
  const refused = beside.get(term.type);
  const isRows = (arg: Term): boolean => {
    const piece = analysis.analyze(arg);
    return piece.kind === 'stream' && !isArray(piece);
  };
  if (refused === undefined || !term.args.slice(1).some(isRows)) return undefined;
  const stream = term.type === TermType.UNION ? listStream(term, list.term) : undefined;
  if (stream === undefined) throw refused(term);
  return onStream(analysis, term, stream);
}

const beside: ReadonlyMap<number, (term: CallTerm) => ReqlError> = new Map([
  [TermType.UNION, mixedRefusal],
  [TermType.EQ_JOIN, writtenRefusal],
  [TermType.INNER_JOIN, writtenRefusal],
  [TermType.OUTER_JOIN, writtenRefusal],
  [TermType.MAP, (term: CallTerm) => refusal(term)],
]);

/** A term over the selection that a `do` gives, so that its table can be told from it. */
function onSelection(term: CallTerm, below: Term, { branches: [branch] }: Stream): CallTerm {
  const isDo = below.kind === 'call' && below.type === TermType.FUNCALL;
  return isDo && branch?.root.kind === 'selection' ? onTop(term, branch.root.term) : term;
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

function onStream(analysis: Analysis, term: CallTerm, stream: Stream): Piece {
  analysis.context.spend(stepsOf(stream), term);
  if (term.type === TermType.GET) return onTable(analysis, term, stream);
  // The items of an array literal, and the parts of an object, are values.
  if (term.type === TermType.MAKE_ARRAY) return takeTerm(analysis, term, stream);
  if (ofTheStreamItself.has(term.type) || term.type === TermType.UNGROUP) throw new LeaveToServer();
  const rule = streamRules.get(term.type);
  if (rule !== undefined) return rule(analysis, term, stream);
  // A term that takes no streams takes an array.
  if (!takesStreams(term)) return takeTerm(analysis, term, stream);
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

function onTable(analysis: Analysis, term: CallTerm, stream: Stream): Piece {
  const table = selectionOf(stream);
  const [, key] = term.args;
  if (table?.type !== TermType.TABLE || key === undefined) throw new LeaveToServer();
  if (readsLive(analysis, key)) throw refusal(term, 'its key depends on another table. Read that first');
  if (isOpen(key)) throw innerKeyRefusal(term);
  // The server refuses a value that cannot be a key.
  if (isNoKey(key)) throw new LeaveToServer();
  return takePoint(analysis, term, table, key);
}

/** Whether a term is written out and never a key: null, or an object that is none of a pseudo-type, as a time or bytes are. */
function isNoKey(key: Term): boolean {
  if (key.kind === 'object') return key.fields.every(([name]) => name !== '$reql_type$');
  return key.kind === 'datum' && key.value === null;
}

function onGrouped(analysis: Analysis, term: CallTerm, piece: GroupedPiece): Piece {
  const rule = groupedRules.get(term.type);
  if (rule !== undefined) return rule(analysis, term, piece);
  if (takesNoGroupedStream(term, piece)) throw new LeaveToServer();
  return onEachGroup(piece, (inner) =>
    innerOf(term, inner.kind === 'stream' ? onStream(analysis, term, inner) : takeTerm(analysis, term, inner)),
  );
}
