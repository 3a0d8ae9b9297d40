// A stream as a value: the array of its elements, in the order that the one-shot query gives, for terms that take the
// whole of it.

import { collect } from '../../aggregates/collect.ts';
import { onTop, withVariables } from '../../plan/projection.ts';
import { lostOrderRefusal, refusal } from '../../refusal.ts';
import type { Builder } from '../../reql/build/build.ts';
import { callWith } from '../../reql/term/call-with.ts';
import type { CallTerm, Term } from '../../reql/term/term.ts';
import { TermType } from '../../reql/term-type.ts';
import type { Analysis } from '../analysis.ts';
import { streamKey } from '../context.ts';
import { orderBelow } from '../order/order-of.ts';
import { type Base, branchOf, type Piece, type RowOrder, type Stream, type Valued } from '../piece.ts';
import { optargOf } from './argument.ts';
import { indexOrder, primaryKeyOf } from './index-field.ts';
import { present } from './missed.ts';
import { isArray } from './stream-type.ts';

/**
 * The array of a stream's elements. `term` is who wants it.
 * @throws ReqlError where the order of the elements is lost
 */
export function collected(analysis: Analysis, term: CallTerm, stream: Stream): Valued {
  if (stream.lost !== undefined) throw lostOrderRefusal(stream.lost.term);
  return isConcatenation(stream) ? concatenated(analysis, term, stream) : collectedOne(analysis, term, stream);
}

/** Arrays that are united follow one another. */
function isConcatenation({ branches }: Stream): boolean {
  return branches.length > 1 && branches.every((branch) => isArray({ kind: 'stream', branches: [branch], tail: [] }));
}

function concatenated(analysis: Analysis, term: CallTerm, { branches, tail }: Stream): Valued {
  const t = analysis.context.builder(term);
  const lists = branches.map((branch) =>
    collectedOne(analysis, term, { kind: 'stream', branches: [branch], tail: [] }),
  );
  const joined = t.add(...lists.map(({ body }) => body));
  const body = tail.reduce<Term>((array, over) => onTop(overArray(analysis, over), array), joined);
  return { kind: 'value', body, leaves: lists.flatMap(({ leaves }) => leaves), sequence: false, row: false };
}

function collectedOne(analysis: Analysis, term: CallTerm, stream: Stream): Valued {
  const { context } = analysis;
  const { below, above } = split(stream);
  const key = streamKey(below);
  const leaf = context.leaf(key && (() => `elements of ${key()}`), () => ({
    kind: 'aggregate',
    aggregate: collect,
    term,
    of: context.consume(below, { term, elements: (t, element) => t.array(element), isIdentity: true }),
  }));
  const t = context.builder(term);
  const rows = inOrder(analysis, t, t.var(leaf.id), below);
  const body = above.reduce<Term>((array, over) => onTop(overArray(analysis, over), array), rows);
  return present(analysis, term, below, { kind: 'value', body, leaves: [leaf], sequence: false, row: false });
}

/** The same term over the array of a stream, as an expression. */
export function onCollected(analysis: Analysis, term: CallTerm, array: Valued): Valued {
  const rest = term.args.slice(1).map((argument) => analysis.analyze(argument));
  const optargs = term.optargs.map(([name, optarg]) => [name, analysis.analyze(optarg)] as const);
  const pieces = [...rest, ...optargs.map(([, piece]) => piece)];
  for (const piece of pieces) if (piece.kind === 'stream' || piece.kind === 'grouped') throw refusal(term);
  const body = callWith(term, {
    args: [array.body, ...rest.map(bodyOf)],
    optargs: optargs.map(([name, piece]) => [name, bodyOf(piece)] as const),
  });
  const leaves = [array, ...pieces].flatMap((piece) => (piece.kind === 'value' ? piece.leaves : []));
  return { kind: 'value', body, leaves: [...new Set(leaves)], sequence: false, row: false };
}

/** The term of a pure or live piece. */
export function bodyOf(piece: Piece): Term {
  if (piece.kind === 'pure') return piece.term;
  if (piece.kind === 'value') return piece.body;
  throw new TypeError(`a ${piece.kind} has no body`);
}

/** The terms that are kept as a bag, and those over the array: all of them where the order of the rows is known. */
function split(stream: Stream): { readonly below: Stream; readonly above: readonly CallTerm[] } {
  const [branch, ...more] = stream.branches;
  const ordered = branch?.root.kind === 'rows' || (branch?.root.kind === 'selection' && branch.root.limited);
  if (branch === undefined || !ordered || more.length > 0)
    return { below: { ...stream, tail: [] }, above: stream.tail };
  const below: Stream = { kind: 'stream', branches: [branchOf(branch.root, true, branch.missed)], tail: [] };
  return { below, above: [...branch.chain, ...stream.tail] };
}

/** A bag of elements put into the order in which RethinkDB gives them, where it is one of their own. */
function inOrder(analysis: Analysis, t: Builder, array: Term, stream: Stream): Term {
  const [branch, ...more] = stream.branches;
  const order = branch === undefined || more.length > 0 ? undefined : baseOrder(analysis, t, branch.root);
  return order === undefined ? array : onTop(overArray(analysis, order), array);
}

/** The `orderBy` that puts the elements of a base into order; `undefined` where they are in none. */
export function baseOrder(analysis: Analysis, t: Builder, base: Base): CallTerm | undefined {
  switch (base.kind) {
    case 'selection':
      // The first rows by an index come in no order.
      return base.limited ? orderBelow(base.term) : undefined;
    case 'rows':
      return base.order === undefined ? undefined : rowOrder(analysis, t, base.order);
    case 'group':
    case 'join':
      return undefined;
  }
}

function rowOrder(analysis: Analysis, t: Builder, { by, descending }: RowOrder): CallTerm {
  if (typeof by === 'object' && 'term' in by) return by.term;
  const key =
    by === 'row' ? t.func((row) => row, 1) : by === 'group' ? 'group' : primaryKeyOf(analysis, by.primaryKeyOf);
  return t.orderBy(t.array(), descending ? t.desc(key) : key);
}

/** A term of a stream's tail as one over an array, where there are no indexes. */
function overArray(analysis: Analysis, term: CallTerm): CallTerm {
  const index = optargOf(term, 'index');
  if (term.type !== TermType.ORDER_BY || index === undefined) return withVariables(term, analysis.context.fresh);
  return indexOrder(analysis, term, index);
}
