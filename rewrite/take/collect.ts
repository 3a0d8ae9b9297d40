// A stream as a value: the array of its elements, in the order that the one-shot query gives, for terms that take the
// whole of it.

import { collect } from '../aggregates/collect.ts';
import { bound, onTop } from '../each.ts';
import { type Branch, branchOf, type Piece, type Stream, type Valued } from '../piece.ts';
import { refusal } from '../refusal.ts';
import { TermType } from '../reql/term-type.ts';
import type { Builder } from '../term/build.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { optargOf } from './argument.ts';
import { indexOrder } from './index-field.ts';
import { present } from './missed.ts';
import type { Taking } from './taking.ts';

/** The array of a stream's elements. `term` is who wants it. */
export function collected(taking: Taking, term: CallTerm, stream: Stream): Valued {
  const { context } = taking;
  const { below, above } = split(stream);
  const leaf = context.leaf(undefined, () => ({
    kind: 'aggregate',
    aggregate: collect,
    term,
    of: context.consume(below, { term, elements: (t, element) => t.array(element), asIs: true }),
  }));
  const t = context.builder(term);
  const rows = inOrder(taking, t, t.var(leaf.id), below);
  const body = above.reduce<Term>((array, over) => onTop(overArray(taking, over), array), rows);
  return present(taking, term, below, { kind: 'value', body, leaves: [leaf], sequence: false });
}

/** The same term over the array of a stream, as an expression. */
export function onCollected(taking: Taking, term: CallTerm, array: Valued): Valued {
  const rest = term.args.slice(1).map((argument) => taking.take(argument));
  const optargs = term.optargs.map(([name, optarg]) => [name, taking.take(optarg)] as const);
  const pieces = [...rest, ...optargs.map(([, piece]) => piece)];
  for (const piece of pieces) if (piece.kind === 'stream' || piece.kind === 'grouped') throw refusal(term);
  const body: CallTerm = {
    kind: 'call',
    type: term.type,
    args: [array.body, ...rest.map(bodyOf)],
    optargs: optargs.map(([name, piece]) => [name, bodyOf(piece)] as const),
    ...(term.origin === undefined ? {} : { origin: term.origin }),
  };
  const leaves = [array, ...pieces].flatMap((piece) => (piece.kind === 'value' ? piece.leaves : []));
  return { kind: 'value', body, leaves: [...new Set(leaves)], sequence: false };
}

/** The term of a pure or live piece. */
export function bodyOf(piece: Piece): Term {
  if (piece.kind === 'pure') return piece.term;
  if (piece.kind === 'value') return piece.body;
  throw new TypeError(`a ${piece.kind} has no body`);
}

/** What is kept as a bag, and what is done with the array: all of it where the order of the rows is known. */
function split(stream: Stream): { readonly below: Stream; readonly above: readonly CallTerm[] } {
  const [branch, ...more] = stream.branches;
  const ordered = branch?.base.kind === 'rows' || (branch?.base.kind === 'selection' && branch.base.limited);
  if (branch === undefined || !ordered || more.length > 0)
    return { below: { ...stream, tail: [] }, above: stream.tail };
  const below: Stream = { kind: 'stream', branches: [branchOf(branch.base, true, branch.missed)], tail: [] };
  return { below, above: [...branch.chain, ...stream.tail] };
}

/** The order in which RethinkDB gives the rows of `distinct`, `ungroup` and `orderBy({index}).limit`. */
function inOrder(taking: Taking, t: Builder, array: Term, stream: Stream): Term {
  const [branch, ...more] = stream.branches;
  if (branch === undefined || more.length > 0 || branch.base.kind === 'group') return array;
  if (branch.base.kind === 'selection') return branch.base.limited ? byIndex(taking, branch, array) : array;
  switch (branch.base.rows.kind) {
    case 'distinct':
      return t.orderBy(
        array,
        t.func((row) => row, 1),
      );
    case 'ungroup':
      return t.orderBy(array, 'group');
    default:
      return array;
  }
}

/** The rows of `orderBy({index}).limit`, which come in no order, put back into that of the index. */
function byIndex(taking: Taking, { base }: Branch, array: Term): Term {
  const order = base.kind === 'selection' ? orderBelow(base.term) : undefined;
  const index = order === undefined ? undefined : optargOf(order, 'index');
  return order === undefined || index === undefined ? array : onTop(indexOrder(taking, order, index), array);
}

/** The `orderBy` that a selection stands on. */
function orderBelow(selection: CallTerm): CallTerm | undefined {
  for (let at: Term | undefined = selection; at?.kind === 'call'; at = at.args[0]) {
    if (at.type === TermType.ORDER_BY) return at;
  }
  return undefined;
}

/** A term of a stream's tail as one over an array, where there are no indexes. */
function overArray(taking: Taking, term: CallTerm): CallTerm {
  const index = optargOf(term, 'index');
  if (term.type !== TermType.ORDER_BY || index === undefined) return bound(term, taking.context.fresh);
  return indexOrder(taking, term, index);
}
