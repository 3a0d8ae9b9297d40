// How a row becomes the array of elements that something live consumes: the per-element terms of the query, applied to an
// array of that one row, and on top what the consumer makes of each element.

import type { Branch } from './piece.ts';
import { type Builder, builder, type Expression } from './term/build.ts';
import { factsOf } from './term/facts.ts';
import { bindImplicit } from './term/substitute.ts';
import type { CallTerm, Entry, Term } from './term/term.ts';
import type { FreshVars } from './term/vars.ts';
import { mapInScope } from './term/walk.ts';

/** What a consumer makes of an element: an array of its own elements, as ReQL. */
export interface Consumer {
  /** The consumer's term in the client's query; generated terms stand for it. */
  readonly term: CallTerm;
  /** Builds the array; `objects` says that the element is known to be an object. */
  elements(t: Builder, element: Term, objects: boolean): Expression;
  /** It takes the elements as they are, so that nothing need be built on top of the per-element terms. */
  readonly asIs?: boolean;
  /** Building the array can raise more than NON_EXISTENCE. */
  readonly fails?: boolean;
  /** Building the array can raise NON_EXISTENCE. */
  readonly misses?: boolean;
}

/** The per-element terms between a row and a consumer, and what is known of them. */
export type Chain = Pick<Branch, 'chain' | 'objects' | 'misses'>;

/**
 * A function from a row to an array of elements: `chain` applied to the row, then the consumer. A row for which a function
 * raises NON_EXISTENCE has none; `missedRows` counts those.
 */
export function eachOf(above: Chain, consumer: Consumer, fresh: FreshVars): CallTerm {
  const t = builder(consumer.term.origin, fresh);
  return t.func((row) => {
    const elements = elementsOf(t, above, consumer, row, fresh);
    if (!above.misses && consumer.misses !== true) return elements;
    return t.default(t.coerceTo(elements, 'array'), []);
  }, 1);
}

/** The array of a consumer's elements that a row is. */
export function elementsOf(t: Builder, above: Chain, consumer: Consumer, row: Term, fresh: FreshVars): Term {
  const { chain, objects } = above;
  if (chain.length === 0) return t.expr(consumer.elements(t, row, objects));
  const rows = applyChain(chain, t.array(row), fresh);
  if (consumer.asIs === true) return rows;
  return t.concatMap(
    rows,
    t.func((element) => consumer.elements(t, element, objects), 1),
  );
}

/** Puts `below` in the place of the stream that a chain of per-element terms stands on. */
export function applyChain(chain: readonly CallTerm[], below: Term, fresh: FreshVars): Term {
  return chain.reduce<Term>((stream, term) => onTop(bound(term, fresh), stream), below);
}

/** The same term over another first argument. */
export function onTop(term: CallTerm, below: Term): CallTerm {
  if (term.args[0] === below) return term;
  const { text: _, ...rest } = term;
  return { ...rest, args: [below, ...term.args.slice(1)] };
}

/** A term whose functions use variables instead of `r.row`, so that it can stand inside another function. */
export function bound(term: CallTerm, fresh: FreshVars): CallTerm {
  const args = term.args.map((arg, index) => (index === 0 ? arg : withoutImplicit(arg, fresh)));
  const optargs = term.optargs.map(([name, value]): Entry => [name, withoutImplicit(value, fresh)]);
  const same =
    args.every((arg, index) => arg === term.args[index]) &&
    optargs.every(([, value], index) => value === term.optargs[index]?.[1]);
  if (same) return term;
  const { text: _, ...rest } = term;
  return { ...rest, args, optargs };
}

/** The same term with a variable in each function that uses `r.row`: inside a function of ours that would be ambiguous. */
export function withoutImplicit(root: Term, fresh: FreshVars): Term {
  return mapInScope(root, undefined, {
    skip: (term) => !factsOf(term).holdsRow,
    enter: () => undefined,
    leave: (term) => bindImplicit(term, fresh),
  });
}
