// Builds generated terms so that a rewrite reads as ReQL: `t.fold(feed, base, (acc, change) => t.add(acc, 1))`. Callers
// owe variables from an allocator that knows the whole query, and the origin of the client's term that the new ones
// stand for.

import { type Datum, MAXVAL, MINVAL } from '../data/datum.ts';
import { ReqlError } from '../error.ts';
import type { Origin } from '../origin.ts';
import type { Signature } from '../term/signature.ts';
import { signatures, termNames } from '../term/signatures.ts';
import type { CallTerm, DatumTerm, Entry, ObjectTerm, Term } from '../term/term.ts';
import type { FreshVars, VarId } from '../term/vars.ts';
import { TermType } from '../term-type.ts';

/** An expression where a term is wanted: a term, plain data with terms in it, or a function of variables. */
export type Expression = Term | Literal | Body;

/** Plain data, in which terms and functions may stand. A field that is `undefined` is left out. */
export type Literal = null | boolean | number | string | readonly Expression[] | Fields;

export interface Fields {
  readonly [key: string]: Expression | undefined;
}

/** A function of ReQL: called once, with a new variable for each parameter it declares. */
export type Body = (...vars: readonly CallTerm[]) => Expression;

/**
 * Makes a call of one term. A plain object after the arguments that the term must have is its optargs, if it takes any:
 * `t.changes(feed, { squash: true })`, but `t.filter(rows, { a: 1 })`.
 */
export type Call = (...args: readonly Expression[]) => CallTerm;

type DriverName = (typeof signatures)[Exclude<
  keyof typeof signatures,
  'DATUM' | 'MAKE_OBJ' | 'VAR' | 'FUNC'
>]['driver'];

/** A method per term, under its name in the JavaScript driver; `do` takes the function first, as the wire does. */
type Calls = { readonly [Name in DriverName]: Call };

export interface Builder extends Calls {
  /** Any expression as a term. */
  readonly expr: (value: Expression) => Term;
  /** Data as it is, without a look for terms in it. */
  readonly datum: (value: Datum) => DatumTerm;
  /** An object literal. (`t.object` is the term OBJECT, whose keys are expressions.) */
  readonly fields: (fields: Fields) => ObjectTerm;
  /** A function; its variables are new. `arity` is for bodies that do not declare their parameters. */
  readonly func: (body: Body, arity?: number) => CallTerm;
  /** A read of a variable. */
  readonly var: (id: VarId) => CallTerm;
  /** A call by number. */
  readonly call: (type: number, args: readonly Expression[], optargs?: Fields) => CallTerm;
}

/** A builder whose terms all stand for the term at `origin`. */
export function builder(origin: Origin | undefined, fresh: FreshVars): Builder {
  return new TermBuilder(origin, fresh) as TermBuilder & Calls;
}

const NO_OPTARGS: readonly Entry[] = [];
/** Steps that a term takes: to be built, and to be looked at and written later. */
const BUILT_STEPS = 50;
/** Terms are counted so many at a time: half of a rewriting is building them. */
const COUNTED_AT_ONCE = 16;

/** The methods that are named after terms are its prototype's: making them anew for each builder would cost more than most
 * rewrites. */
class TermBuilder {
  static {
    for (const name of termNames) {
      const signature: Signature = signatures[name];
      const { driver } = signature;
      // Terms without a name of their own (VAR, FUNC ...) have methods written out here.
      if (driver in TermBuilder.prototype) continue;
      Object.defineProperty(TermBuilder.prototype, driver, { value: methodOf(TermType[name], signature) });
    }
  }

  readonly #origin: Origin | undefined;
  readonly #fresh: FreshVars;
  /** Terms that may be built before the next are counted. */
  #counted = 0;

  constructor(origin: Origin | undefined, fresh: FreshVars) {
    this.#origin = origin;
    this.#fresh = fresh;
  }

  expr(value: Expression): Term {
    if (typeof value === 'function') return this.func(value);
    if (typeof value !== 'object' || value === null) return this.datum(value);
    if (isTerm(value)) return value;
    if (isList(value)) return this.#make(TermType.MAKE_ARRAY, this.#terms(value, value.length), NO_OPTARGS);
    if (value === MINVAL) return this.#make(TermType.MINVAL, [], NO_OPTARGS);
    if (value === MAXVAL) return this.#make(TermType.MAXVAL, [], NO_OPTARGS);
    return this.fields(value);
  }

  datum(value: Datum): DatumTerm {
    const origin = this.#origin;
    return origin === undefined ? { kind: 'datum', value } : { kind: 'datum', value, origin };
  }

  fields(fields: Fields): ObjectTerm {
    const origin = this.#origin;
    const made = this.#entries(fields);
    return origin === undefined ? { kind: 'object', fields: made } : { kind: 'object', fields: made, origin };
  }

  func(body: Body, arity: number = body.length): CallTerm {
    const ids: DatumTerm[] = [];
    const vars: CallTerm[] = [];
    for (let index = 0; index < arity; index++) {
      const id = this.datum(this.#fresh());
      ids.push(id);
      vars.push(this.#make(TermType.VAR, [id], NO_OPTARGS));
    }
    const params = this.#make(TermType.MAKE_ARRAY, ids, NO_OPTARGS);
    return this.#make(TermType.FUNC, [params, this.expr(body(...vars))], NO_OPTARGS);
  }

  var(id: VarId): CallTerm {
    return this.#make(TermType.VAR, [this.datum(id)], NO_OPTARGS);
  }

  call(type: number, args: readonly Expression[], optargs?: Fields): CallTerm {
    const terms = this.#terms(args, args.length);
    return this.#make(type, terms, optargs === undefined ? NO_OPTARGS : this.#entries(optargs));
  }

  /** A call whose last argument is its optargs, if it is a plain object that is not needed as an argument. */
  named(type: number, min: number, given: readonly Expression[]): CallTerm {
    const last = given.length > min ? given[given.length - 1] : undefined;
    if (!isFields(last)) return this.call(type, given);
    return this.#make(type, this.#terms(given, given.length - 1), this.#entries(last));
  }

  #make(type: number, args: readonly Term[], optargs: readonly Entry[]): CallTerm {
    if (this.#counted === 0) this.#count();
    this.#counted--;
    const origin = this.#origin;
    return origin === undefined ? { kind: 'call', type, args, optargs } : { kind: 'call', type, args, optargs, origin };
  }

  #count(): void {
    const origin = this.#origin;
    this.#counted = COUNTED_AT_ONCE;
    try {
      this.#fresh.meter?.spend(COUNTED_AT_ONCE * BUILT_STEPS);
    } catch (error) {
      throw error instanceof ReqlError && origin !== undefined ? error.at(origin) : error;
    }
  }

  /** The first `count` of some expressions. */
  #terms(values: readonly Expression[], count: number): readonly Term[] {
    const terms: Term[] = [];
    for (let index = 0; index < count; index++) {
      const value = values[index] ?? null;
      // Most are terms, or functions: those take the shortest way.
      terms.push(typeof value === 'object' && value !== null && isTerm(value) ? value : this.expr(value));
    }
    return terms;
  }

  #entries(fields: Fields): readonly Entry[] {
    const made: Entry[] = [];
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value !== undefined) made.push([name, this.expr(value)]);
    }
    return made;
  }
}

function methodOf(type: number, { min, optargs }: Signature): (...given: readonly Expression[]) => CallTerm {
  if (!optargs.some(isPublic)) {
    return function made(this: TermBuilder, ...given) {
      return this.call(type, given);
    };
  }
  return function made(this: TermBuilder, ...given) {
    return this.named(type, min, given);
  };
}

/** Optargs that only the server's own rewrites use begin with an underscore. */
function isPublic(optarg: string): boolean {
  return !optarg.startsWith('_');
}

/** Whether something is a term: an object with a field `kind` may be data. */
function isTerm(value: object & { readonly [Part in 'kind' | 'args' | 'fields' | 'value']?: unknown }): value is Term {
  switch (value.kind) {
    case 'call':
      return value.args !== undefined;
    case 'object':
      return value.fields !== undefined;
    case 'datum':
      return value.value !== undefined;
  }
  return false;
}

function isList(value: object): value is readonly Expression[] {
  return Array.isArray(value);
}

function isFields(value: Expression | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !isList(value) && !isTerm(value);
}
