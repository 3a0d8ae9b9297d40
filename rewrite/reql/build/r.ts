// `r` as JavaScript programs know it, good for writing queries down: everything it makes becomes a term, nothing runs.

import { wrapsRow } from '../print/print-row.ts';
import { readsImplicit } from '../term/facts.ts';
import type { Signature } from '../term/signature.ts';
import { signatures, termNames } from '../term/signatures.ts';
import type { CallTerm, Term } from '../term/term.ts';
import { type FreshVars, funcTerm } from '../term/vars.ts';
import { TermType } from '../term-type.ts';
import { builder, type Expression } from './build.ts';

type Name = (typeof signatures)[keyof typeof signatures]['driver'];

/** A piece of ReQL: all terms as methods, and a call reads a field. Arguments are pieces, data, or functions of pieces. */
export type Reql = ((field: unknown) => Reql) & { readonly [N in Name]: (...args: readonly unknown[]) => Reql };

/** `r` itself: all terms as functions, and some that are values. */
export type R = { readonly [N in Name]: (...args: readonly unknown[]) => Reql } & {
  readonly expr: (value: unknown) => Reql;
  readonly row: Reql;
  readonly minval: Reql;
  readonly maxval: Reql;
};

const TERM = Symbol('term');

/** A new `r`; variables count from 1. */
export function makeR(): R {
  let last = 0;
  const fresh: FreshVars = () => {
    last++;
    return last;
  };
  const t = builder(undefined, fresh);
  const methods = {
    [Symbol.toPrimitive](): never {
      throw new TypeError(
        'JavaScript cannot calculate with ReQL. Write `.add(...)`, `.gt(...)`, `.and(...)` and the like',
      );
    },
  };
  const wrap = (term: Term): Reql => {
    const piece: object = Object.assign((field: unknown) => make('BRACKET', [piece, field]), { [TERM]: term });
    // These are a function's own properties: `row.name` is not to be a text, nor `row.length` a number.
    Reflect.deleteProperty(piece, 'name');
    Reflect.deleteProperty(piece, 'length');
    return Object.setPrototypeOf(piece, methods) as Reql;
  };

  const termOf = (value: unknown): Term => {
    const own = pieceTerm(value);
    if (own !== undefined) return own;
    if (typeof value === 'function') {
      return t.func((...vars) => termOf(returned(Reflect.apply(value, undefined, vars.map(wrap)))), value.length);
    }
    if (value instanceof Date) return t.call(TermType.ISO8601, [value.toISOString()]);
    if (Array.isArray(value)) return t.call(TermType.MAKE_ARRAY, value.map(termOf));
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).filter(([, field]) => field !== undefined);
      return t.fields(Object.fromEntries(fields.map(([name, field]) => [name, termOf(field)])));
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') {
      return t.datum(value);
    }
    throw new TypeError(`Cannot convert ${typeof value} to ReQL`);
  };

  const make = (name: keyof typeof signatures, given: readonly unknown[]): Reql => {
    const type = TermType[name];
    const { min, optargs }: Signature = signatures[name];
    const last = given.at(-1);
    const named = given.length > min && optargs.some((optarg) => !optarg.startsWith('_')) && isPlain(last);
    const terms = (named ? given.slice(0, -1) : given).map(termOf);
    // The driver writes the function of `do` last; the wire has it first.
    const args = type === TermType.FUNCALL ? [...terms.slice(-1), ...terms.slice(0, -1)] : terms;
    const bare: CallTerm = { kind: 'call', type, args, optargs: [] };
    const bound = args.map((arg, index) =>
      wrapsRow(bare, index) && readsImplicit(arg) ? funcTerm([fresh()], arg) : arg,
    );
    return wrap({
      ...bare,
      args: bound,
      optargs: named ? Object.entries(last).map(([key, value]) => [snakeCase(key), termOf(value)] as const) : [],
    });
  };

  const r: Record<string, unknown> = { expr: (value: unknown) => wrap(termOf(value)) };
  for (const name of termNames) {
    const { driver, form }: Signature = signatures[name];
    if (form === 'constant') {
      r[driver] = wrap(t.call(TermType[name], []));
      continue;
    }
    r[driver] = (...args: readonly unknown[]) => make(name, args);
    Object.defineProperty(methods, driver, {
      value(this: unknown, ...args: readonly unknown[]) {
        return make(name, [this, ...args]);
      },
    });
  }
  return r as R;
}

/** The term that a piece of ReQL stands for. Throws TypeError for what is none. */
export function termOfReql(piece: unknown): Term {
  const term = pieceTerm(piece);
  if (term === undefined) throw new TypeError('This is not ReQL.');
  return term;
}

/** True for pieces of ReQL, of any `r`. */
export function isTerm(value: unknown): boolean {
  return pieceTerm(value) !== undefined;
}

function returned(value: unknown): unknown {
  if (value === undefined) throw new TypeError('A function of the query returns nothing');
  return value;
}

function pieceTerm(value: unknown): Term | undefined {
  return typeof value === 'function' && TERM in value ? (value[TERM] as Term) : undefined;
}

function isPlain(value: unknown): value is Readonly<Record<string, Expression>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
