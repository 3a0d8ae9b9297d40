// From terms to closures. What a term number means is looked up in the context's table; here are only the parts that
// every term shares: literals, and what is known about the functions around a term.

import { type Datum, type DatumObject, isObject, MAXVAL, MINVAL, setField } from '../../data/datum.ts';
import { sanitizeObject } from '../../data/pseudo.ts';
import { compileError, ReqlError } from '../../error.ts';
import { ROOT } from '../../origin.ts';
import { copied } from '../../term/copied.ts';
import { signatureOf, termName } from '../../term/signatures.ts';
import type { CallTerm, Term } from '../../term/term.ts';
import type { VarId } from '../../term/vars.ts';
import { TermType } from '../../term-type.ts';
import { type Compiled, compiled, Determinism } from './compiled.ts';
import type { EvalContext } from './context.ts';
import { deepLinks, Held } from './deep.ts';
import type { Scope } from './scope.ts';
import type { Value } from './value.ts';

/** Steps that making one term ready takes. */
const COMPILE_STEPS = 20;

/** A function with parameters that surrounds the term at hand; one scope at run time. */
export interface FunctionFrame {
  readonly parent: FunctionFrame | undefined;
  readonly params: readonly VarId[];
}

/** The environment of a term that is compiled. */
export interface CompileEnv {
  readonly context: EvalContext;
  /** The innermost function with parameters. */
  readonly frame: FunctionFrame | undefined;
  /** How many functions around the term bind `r.row`; it is readable only where that is one. */
  readonly implicitDepth: number;
  /** The function that binds `r.row`, when there is exactly one. */
  readonly implicitFrame: FunctionFrame | undefined;
  /** Whether `literal` may stand here: directly in the argument of `merge` or `update`, in objects in it. */
  readonly literalOk: boolean;
  /** Terms outside of all functions that are compiled already. */
  readonly ready: Map<Term, Compiled>;
}

/** The environment outside of all functions. */
export function outermost(context: EvalContext): CompileEnv {
  return {
    context,
    frame: undefined,
    implicitDepth: 0,
    implicitFrame: undefined,
    literalOk: false,
    ready: new Map(),
  };
}

/** Makes a whole query ready to run. Raises COMPILE_ERROR. */
export function compile(term: Term, context: EvalContext): Compiled {
  const env = outermost(context);
  const held: Held[] = [];
  // A term that nests deeply is compiled and run from the inside out, so that it needs no deep stack.
  for (const link of deepLinks(term)) {
    const part = new Held(compileTerm(link, env));
    env.ready.set(link, part.compiled);
    held.push(part);
  }
  const whole = compileTerm(term, env);
  if (held.length === 0) return whole;
  const evaluate = (scope: Scope | undefined): Value => {
    for (const part of held) part.run();
    return whole.eval(scope);
  };
  return compiled(term, whole.determinism, evaluate, whole.maker);
}

/** Makes a term ready to run where it stands. Raises COMPILE_ERROR. */
export function compileTerm(term: Term, env: CompileEnv): Compiled {
  env.context.meter.spend(COMPILE_STEPS);
  if (term.kind === 'datum') return compileDatum(term, term.value);
  const ready = env.frame === undefined && !env.literalOk ? env.ready.get(term) : undefined;
  if (ready !== undefined) return ready;
  const call: CallTerm = term.kind === 'call' ? term : objectCall(term);
  const compiler = env.context.terms[call.type];
  if (compiler === undefined) {
    const name = termName(call.type) ?? String(call.type);
    throw compileError(`${name} is not supported here.`, term.origin);
  }
  // The server copies a term before it rewrites it.
  return compiler(signatureOf(call.type)?.rewritten === true ? copied(call) : call, env);
}

function objectCall(term: Extract<Term, { kind: 'object' }>): CallTerm {
  const { fields, ...written } = term;
  return { ...written, kind: 'call', type: TermType.MAKE_OBJ, args: [], optargs: fields };
}

function compileDatum(term: Term, value: Datum): Compiled {
  const datum = typeof value === 'object' && value !== null ? sanitizeLiteral(value) : value;
  return compiled(term, Determinism.ALWAYS, () => datum);
}

// The server turns literal data into its own while it compiles; what is wrong with it points to the whole query.
function sanitizeLiteral(value: Datum): Datum {
  try {
    return sanitizeDeep(value);
  } catch (error) {
    throw error instanceof ReqlError ? compileError(error.message, ROOT) : error;
  }
}

/** Data as the server would have read it: pseudo-types checked and normalized, at any depth. Errors have no origin. */
function sanitizeDeep(value: Datum): Datum {
  if (typeof value !== 'object' || value === null) return value;
  if (!isObject(value)) return mapArray(value);
  if (value === MINVAL || value === MAXVAL) return value;
  return sanitizeObject(mapFields(value), true);
}

function mapArray(array: readonly Datum[]): readonly Datum[] {
  const mapped = array.map(sanitizeDeep);
  return mapped.every((item, index) => item === array[index]) ? array : mapped;
}

function mapFields(object: DatumObject): DatumObject {
  let changed = false;
  const mapped: Record<string, Datum> = {};
  for (const [key, field] of Object.entries(object)) {
    const value = sanitizeDeep(field);
    changed ||= value !== field;
    setField(mapped, key, value);
  }
  return changed ? mapped : object;
}
