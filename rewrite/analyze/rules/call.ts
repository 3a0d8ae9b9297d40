// Calls that are neither streams nor aggregates: `do`, functions, and every pure term over live values.

import { withVariables } from '../../plan/projection.ts';
import { refusal, subqueryRefusal } from '../../refusal.ts';
import { callWith } from '../../reql/term/call-with.ts';
import { factsOf, freeVars } from '../../reql/term/facts.ts';
import { serializeTerm } from '../../reql/term/serialize.ts';
import { isSpread, spreadOut } from '../../reql/term/spread.ts';
import { substituteVars } from '../../reql/term/substitute.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { type FuncParts, funcParts, funcTerm, type VarId, varOf } from '../../reql/term/vars.ts';
import { childrenOf, withChildren } from '../../reql/term/walk.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis, Scope } from '../analysis.ts';
import { isConstant } from '../constant.ts';
import { LeaveToServer } from '../context.ts';
import type { Leaf, Piece, Valued } from '../piece.ts';
import { bodyOf, collected } from './collect.ts';
import { innerOf, onEachGroup } from './each-group.ts';
import { isNoData } from './spread-arguments.ts';
import { isArray } from './stream-type.ts';

/** A variable: what a `do` bound to it, where that is live. */
export function takeVar(analysis: Analysis, term: CallTerm): Piece {
  const id = varOf(term);
  const piece = id === undefined ? undefined : analysis.scope.get(id);
  return piece ?? { kind: 'pure', term };
}

/**
 * `do`: parameters bound to streams become those streams in the body; values stay arguments, so that each is evaluated
 * once. Over groups it is done for each group.
 */
export function takeDo(analysis: Analysis, term: CallTerm): Piece {
  const [func, ...given] = term.args;
  const parts = func === undefined ? undefined : funcParts(func);
  const args = spreadOut(given);
  // What is in the array of `r.args` is data, of which this asks where a constant or a row is handed on as it is.
  const isSpreading = args.some(isSpread) || (args !== given && args.some(isNoData));
  if (func === undefined || parts === undefined || isSpreading || parts.params.length !== args.length) {
    return takeTerm(analysis, term);
  }
  const [first, ...others] = args.map((arg) => analysis.analyze(arg));
  // The server takes groups as its first argument alone, and says so.
  if (others.some(({ kind }) => kind === 'grouped')) throw new LeaveToServer();
  if (first?.kind !== 'grouped')
    return done(analysis, term, func, parts, first === undefined ? [] : [first, ...others]);
  return onEachGroup(first, (inner) => {
    // The elements of a group are an array there: a term over none of them gives a value, and the group stays.
    const each = inner.kind === 'stream' ? collected(analysis, first.group, inner) : inner;
    return innerOf(term, done(analysis, term, func, parts, [each, ...others]));
  });
}

function done(analysis: Analysis, term: CallTerm, func: Term, parts: FuncParts, pieces: readonly Piece[]): Piece {
  const scope = new Map(analysis.scope);
  for (const [index, id] of parts.params.entries()) {
    const piece = pieces[index];
    if (piece !== undefined && isStreaming(ofValues(piece))) scope.set(id, piece);
    else scope.delete(id);
  }
  const constants = constantsOf(parts, pieces);
  const body = analysis.analyze(constants.size === 0 ? parts.body : substituteVars(parts.body, constants), scope);
  if (isStreaming(body)) return body;
  const read = varOf(bodyOf(body));
  const handedOn = read === undefined ? undefined : pieces[parts.params.indexOf(read)];
  // A row of a table becomes a value on its way.
  if (handedOn?.kind === 'value') return { ...handedOn, row: false };
  // A datum raises nothing: another constant is evaluated for what it may raise.
  const isWrittenOut = (id: VarId): boolean => constants.get(id)?.kind === 'datum';
  const kept = parts.params.flatMap((id, index) => {
    const piece = pieces[index];
    return piece === undefined || isStreaming(piece) || isWrittenOut(id) ? [] : [{ id, piece }];
  });
  const term_ = bodyOf(body);
  const leaves = leavesOf([body, ...kept.map(({ piece }) => piece)]);
  if (body.kind === 'pure' && pieces.every(({ kind }) => kind === 'pure')) return { kind: 'pure', term };
  const stream = body.kind === 'value' ? body.stream : undefined;
  if (kept.length === 0) return { ...valued(term_, leaves), stream };
  const inner = funcTerm(
    kept.map(({ id }) => id),
    term_,
    func,
  );
  const args = [inner, ...kept.map(({ piece }) => bodyOf(piece))];
  return { ...valued(callWith(term, { type: TermType.FUNCALL, args }), leaves), stream };
}

/** Wire characters of the longest constant that is written out in each place where it is read. */
const LONGEST_CONSTANT = 2000;

/** The arguments of a `do` that are put in the place of its variables: terms that select rows, or are applied to them, read no variables. */
function constantsOf({ params }: FuncParts, pieces: readonly Piece[]): ReadonlyMap<VarId, Term> {
  const constants = new Map<VarId, Term>();
  for (const [index, id] of params.entries()) {
    const piece = pieces[index];
    if (piece?.kind !== 'pure' || !isConstant(piece.term)) continue;
    if (serializeTerm(piece.term).length <= LONGEST_CONSTANT) constants.set(id, piece.term);
  }
  return constants;
}

/** What stands for a value: an array does, a stream and rows of a table do not, and the server says so. */
function ofValues<Given extends Piece>(piece: Given): Given {
  if (piece.kind === 'stream' && !isArray(piece)) throw new LeaveToServer();
  if (piece.kind === 'value' && piece.stream !== undefined) throw new LeaveToServer();
  return piece;
}

function isStreaming(piece: Piece): piece is Exclude<Piece, Valued | { kind: 'pure' }> {
  return piece.kind === 'stream' || piece.kind === 'grouped';
}

/** Any other term: pure over what its parts are. */
export function takeTerm(analysis: Analysis, term: Term, first?: Piece): Piece {
  const children = childrenOf(term);
  const parts = funcParts(term);
  const scope = parts === undefined ? analysis.scope : without(analysis.scope, parts.params);
  const pieces = children.map((child, index) =>
    index === 0 && first !== undefined ? first : analysis.analyze(child, scope),
  );
  if (pieces.every((piece) => piece.kind === 'pure')) {
    return { kind: 'pure', term: withChildren(term, pieces.map(bodyOf)) };
  }
  const values = pieces.map((piece) => asValue(analysis, term, piece));
  analysis.context.spend(LEAF_STEPS * values.reduce((sum, value) => sum + leavesIn(value), 0), term);
  if (parts !== undefined) checkHoisted(term, values);
  const built = withChildren(
    term,
    values.map((value) => (value.kind === 'pure' ? value.term : value.body)),
  );
  const body = built.kind === 'call' ? withVariables(built, analysis.context.fresh) : built;
  const chosen = values.find((piece) => piece.kind === 'value' && piece.stream !== undefined);
  return { ...valued(body, leavesOf(values)), stream: chosen?.kind === 'value' ? chosen.stream : undefined };
}

/** Steps for each live value that a term hands on. */
const LEAF_STEPS = 8;

function leavesIn(piece: Piece): number {
  return piece.kind === 'value' ? piece.leaves.length : 0;
}

function valued(body: Term, leaves: readonly Leaf[]): Valued {
  return { kind: 'value', body, leaves, sequence: false, row: false };
}

function asValue(
  analysis: Analysis,
  term: Term,
  piece: Piece,
): Valued | { readonly kind: 'pure'; readonly term: Term } {
  if (piece.kind === 'pure') return piece;
  // A test hands on what it chooses, whatever that is.
  if (piece.kind === 'value') return term.kind === 'call' && term.type === TermType.BRANCH ? piece : ofValues(piece);
  if (piece.kind === 'grouped') {
    // The server takes no groups for a datum, and says so; what hands on a value hands on groups as well.
    if (!handsGroupsOn(term)) throw new LeaveToServer();
    throw refusal(piece.group, 'its groups are used inside an expression. Use `ungroup`');
  }
  const t = analysis.context.builder(term);
  return collected(analysis, term.kind === 'call' ? term : t.array(), ofValues(piece));
}

function handsGroupsOn(term: Term): boolean {
  return term.kind === 'call' && handing.has(term.type);
}

const handing: ReadonlySet<number> = new Set([TermType.BRANCH, TermType.DEFAULT, TermType.FUNCALL, TermType.FUNC]);

function leavesOf(pieces: readonly Piece[]): readonly Leaf[] {
  return [...new Set(pieces.flatMap((piece) => (piece.kind === 'value' ? piece.leaves : [])))];
}

/** A live value inside a function is computed outside of it, so it may not depend on the function's variables. */
function checkHoisted(func: Term, values: readonly Piece[]): void {
  const params = new Set(funcParts(func)?.params ?? []);
  for (const leaf of leavesOf(values)) {
    const { term } = leaf.value;
    if (factsOf(term).readsRow || [...freeVars(term)].some((id) => params.has(id))) throw subqueryRefusal(term, term);
  }
}

function without(scope: Scope, ids: readonly number[]): Scope {
  if (!ids.some((id) => scope.has(id))) return scope;
  return new Map([...scope].filter(([id]) => !ids.includes(id)));
}
