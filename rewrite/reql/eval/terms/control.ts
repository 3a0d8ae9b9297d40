// AND, OR, BRANCH, FUNCALL, DEFAULT, ERROR. They evaluate only what they need, and pass values on as they are.

import { isTrue } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { cText } from '../../data/json-text.ts';
import { internalError, ReqlError, userError } from '../../error.ts';
import { ErrorType, ResponseType } from '../../protocol.ts';
import { isSpread } from '../../term/spread.ts';
import type { CallTerm } from '../../term/term.ts';
import { TermType } from '../../term-type.ts';
import { type Args, asFunc } from '../core/args.ts';
import { bound, EmptyError, ERROR_STEPS, withOrigin } from '../core/bind.ts';
import { type CompileEnv, compileTerm } from '../core/compile.ts';
import { type Compiled, compiled, joinDeterminism } from '../core/compiled.ts';
import type { TermTable } from '../core/context.ts';
import { Func } from '../core/func.ts';
import { compileOp, compileParts, groupsOf, type OpParts, op, TERM_STEPS } from '../core/op.ts';
import { codeOf } from '../core/reql-func.ts';
import { Scope } from '../core/scope.ts';
import type { Shortcut } from '../core/shortcut-func.ts';
import { isDatumLike, isNonDatum, toDatum, type Value } from '../core/value.ts';

/** Passes argument `index` on: errors about the value point into it. */
function pass(args: Args, index: number): Value {
  const value = args.value(index);
  args.made = args.maker(index);
  return value;
}

/** The last argument evaluated: the first whose truth is `until`, or the last of all. */
function firstThat(until: boolean): (args: Args) => Value {
  return (args) => {
    let value: Value = !until;
    for (let i = 0; i < args.count; i++) {
      value = pass(args, i);
      if (isTrue(toDatum(value, args.made)) === until) break;
    }
    return value;
  };
}

function branch(args: Args): Value {
  if (args.count % 2 === 0) throw args.fail('Cannot call `branch` term with an even number of arguments.');
  for (let i = 0; i < args.count - 1; i += 2) {
    if (args.bool(i)) return pass(args, i + 1);
  }
  return pass(args, args.count - 1);
}

/** BRANCH, without a list of its arguments for each evaluation. */
function compileBranch(call: CallTerm, env: CompileEnv): Compiled {
  const parts = compileParts(call, env);
  const general = compileOp(call, parts, branch);
  const { origin, context } = parts.op;
  const [choices, otherwise] = choicesOf(parts.terms);
  if (otherwise === undefined || call.args.some(isSpread)) return general;
  const { meter } = context;
  const steps = TERM_STEPS + parts.terms.length;
  const [first] = choices;
  let maker = general.maker;
  const evaluate = (scope: Scope | undefined): Value => {
    try {
      meter.spend(steps);
      for (const choice of choices) {
        const { test, value } = choice;
        const tested = test.eval(scope);
        if (isNonDatum(tested) && choice === first) {
          // Groups, each of which chooses by itself.
          const chosen = general.evalWith(scope, tested);
          maker = general.maker;
          return chosen;
        }
        if (!isTrue(toDatum(tested, test.maker()))) continue;
        const chosen = value.eval(scope);
        maker = value.maker;
        return chosen;
      }
      const chosen = otherwise.eval(scope);
      maker = otherwise.maker;
      return chosen;
    } catch (error) {
      throw bound(error, origin);
    }
  };
  return compiled(call, parts.determinism, evaluate, () => maker());
}

/** A test of a `branch`, and what it gives where that is true. */
interface Choice {
  readonly test: Compiled;
  readonly value: Compiled;
}

/** The arguments of a `branch`; the last one is `undefined` where their number is even. */
function choicesOf(terms: readonly Compiled[]): readonly [choices: readonly Choice[], otherwise: Compiled | undefined] {
  const choices: Choice[] = [];
  for (let at = 0; ; at += 2) {
    const [test, value] = [terms[at], terms[at + 1]];
    if (test === undefined || value === undefined) return [choices, test];
    choices.push({ test, value });
  }
}

function raise(args: Args): Value {
  if (args.count === 0) {
    throw new EmptyError(
      ResponseType.RUNTIME_ERROR,
      ErrorType.QUERY_LOGIC,
      'Empty ERROR term outside a default block.',
      args.origin,
    );
  }
  throw userError(cText(args.string(0)), args.origin);
}

// What `default` replaces: null, and errors of kind NON_EXISTENCE. A function as the default gets the null or the text
// of the error; a default that raises `error()` gives back what there was.
function defaultTo(args: Args): Value {
  let value: Value = null;
  let caught: ReqlError | undefined;
  try {
    value = pass(args, 0);
    if (!isDatumLike(value) || toDatum(value, args.made) !== null) return value;
  } catch (error) {
    if (!(error instanceof ReqlError) || error.errorType !== ErrorType.NON_EXISTENCE) throw error;
    args.context.meter.spend(ERROR_STEPS);
    caught = withOrigin(error, args.origin);
  }
  const madeFirst = args.made;
  try {
    const otherwise = pass(args, 1);
    if (!(otherwise instanceof Func)) return otherwise;
    const result = otherwise.call([caught === undefined ? null : caught.message]);
    args.made = otherwise.maker();
    return result;
  } catch (error) {
    if (!(error instanceof EmptyError)) throw error;
    if (caught !== undefined) throw caught;
    args.made = madeFirst;
    return value;
  }
}

/** DEFAULT. Without an error where a field is missing and the default is no function. */
function compileDefault(call: CallTerm, env: CompileEnv): Compiled {
  const parts = compileParts(call, env, { grouping: 'none' });
  const general = compileOp(call, parts, defaultTo, { grouping: 'none' });
  const [value, otherwise] = parts.terms;
  const orMissing = value?.evalOrMissing;
  if (value === undefined || otherwise === undefined || orMissing === undefined || call.args.length !== 2)
    return general;
  if (call.args.some((arg) => arg.kind === 'call' && UNEVEN.has(arg.type))) return general;
  let maker = general.maker;
  const evaluate = (scope: Scope | undefined): Value => {
    const found = orMissing(scope);
    if (found !== undefined && found !== null) {
      maker = value.maker;
      return found;
    }
    maker = otherwise.maker;
    return otherwise.eval(scope);
  };
  const guarded = (scope: Scope | undefined): Value => {
    try {
      return evaluate(scope);
    } catch (error) {
      // Rare: an error of another kind, or a default that gives the error back. The long way finds the right one.
      if (!(error instanceof ReqlError)) throw error;
      env.context.meter.spend(ERROR_STEPS);
      maker = general.maker;
      return general.eval(scope);
    }
  };
  return compiled(call, parts.determinism, guarded, () => maker());
}

/** Terms that a default is not, or may not be, a plain value with. */
const UNEVEN: ReadonlySet<number> = new Set<number>([TermType.FUNC, TermType.ERROR, TermType.ARGS]);

const SHORTCUTS: readonly Shortcut[] = ['none', 'constant', 'field', 'pluck'];
const LITERAL_OK = 1;

/** FUNCALL: `do`. The first argument is the function, or a constant. */
function compileFuncall(call: CallTerm, env: CompileEnv): Compiled {
  const parts = compileParts(call, env);
  let literalTerms: readonly Compiled[] | undefined;
  const withLiterals = (): readonly Compiled[] => {
    literalTerms ??= call.args.map((arg) => compileTerm(arg, { ...env, literalOk: true }));
    return literalTerms;
  };
  return compiledDo(call, parts, env) ?? compileOp(call, parts, (args) => funcall(args, withLiterals));
}

/** Optargs that change what a call does. */
const CALL_OPTARGS = ['_SHORTCUT_', '_EVAL_FLAGS_'];
/** Steps of a call of a function with one argument. */
const DO_STEPS = 4;

/** A function that is written where it is called with one value, as ours are, needs no value of its own. */
function compiledDo(call: CallTerm, { op: { origin }, terms }: OpParts, { context }: CompileEnv): Compiled | undefined {
  const [func, given] = terms;
  const code = func === undefined || call.args.some(isSpread) ? undefined : codeOf(func);
  if (code?.params.length !== 1 || given === undefined || terms.length !== 2) return undefined;
  if (call.optargs.length > 0 || CALL_OPTARGS.some((name) => context.globalOptarg(name) !== undefined))
    return undefined;
  const { body } = code;
  const { meter } = context;
  let maker = body.maker;
  const evaluate = (scope: Scope | undefined): Value => {
    try {
      meter.spend(DO_STEPS);
      const first = given.eval(scope);
      const groups = groupsOf(first, 'each');
      maker = groups === undefined ? body.maker : () => origin;
      if (groups !== undefined) return groups.map((datum) => toDatum(body.eval(new Scope(scope, datum)), body.maker()));
      return body.eval(new Scope(scope, toDatum(first, given.maker())));
    } catch (error) {
      throw bound(error, origin);
    }
  };
  return compiled(call, joinDeterminism(terms), evaluate, () => maker());
}

function funcall(args: Args, withLiterals: () => readonly Compiled[]): Value {
  const shortcut = args.optargInteger('_SHORTCUT_');
  const flags = args.optargInteger('_EVAL_FLAGS_') ?? 0;
  const literalOk = (flags & LITERAL_OK) !== 0;
  const kind = shortcut === undefined ? 'constant' : SHORTCUTS[shortcut];
  if (kind === undefined && shortcut !== PAGE_SHORTCUT) {
    throw internalError(`Unrecognized value \`${shortcut}\` for _SHORTCUT_ argument.`, args.origin);
  }
  const used = literalOk ? args.withTerms(withLiterals()) : args;
  const func = asFunc(args.value(0), args.maker(0), args.context.meter, kind ?? 'none');
  if (used.count === 1) return result(args, func, [], literalOk);
  const first = used.value(1);
  const firstMaker = used.maker(1);
  const others: Datum[] = [];
  for (let i = 2; i < used.count; i++) others.push(used.datum(i));
  const groups = groupsOf(first, 'each');
  if (groups !== undefined) return groups.map((datum) => func.datum([datum, ...others], literalOk));
  return result(args, func, [toDatum(first, firstMaker), ...others], literalOk);
}

const PAGE_SHORTCUT = 4;

function result(args: Args, func: Func, given: readonly Datum[], literalOk: boolean): Value {
  const value = func.call(given, literalOk);
  args.made = func.maker();
  return value;
}

/** The terms of this family. */
export const controlTerms: TermTable = {
  [TermType.AND]: op(firstThat(false)),
  [TermType.OR]: op(firstThat(true)),
  [TermType.BRANCH]: compileBranch,
  [TermType.FUNCALL]: compileFuncall,
  [TermType.DEFAULT]: compileDefault,
  [TermType.ERROR]: op(raise),
};
