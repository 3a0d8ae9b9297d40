// The run of an ordinary term: its arguments and optargs checked against its signature, `args` expanded, and the whole
// mapped over groups where its first argument is grouped.

import { asArray } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { compileError, logicError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { type Steadiness, steadinessOf } from '../../term/deterministic.ts';
import { arityFault } from '../../term/signature.ts';
import { signatureOf } from '../../term/signatures.ts';
import { isSpread } from '../../term/spread.ts';
import type { CallTerm } from '../../term/term.ts';
import { GroupedData, GroupedStream } from '../terms/grouped.ts';
import { Args, type Op } from './args.ts';
import { bound } from './bind.ts';
import { type CompileEnv, compileTerm } from './compile.ts';
import { type Compiled, compiled, Determinism, joinDeterminism } from './compiled.ts';
import type { EvalContext, TermCompiler } from './context.ts';
import type { Scope } from './scope.ts';
import { isNonDatum, toDatum, type Value } from './value.ts';

/** Steps that a term takes beside its arguments, and each element that `args` makes an argument of. */
export const TERM_STEPS = 1;
const SPREAD_STEPS = 20;

/** The meaning of a grouped first argument to a term. */
export type Grouping =
  /** The term is applied to each group, grouped streams read to their end first. */
  | 'each'
  /** The same for grouped data; a grouped stream is handed to the term as it is. */
  | 'sequence'
  /** The term gets the grouped value. */
  | 'none';

export interface OpOptions {
  readonly grouping?: Grouping;
  /** The arguments from here on may hold `literal`. */
  readonly literalFrom?: number;
  /** Steps that it takes beside its arguments, where those are more than other terms take. */
  readonly steps?: number;
  /** Replaces the signature's optargs. */
  readonly optargs?: readonly string[];
}

/** The parts of a term, compiled and checked. */
export interface OpParts {
  readonly op: Op;
  readonly terms: readonly Compiled[];
  readonly determinism: Determinism;
}

/** What `run` gives for the arguments of one evaluation. Errors without an origin point to the term. */
export function op(run: (args: Args) => Value, options: OpOptions = {}): TermCompiler {
  return (call, env) => compileOp(call, compileParts(call, env, options), run, options);
}

/** A term that looks at itself before it runs: `prepare` is called once, when the term is compiled. */
export function preparedOp(
  prepare: (call: CallTerm, env: CompileEnv) => (args: Args) => Value,
  options: OpOptions = {},
): TermCompiler {
  return (call, env) => {
    const parts = compileParts(call, env, options);
    return compileOp(call, parts, prepare(call, env), options);
  };
}

/** Compiles arguments and optargs in the server's order of checks. Raises COMPILE_ERROR. */
export function compileParts(call: CallTerm, env: CompileEnv, options: OpOptions = {}): OpParts {
  const signature = signatureOf(call.type);
  if (signature === undefined) throw compileError(`Unrecognized TermType: ${call.type}.`, call.origin);
  const plain = { ...env, literalOk: false };
  const literal = { ...env, literalOk: true };
  const literalFrom = options.literalFrom ?? Number.POSITIVE_INFINITY;
  // To see whether it is grouped, the server evaluates the first argument as it would the term itself, `literal` and all.
  const first = options.grouping === 'none' ? plain : env;
  // A loop, not a callback: queries nest deep, and frames of the stack are few.
  const terms: Compiled[] = [];
  for (const [index, arg] of call.args.entries()) {
    terms.push(compileTerm(arg, index >= literalFrom ? literal : index === 0 ? first : plain));
  }
  const fault = arityFault(signature, terms.length);
  if (fault !== undefined && !call.args.some(isSpread)) throw compileError(fault, call.origin);
  const optargs = compileOptargs(call, plain, options.optargs ?? signature.optargs);
  const determinism = joinDeterminism([...terms, ...optargs.values()]) | OWN_DETERMINISM[steadinessOf(call)];
  return { op: { context: env.context, origin: call.origin, optargs }, terms, determinism };
}

function compileOptargs(call: CallTerm, env: CompileEnv, known: readonly string[]): ReadonlyMap<string, Compiled> {
  const optargs = new Map<string, Compiled>();
  for (const [name, term] of call.optargs) {
    if (!known.includes(name)) throw compileError(`Unrecognized optional argument \`${name}\`.`, term.origin);
    const part = compileTerm(term, env);
    if (optargs.has(name)) throw compileError(`Duplicate optional argument: ${name}`, term.origin);
    optargs.set(name, part);
  }
  return optargs;
}

/** What a call is by itself, in bits. */
const OWN_DETERMINISM: { readonly [Of in Steadiness]: Determinism } = {
  always: Determinism.ALWAYS,
  constantNow: Determinism.NOW,
  singleServer: Determinism.SINGLE_SERVER,
  never: Determinism.NONDETERMINISTIC,
};

/** Makes a term ready to run from its parts. */
export function compileOp(
  call: CallTerm,
  parts: OpParts,
  run: (args: Args) => Value,
  { grouping = 'each', steps = TERM_STEPS }: Pick<OpOptions, 'grouping' | 'steps'> = {},
): CompiledOp {
  const { op, terms } = parts;
  const { origin } = op;
  const { meter } = op.context;
  const expand = call.args.some(isSpread) ? expander(call, terms, meter) : undefined;
  let made = origin;

  const apply = (args: Args): Value => {
    const value = run(args);
    made = args.made;
    return value;
  };
  const evaluate = (scope: Scope | undefined, known?: Value): Value => {
    try {
      meter.spend(steps + terms.length);
      const all = expand === undefined ? terms : expand(scope);
      const [head] = all;
      if (grouping === 'none' || head === undefined) return apply(new Args(op, scope, all));
      const first = known === undefined ? head.eval(scope) : known;
      const groups = groupsOf(first, grouping);
      if (groups === undefined) return apply(new Args(op, scope, all, first));
      made = origin;
      return groups.map((datum) => {
        meter.spend(steps + all.length);
        const args = new Args(op, scope, [constantTerm(head, datum, origin), ...all.slice(1)]);
        return toDatum(run(args), args.made);
      });
    } catch (error) {
      throw bound(error, origin);
    }
  };
  const ready = compiled(
    call,
    parts.determinism,
    (scope) => evaluate(scope),
    () => made,
  );
  return { ...ready, evalWith: evaluate };
}

/** A term that can also run with the value of its first argument known. */
export interface CompiledOp extends Compiled {
  readonly evalWith: (scope: Scope | undefined, first: Value) => Value;
}

/** The groups that a term is to be mapped over, if its first argument is grouped in the sense of `grouping`. */
export function groupsOf(value: Value, grouping: Grouping): GroupedData | undefined {
  if (!isNonDatum(value)) return undefined;
  if (value instanceof GroupedData) return value;
  return grouping === 'each' && value instanceof GroupedStream ? value.toGroups() : undefined;
}

function constantTerm(
  { term, origin: place, determinism }: Compiled,
  datum: Datum,
  origin: Origin | undefined,
): Compiled {
  return { term, origin: place, determinism, eval: () => datum, maker: () => origin };
}

function expander(
  call: CallTerm,
  terms: readonly Compiled[],
  meter: Meter,
): (scope: Scope | undefined) => readonly Compiled[] {
  const signature = signatureOf(call.type);
  return (scope) => {
    const all = terms.flatMap((term) => {
      if (!isSpread(term.term)) return [term];
      const spread = asArray(toDatum(term.eval(scope), term.maker()));
      meter.spend(SPREAD_STEPS * spread.length);
      return spread.map((datum) => constantTerm(term, datum, call.origin));
    });
    const fault = signature === undefined ? undefined : arityFault(signature, all.length);
    if (fault !== undefined) throw logicError(fault, call.origin);
    return all;
  };
}

/**
 * A term of two data, quick where it has exactly two arguments; `run` serves all other cases (more arguments, `args`,
 * groups). Errors that `apply` raises without an origin point to the term.
 */
export function pairOp(
  apply: (left: Datum, right: Datum, context: EvalContext) => Datum,
  run: (args: Args) => Value,
): TermCompiler {
  return (call, env) => {
    const parts = compileParts(call, env);
    const general = compileOp(call, parts, run);
    const [left, right] = parts.terms;
    if (parts.terms.length !== 2 || left === undefined || right === undefined || call.args.some(isSpread))
      return general;
    const { context, origin } = parts.op;
    const { meter } = context;
    const evaluate = (scope: Scope | undefined): Value => {
      try {
        meter.spend(1);
        const first = left.eval(scope);
        if (isNonDatum(first)) return general.evalWith(scope, first);
        const second = right.eval(scope);
        return apply(first, isNonDatum(second) ? toDatum(second, right.maker()) : second, context);
      } catch (error) {
        throw bound(error, origin);
      }
    };
    return compiled(call, parts.determinism, evaluate);
  };
}
