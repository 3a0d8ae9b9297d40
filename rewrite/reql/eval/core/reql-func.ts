// ReQL functions: FUNC terms as values.

import type { Datum, DatumObject } from '../../data/datum.ts';
import { printDatum } from '../../data/json-text.ts';
import { ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { freeVars, readsImplicit } from '../../term/facts.ts';
import type { CallTerm, Term } from '../../term/term.ts';
import { bindsImplicit, readFunc, type VarId } from '../../term/vars.ts';
import { TermType } from '../../term-type.ts';
import { variableName } from '../print/driver-name.ts';
import { printBody } from '../print/print-function.ts';
import { type CompileEnv, compileTerm, type FunctionFrame } from './compile.ts';
import { type Compiled, compiled, type Determinism } from './compiled.ts';
import { Func } from './func.ts';
import { type Bound, Scope } from './scope.ts';
import { toDatum, type Value } from './value.ts';
import { taker } from './variable.ts';

/** A function compiled once; each evaluation of its FUNC term closes over the scope of the moment. */
export class FuncCode {
  readonly term: CallTerm;
  readonly params: readonly VarId[];
  readonly body: Compiled;
  readonly #bodyTerm: Term;
  readonly #env: CompileEnv;
  readonly #around: CompileEnv;
  #literalBody: Compiled | undefined;

  /** `env` is for the body, `around` for the function itself. */
  constructor(term: CallTerm, params: readonly VarId[], bodyTerm: Term, env: CompileEnv, around: CompileEnv) {
    this.term = term;
    this.params = params;
    this.#bodyTerm = bodyTerm;
    this.#env = env;
    this.#around = around;
    this.body = compileTerm(bodyTerm, env);
  }

  /** The innermost function around this one that has parameters. */
  get frame(): FunctionFrame | undefined {
    return this.#around.frame;
  }

  /** How many functions around this one bind `r.row`. */
  get implicitDepth(): number {
    return this.#around.implicitDepth;
  }

  get implicitFrame(): FunctionFrame | undefined {
    return this.#around.implicitFrame;
  }

  get meter(): Meter {
    return this.#env.context.meter;
  }

  /** The body for calls whose result may hold `literal`; compiled when first needed. */
  get literalBody(): Compiled {
    this.#literalBody ??= compileTerm(this.#bodyTerm, { ...this.#env, literalOk: true });
    return this.#literalBody;
  }
}

function lookUp(frame: FunctionFrame | undefined, scope: Scope | undefined, id: VarId): Bound {
  let values = scope;
  for (let at = frame; at !== undefined; at = at.parent) {
    const index = at.params.indexOf(id);
    if (index >= 0 && values !== undefined) return taker(index)(values);
    values = values?.parent;
  }
  return null;
}

/** A ReQL function together with the variables around it. */
export class ReqlFunc extends Func {
  readonly code: FuncCode;
  readonly scope: Scope | undefined;
  readonly arity: number;
  readonly origin: Origin | undefined;
  readonly meter: Meter;
  #last: Compiled;

  constructor(code: FuncCode, scope: Scope | undefined) {
    super();
    this.code = code;
    this.scope = scope;
    this.arity = code.params.length;
    this.origin = code.body.origin;
    this.meter = code.meter;
    this.#last = code.body;
  }

  get determinism(): Determinism {
    return this.code.body.determinism;
  }

  get returnsPattern(): boolean {
    const body = this.code.body.term;
    return body.kind !== 'call' || body.type === TermType.MAKE_OBJ;
  }

  maker(): Origin | undefined {
    return this.#last.maker();
  }

  call(args: readonly Bound[], literalOk = false): Value {
    this.meter.spend(1);
    const body = literalOk ? this.code.literalBody : this.code.body;
    this.#last = body;
    return body.eval(this.#enter(args));
  }

  override datum1(argument: Datum): Datum {
    this.meter.spend(1);
    const { body } = this.code;
    this.#last = body;
    const scope = this.arity === 1 ? new Scope(this.scope, argument) : this.#enter([argument]);
    return toDatum(body.eval(scope), body.maker());
  }

  override datum2(first: Datum, second: Datum): Datum {
    this.meter.spend(1);
    const { body } = this.code;
    this.#last = body;
    const scope = this.arity === 2 ? new Scope(this.scope, first, second) : this.#enter([first, second]);
    return toDatum(body.eval(scope), body.maker());
  }

  #enter(args: readonly Bound[]): Scope | undefined {
    if (this.arity === 0) return this.scope;
    if (this.arity !== args.length) throw this.wrongArity(args.length);
    return new Scope(this.scope, args[0] ?? null, args[1] ?? null, args.slice(2));
  }

  // The variables that the function takes from around it, by id, and its body.
  #source(): string {
    const { params, body, term } = this.code;
    const captured = [...freeVars(term)].sort((a, b) => a - b);
    const shown = captured.map((id) => `, ${id}: ${this.#print(id)}`).join('');
    return `function (captures = [${this.#implicit()}${shown}]) (args = [${params.map(variableName).join(', ')}]) ${printBody(body.term)}`;
  }

  #print(id: VarId): string {
    const value = lookUp(this.code.frame, this.scope, id);
    return value instanceof ReqlError ? value.message : printDatum(value, this.meter);
  }

  #implicit(): string {
    const { implicitDepth, implicitFrame, frame, term } = this.code;
    if (implicitDepth === 0) return '(no implicit)';
    if (implicitDepth > 1) return '(multiple implicits)';
    const [id] = implicitFrame?.params ?? [];
    if (id === undefined || !readsImplicit(term)) return 'implicit: (not stored)';
    const value = lookUp(frame, this.scope, id);
    return `implicit: ${value instanceof ReqlError ? value.message : printDatum(value, this.meter)}`;
  }

  override info(): DatumObject {
    return { source_code: this.#source() };
  }
}

/** Compiles a FUNC term to its code. Raises COMPILE_ERROR with the server's texts for drivers' mistakes. */
export function compileFuncCode(call: CallTerm, env: CompileEnv): FuncCode {
  const func = readFunc(call);
  if (func instanceof ReqlError) throw func;
  const { params, body } = func;
  const binds = bindsImplicit(func);
  const frame: FunctionFrame | undefined = params.length > 0 ? { parent: env.frame, params } : env.frame;
  const inner: CompileEnv = {
    ...env,
    frame,
    implicitDepth: env.implicitDepth + (binds ? 1 : 0),
    implicitFrame: binds ? frame : env.implicitFrame,
    literalOk: false,
  };
  return new FuncCode(call, params, body, inner, env);
}

/** FUNC. */
export function compileFunc(call: CallTerm, env: CompileEnv): CompiledFunc {
  const code = compileFuncCode(call, env);
  return { ...compiled(call, code.body.determinism, (scope) => new ReqlFunc(code, scope)), code };
}

/** A FUNC made ready to run. */
interface CompiledFunc extends Compiled {
  readonly code: FuncCode;
}

/** The code of a term that is a function as it is written; `undefined` for other terms. */
export function codeOf(term: Compiled): FuncCode | undefined {
  return 'code' in term && term.code instanceof FuncCode ? term.code : undefined;
}
