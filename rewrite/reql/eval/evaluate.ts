// The ways in: a whole query evaluated once, and closed functions called many times.

import type { Datum } from '../data/datum.ts';
import { compileError, logicError, ReqlError } from '../error.ts';
import { ROOT } from '../origin.ts';
import { signatureOf } from '../term/signatures.ts';
import type { Term } from '../term/term.ts';
import { find } from '../term/walk.ts';
import { TermType } from '../term-type.ts';
import { TooDeep } from '../too-deep.ts';
import { bound } from './core/bind.ts';
import { compile, outermost } from './core/compile.ts';
import type { Compiled } from './core/compiled.ts';
import type { EvalContext } from './core/context.ts';
import { counted, explained } from './core/counted.ts';
import { compileFuncCode } from './core/reql-func.ts';
import { type Bound, Scope } from './core/scope.ts';
import {
  isNonDatum,
  type NonDatum,
  Selection,
  SingleSelection,
  Table,
  TableSlice,
  toDatum,
  type Value,
} from './core/value.ts';
import { drain } from './streams/materialize.ts';
import { Stream } from './streams/stream.ts';
import { GroupedData, GroupedStream } from './terms/grouped.ts';

/** Runs `work`; a stack overflow becomes a RESOURCE_LIMIT error, an error without an origin gets the whole query's. */
export function guarded<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) throw new TooDeep();
    throw bound(error, ROOT);
  }
}

/** The answer to a client: one datum, or a stream to take batches from. */
export type Answer = { readonly datum: Datum } | { readonly stream: Stream };

/** Evaluates a whole query. Raises ReqlError: COMPILE_ERROR before it runs, runtime errors after. */
export function evaluate(term: Term, context: EvalContext): Answer {
  return guarded(() => answerOf(compile(term, context).eval(undefined)));
}

/** What a client gets for a value. Raises QUERY_LOGIC for values that no client can get. */
function answerOf(value: Value): Answer {
  if (!isNonDatum(value)) return { datum: value };
  if (value instanceof SingleSelection) return { datum: value.get() };
  if (value instanceof GroupedData) return { datum: value.toClient() };
  if (value instanceof GroupedStream) return { datum: value.toGroups().toClient() };
  if (value instanceof Stream) return { stream: value };
  if (value instanceof Selection) return { stream: value.stream };
  if (value instanceof Table || value instanceof TableSlice) return { stream: value.rows(ROOT) };
  throw logicError(`Query result must be of type DATUM, GROUPED_DATA, or STREAM (got ${value.type}).`, ROOT);
}

/** A function to call from outside. Raises ReqlError. An argument that is an error is raised where the function reads it. */
export type CallFunction = (...args: readonly Bound[]) => Datum;

/** What no function can do that runs away from the server. */
const REFUSED: ReadonlySet<number> = new Set([
  TermType.JAVASCRIPT,
  TermType.HTTP,
  TermType.RANDOM,
  TermType.SAMPLE,
  TermType.DB,
  TermType.TABLE,
]);

/**
 * Compiles a closed function (FUNC) to call it many times. Raises COMPILE_ERROR, which names the term, where the
 * function holds one that cannot run away from the server.
 */
export function compileFunction(term: Term, context: EvalContext): CallFunction {
  const call = compileCall(term, context);
  return (...args) => call(args);
}

/** The same function, called with a list of arguments. */
export function compileCall(term: Term, context: EvalContext): (args: readonly Bound[]) => Datum {
  const refused = find(term, (inner) => inner.kind === 'call' && isRefused(inner.type, context));
  if (refused?.kind === 'call') {
    const name = signatureOf(refused.type)?.driver ?? `term ${refused.type}`;
    throw compileError(
      `RethinkDB alone can evaluate \`${name}\`. Put it into a \`map\` or a \`merge\` of its table, before what is folded in the proxy.`,
      refused.origin,
    );
  }
  if (term.kind !== 'call' || term.type !== TermType.FUNC) throw compileError('Expected a function.', term.origin);
  const env = outermost(context);
  const { meter } = context;
  const { body, params } = guarded(() => compileFuncCode(term, env));
  const arity = params.length;
  return (args) => {
    const scope = arity === 0 ? undefined : scopeOf(args);
    try {
      const value = body.eval(scope);
      return counted(isNonDatum(value) ? datumOf(value, body, context) : value, meter);
    } catch (error) {
      throw explained(asReqlError(error), term);
    }
  };
}

function datumOf(value: NonDatum, { maker }: Compiled, context: EvalContext): Datum {
  return value instanceof Stream ? drain(value, context) : toDatum(value, maker());
}

function scopeOf(args: readonly Bound[]): Scope {
  const first = args[0] ?? null;
  const second = args[1] ?? null;
  return args.length > 2 ? new Scope(undefined, first, second, args.slice(2)) : new Scope(undefined, first, second);
}

function isRefused(type: number, context: EvalContext): boolean {
  return REFUSED.has(type) || (type !== TermType.DATUM && context.terms[type] === undefined);
}

function asReqlError(error: unknown): unknown {
  if (error instanceof RangeError) return new TooDeep();
  return error instanceof ReqlError ? bound(error, ROOT) : error;
}
