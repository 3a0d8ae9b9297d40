// The projection of a row to the array of elements that something live consumes: the per-element terms of the query, applied to an
// array of that one row, and on top what the consumer makes of each element.

import type { Branch } from '../analyze/piece.ts';
import { type Builder, builder, type Expression } from '../reql/build/build.ts';
import { callWith } from '../reql/term/call-with.ts';
import { factsOf } from '../reql/term/facts.ts';
import { bindImplicit, substituteVar } from '../reql/term/substitute.ts';
import type { CallTerm, Entry, Term } from '../reql/term/term.ts';
import { type FreshVars, funcParts } from '../reql/term/vars.ts';
import { childrenOf, mapInScope } from '../reql/term/walk.ts';
import { TermType } from '../reql/term-type.ts';

/** What a consumer makes of an element: an array of its own elements, as ReQL. */
export interface Consumer {
  /** The consumer's term in the client's query; generated terms stand for it. */
  readonly term: CallTerm;
  /** Builds the array; `objects` says that the element is known to be an object. */
  elements(t: Builder, element: Term, objects: boolean): Expression;
  /** It takes the elements as they are, so that nothing need be built on top of the per-element terms. */
  readonly isIdentity?: boolean;
  /** Building the array can raise more than NON_EXISTENCE. */
  readonly mayRaise?: boolean;
  /** Building the array can raise NON_EXISTENCE. */
  readonly mayLackField?: boolean;
  /** It takes an element for each row that raises NON_EXISTENCE on its way to another consumer; none if absent. */
  readonly misses?: Missed;
}

/** The way of a row to a consumer. */
export interface Missed {
  readonly chain: readonly CallTerm[];
  readonly consumer: Consumer;
}

/** The per-element terms between a row and a consumer, and what is known of them. */
export type Chain = Pick<Branch, 'chain' | 'objects' | 'mayLackField'>;

/** What the per-element terms stand on: `object` where every row is known to be one, as those of tables are. */
export type RowType = 'object' | 'any';

/**
 * A function from a row to an array of elements: `chain` applied to the row, then the consumer. A row for which a function
 * raises NON_EXISTENCE has none; `missedRows` counts those.
 */
export function projectionOf(above: Chain, consumer: Consumer, fresh: FreshVars, type: RowType): CallTerm {
  const t = builder(consumer.term.origin, fresh);
  return t.func((row) => {
    const elements = elementsOfRow(t, above, consumer, row, fresh, type);
    if (!above.mayLackField && consumer.mayLackField !== true) return elements;
    return t.default(t.coerceTo(elements, 'array'), []);
  }, 1);
}

/** The array of a consumer's elements that a row is. */
export function elementsOfRow(
  t: Builder,
  { chain, objects }: Chain,
  consumer: Consumer,
  row: Term,
  fresh: FreshVars,
  type: RowType,
): Term {
  const elements = (element: Term): Term => t.expr(consumer.elements(t, element, objects));
  return directly(t, type === 'object' ? chain : [], row, fresh, (below, done) => {
    const left = chain.slice(done);
    if (left.length === 0) return elements(below);
    const rows = applyChain(left, t.array(below), fresh);
    return consumer.isIdentity === true ? rows : t.concatMap(rows, t.func(elements, 1));
  });
}

/**
 * Applies the first terms of a chain to a row that is an object, as far as each makes one element of it or none: an array
 * around the row, and a stream over that, would cost more. `rest` makes the array of what is left, and is told how many terms
 * are done.
 */
function directly(
  t: Builder,
  chain: readonly CallTerm[],
  row: Term,
  fresh: FreshVars,
  rest: (below: Term, done: number) => Term,
  done = 0,
): Term {
  const [term] = chain;
  if (term === undefined) return rest(row, done);
  const on = (below: Term, isObject: boolean): Term =>
    directly(t, isObject ? chain.slice(1) : [], below, fresh, rest, done + 1);
  return step(t, withVariables(term, fresh), row, on) ?? rest(row, done);
}

/** A term applied to an object; `undefined` for a term that is not applied directly. */
function step(t: Builder, term: CallTerm, row: Term, on: (below: Term, isObject: boolean) => Term): Term | undefined {
  return steps.get(term.type)?.(t, term, row, on);
}

type Step = (t: Builder, term: CallTerm, row: Term, on: (below: Term, isObject: boolean) => Term) => Term | undefined;

const changed: Step = (t, term, row, on) => t.do((made) => on(t.expr(made), true), onTop(term, row));

const field: Step = (t, term, row, on) => {
  const [, argument, ...more] = term.args;
  if (argument?.kind !== 'datum' || typeof argument.value !== 'string' || more.length > 0) return undefined;
  // A field that is null is an element, and not there to `hasFields`; asking for all keys costs more.
  const isThere = t.or(t.hasFields(row, argument), t.contains(t.keys(row), argument));
  return t.branch(isThere, on(onTop(term, row), false), []);
};

/** The terms that are applied directly. */
const steps: ReadonlyMap<number, Step> = new Map<number, Step>([
  [TermType.PLUCK, changed],
  [TermType.WITHOUT, changed],
  [TermType.MERGE, changed],
  [TermType.HAS_FIELDS, (t, term, row, on) => t.branch(onTop(term, row), on(row, true), [])],
  [
    TermType.WITH_FIELDS,
    (t, term, row, on) => {
      const like = (type: number): CallTerm => onTop(callWith(term, { type }), row);
      const part = t.do((made) => on(t.expr(made), true), like(TermType.PLUCK));
      return t.branch(like(TermType.HAS_FIELDS), part, []);
    },
  ],
  [
    TermType.MAP,
    (t, term, row, on) => {
      const [, argument, ...more] = term.args;
      const parts = argument === undefined || more.length > 0 ? undefined : funcParts(argument);
      const [param] = parts?.params ?? [];
      if (parts === undefined || param === undefined) return undefined;
      return t.do((made) => on(t.expr(made), false), substituteVar(parts.body, param, row));
    },
  ],
  [TermType.BRACKET, field],
  [TermType.GET_FIELD, field],
  [
    TermType.ZIP,
    (t, _term, row, on) => {
      const merged = t.merge(t.bracket(row, 'left'), t.default(t.bracket(row, 'right'), {}));
      return t.do((made) => on(t.expr(made), true), merged);
    },
  ],
]);

/** What a function of one variable makes of a row. */
export function appliedToRow(t: Builder, consumer: CallTerm, row: Term): Term {
  const parts = funcParts(consumer);
  const [param] = parts?.params ?? [];
  return parts === undefined || param === undefined ? t.do(consumer, row) : substituteVar(parts.body, param, row);
}

/** Puts `below` in the place of the stream that a chain of per-element terms stands on. */
function applyChain(chain: readonly CallTerm[], below: Term, fresh: FreshVars): Term {
  return chain.reduce<Term>((stream, term) => onTop(withVariables(term, fresh), stream), below);
}

/** The same term over another first argument. */
export function onTop(term: CallTerm, below: Term): CallTerm {
  if (term.args[0] === below) return term;
  return callWith(term, { args: [below, ...term.args.slice(1)] });
}

/** A term whose functions use variables instead of `r.row`, so that it can stand inside another function. */
export function withVariables(term: CallTerm, fresh: FreshVars): CallTerm {
  if (!childrenOf(term).slice(1).some(holdsRow)) return term;
  const args = term.args.map((arg, index) => (index === 0 ? arg : withoutImplicit(arg, fresh)));
  const optargs = term.optargs.map(([name, value]): Entry => [name, withoutImplicit(value, fresh)]);
  const same =
    args.every((arg, index) => arg === term.args[index]) &&
    optargs.every(([, value], index) => value === term.optargs[index]?.[1]);
  if (same) return term;
  return callWith(term, { args, optargs });
}

/** The same term with a variable in each function that uses `r.row`: inside a function of ours that would be ambiguous. */
export function withoutImplicit(root: Term, fresh: FreshVars): Term {
  return mapInScope(root, undefined, {
    skip: (term) => !holdsRow(term),
    enter: () => undefined,
    leave: (term) => bindImplicit(term, fresh),
  });
}

function holdsRow(term: Term): boolean {
  return factsOf(term).holdsRow;
}
