// Aggregates of a user's own, by name: `changes({aggregate: name})` after any source. Their functions are written with the
// builder of terms, so that RethinkDB and the proxy can both run them.

import { namedAggregates } from '../aggregates/index.ts';
import { type Builder, builder, type Expression, type Literal } from '../reql/build/build.ts';
import { freshVars } from '../reql/build/fresh-vars.ts';
import { ReqlError } from '../reql/error.ts';
import { compileFunction, createContext, pureTerms } from '../reql/eval/index.ts';
import type { Origin } from '../reql/origin.ts';
import { findNondeterministic } from '../reql/term/deterministic.ts';
import type { CallTerm, Term } from '../reql/term/term.ts';
import type { FreshVars } from '../reql/term/vars.ts';

/**
 * The recipe of an aggregate (rethinkdb/rethinkdb#1118). `t` has one method per ReQL term, with the name that the JavaScript
 * driver has for it and its first argument first: `t.add(acc, t.bracket(x, 'n'))`.
 */
export interface AggregateDefinition {
  /** What `changes({aggregate})` calls it. */
  readonly name: string;
  /** The acc of no elements: data. */
  readonly base: Literal;
  /** The acc with one more element. The order in which elements come must not matter. */
  readonly apply: (t: Builder, acc: Term, x: Term) => Expression;
  /** The acc without an element that was applied. Where it is absent the elements are kept, and applied anew. */
  readonly unapply?: ((t: Builder, acc: Term, x: Term) => Expression) | undefined;
  /** What is shown of an acc; the acc itself where it is absent. */
  readonly emit?: ((t: Builder, acc: Term) => Expression) | undefined;
}

const PARTS: readonly string[] = ['name', 'base', 'apply', 'unapply', 'emit'] satisfies (keyof AggregateDefinition)[];

/**
 * Checks a definition: that it has its parts, and that its functions are ReQL that is deterministic and reads no table.
 * @returns the definition, for `RewriteSettings.aggregates` and `OpenFeedSettings.aggregates`
 * @throws TypeError that names the aggregate and the part at fault
 */
export function defineAggregate(definition: AggregateDefinition): AggregateDefinition {
  return readDefinition(definition);
}

/**
 * The same for something of which nothing is known.
 * @throws TypeError that says what it lacks
 */
export function readDefinition(value: unknown): AggregateDefinition {
  if (typeof value !== 'object' || value === null) throw new TypeError('An aggregate has to be an object.');
  const definition = value as AggregateDefinition;
  const { name } = definition;
  if (typeof name !== 'string' || name === '') throw new TypeError('An aggregate needs a `name`, a string.');
  const fault = (part: string, what: string): TypeError =>
    new TypeError(`The aggregate \`${name}\`: \`${part}\` ${what}.`);
  if (namedAggregates.some((builtIn) => builtIn.name === name)) throw fault('name', 'is that of one that is built in');
  for (const part of Object.keys(definition))
    if (!PARTS.includes(part)) throw fault(part, 'is no part of an aggregate');
  if (definition.base === undefined) throw fault('base', 'is missing');
  for (const part of ['apply', 'unapply', 'emit'] as const) {
    const found = definition[part];
    if (found === undefined && part !== 'apply') continue;
    if (typeof found !== 'function') throw fault(part, found === undefined ? 'is missing' : 'has to be a function');
  }
  for (const [part, make] of Object.entries(termMakers(definition))) {
    const what = faultOf(make);
    if (what !== undefined) throw fault(part, what);
  }
  return definition;
}

type Maker = (t: Builder) => CallTerm;

/** The parts as functions of ReQL. */
function termMakers({ base, apply, unapply, emit }: AggregateDefinition): Readonly<Record<string, Maker>> {
  const two =
    (part: (t: Builder, acc: Term, x: Term) => Expression): Maker =>
    (t) =>
      t.func((acc, x) => (acc === undefined || x === undefined ? null : part(t, acc, x)), 2);
  return {
    base: (t) => t.func(() => base, 0),
    apply: two(apply),
    ...(unapply === undefined ? {} : { unapply: two(unapply) }),
    ...(emit === undefined
      ? {}
      : { emit: (t: Builder) => t.func((acc) => (acc === undefined ? null : emit(t, acc)), 1) }),
  };
}

function faultOf(make: Maker): string | undefined {
  try {
    const term = make(builder(undefined, freshVars()));
    compileFunction(term, createContext({ terms: pureTerms }));
    const culprit = findNondeterministic(term, { constantNow: false, singleServer: true });
    return culprit === undefined ? undefined : 'is not deterministic';
  } catch (error) {
    if (error instanceof ReqlError) return `cannot run: ${error.message.replace(/\.$/, '')}`;
    return `fails: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The definition as a reduction of `below`: REDUCE with the parts of the recipe as optargs. All terms stand for `origin`. */
export function reductionBy(
  definition: AggregateDefinition,
  below: Term,
  origin: Origin | undefined,
  fresh: FreshVars,
): CallTerm {
  const t = builder(origin, fresh);
  const { apply, unapply, emit } = termMakers(definition);
  const func = apply?.(t);
  if (func === undefined) throw new TypeError('an aggregate without a function');
  const reduce = t.reduce(below, func);
  const optargs = { base: t.expr(definition.base), reverse: unapply?.(t), emit: emit?.(t) };
  return {
    ...reduce,
    optargs: Object.entries(optargs).flatMap(([name, term]) => (term === undefined ? [] : [[name, term]])),
  };
}
