// Builds generated terms so that a rewrite reads as ReQL: `t.fold(feed, base, (acc, change) => t.add(acc, 1))`. Callers
// owe variables from an allocator that knows the whole query, and the origin of the client's term that the new ones
// stand for.

import { type Datum, MAXVAL, MINVAL } from '../reql/datum.ts';
import type { Origin } from '../reql/origin.ts';
import { TermType } from '../reql/term-type.ts';
import type { Signature } from './signature.ts';
import { signatures, termNames } from './signatures.ts';
import type { CallTerm, DatumTerm, Entry, ObjectTerm, Term } from './term.ts';
import type { FreshVars, VarId } from './vars.ts';

/** What can stand where a term is wanted: a term, plain data with terms in it, or a function of variables. */
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

/** One method per term, under its name in the JavaScript driver; `do` takes the function first, as the wire does. */
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
  const place = origin === undefined ? {} : { origin };

  const datum = (value: Datum): DatumTerm => ({ kind: 'datum', value, ...place });

  const make = (type: number, args: readonly Term[], optargs: readonly Entry[] = []): CallTerm => ({
    kind: 'call',
    type,
    args,
    optargs,
    ...place,
  });

  const entries = (fields: Fields): Entry[] => {
    const made: Entry[] = [];
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value !== undefined) made.push([name, expr(value)]);
    }
    return made;
  };

  const read = (id: VarId): CallTerm => make(TermType.VAR, [datum(id)]);

  const func = (body: Body, arity: number = body.length): CallTerm => {
    const ids = Array.from({ length: arity }, fresh);
    const params = make(TermType.MAKE_ARRAY, ids.map(datum));
    return make(TermType.FUNC, [params, expr(body(...ids.map(read)))]);
  };

  const expr = (value: Expression): Term => {
    if (typeof value === 'function') return func(value);
    if (typeof value !== 'object' || value === null) return datum(value);
    if (value === MINVAL) return make(TermType.MINVAL, []);
    if (value === MAXVAL) return make(TermType.MAXVAL, []);
    if (isTerm(value)) return value;
    if (isList(value)) return make(TermType.MAKE_ARRAY, value.map(expr));
    return { kind: 'object', fields: entries(value), ...place };
  };

  const call: Builder['call'] = (type, args, optargs) =>
    optargs === undefined ? make(type, args.map(expr)) : make(type, args.map(expr), entries(optargs));

  return Object.assign(Object.create(CALLS) as Calls, {
    expr,
    datum,
    fields: (fields: Fields): ObjectTerm => ({ kind: 'object', fields: entries(fields), ...place }),
    func,
    var: read,
    call,
  });
}

interface Named {
  readonly driver: string;
  readonly type: TermType;
  readonly min: number;
  readonly takesOptargs: boolean;
}

const NAMED: readonly Named[] = termNames.map((name) => {
  const { driver, min, optargs }: Signature = signatures[name];
  return { driver, type: TermType[name], min, takesOptargs: optargs.some(isPublic) };
});

/** What all builders inherit: making the methods anew for each would cost more than most rewrites. */
const CALLS: Readonly<Record<string, Call>> = Object.fromEntries(
  NAMED.map(({ driver, type, min, takesOptargs }) => [
    driver,
    function made(this: Builder, ...given: readonly Expression[]): CallTerm {
      const last = given.at(-1);
      const named = takesOptargs && given.length > min && isFields(last) ? last : undefined;
      return named === undefined ? this.call(type, given) : this.call(type, given.slice(0, -1), named);
    },
  ]),
);

/** Optargs that only the server's own rewrites use begin with an underscore. */
function isPublic(optarg: string): boolean {
  return !optarg.startsWith('_');
}

function isTerm(value: object): value is Term {
  if (!('kind' in value)) return false;
  return (
    (value.kind === 'call' && 'args' in value) ||
    (value.kind === 'object' && 'fields' in value) ||
    (value.kind === 'datum' && 'value' in value)
  );
}

function isList(value: object): value is readonly Expression[] {
  return Array.isArray(value);
}

function isFields(value: Expression | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !isList(value) && !isTerm(value);
}
