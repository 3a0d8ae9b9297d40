// The arguments of a running term, as the server's terms see them: evaluated when asked for, each checked with the
// error that the server raises, which points to the argument's value or to the term as it does there.

import { isTrue, typedError, typeError, typeName } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { isInteger, notAnInteger } from '../../data/number.ts';
import { logicError, type ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import { type Origin, ROOT } from '../../origin.ts';
import { ArrayStream, Stream } from '../streams/stream.ts';
import { withOrigin } from './bind.ts';
import type { Compiled } from './compiled.ts';
import type { EvalContext } from './context.ts';
import { Func } from './func.ts';
import type { Scope } from './scope.ts';
import { type Shortcut, shortcutFunc } from './shortcut-func.ts';
import { isDatumLike, isNonDatum, Selection, Table, TableSlice, toDatum, type Value, wrongType } from './value.ts';

/** The facts of a term that do not change while it runs. */
export interface Op {
  readonly context: EvalContext;
  readonly origin: Origin | undefined;
  readonly optargs: ReadonlyMap<string, Compiled>;
}

/** The arguments of one evaluation. Ask for each argument's value once. */
export class Args {
  readonly op: Op;
  readonly scope: Scope | undefined;
  readonly terms: readonly Compiled[];
  /** The term that is to count as the maker of the result, if it is not the term itself. */
  made: Origin | undefined;
  readonly #first: Value | undefined;

  /** `first` is the value of argument 0, where it is known already. */
  constructor(op: Op, scope: Scope | undefined, terms: readonly Compiled[], first?: Value) {
    this.op = op;
    this.scope = scope;
    this.terms = terms;
    this.#first = first;
    this.made = op.origin;
  }

  /** The same evaluation with its arguments compiled otherwise. */
  withTerms(terms: readonly Compiled[]): Args {
    return new Args(this.op, this.scope, terms, this.#first);
  }

  get count(): number {
    return this.terms.length;
  }

  get context(): EvalContext {
    return this.op.context;
  }

  get origin(): Origin | undefined {
    return this.op.origin;
  }

  /** Evaluates argument `index`. */
  value(index: number): Value {
    if (index === 0 && this.#first !== undefined) return this.#first;
    const term = this.terms[index];
    if (term === undefined) throw new RangeError(`no argument ${index}`);
    return term.eval(this.scope);
  }

  /** The term that made argument `index`, once it is evaluated. */
  maker(index: number): Origin | undefined {
    return this.terms[index]?.maker();
  }

  /** Argument `index` as a datum. */
  datum(index: number): Datum {
    const value = this.value(index);
    return isNonDatum(value) ? toDatum(value, this.maker(index)) : value;
  }

  /** Argument `index` as a number; errors point to the argument. */
  number(index: number): number {
    return numberOf(this.value(index), this.maker(index));
  }

  /** Argument `index` as an integer; errors point to the argument. */
  integer(index: number): number {
    return integerOf(this.value(index), this.maker(index));
  }

  /** Argument `index` as an integer of 32 bits; errors point to the argument. */
  int32(index: number): number {
    return int32Of(this.value(index), this.maker(index));
  }

  /** Argument `index` as a string; errors point to the argument. */
  string(index: number): string {
    const datum = this.datum(index);
    if (typeof datum === 'string') return datum;
    throw withOrigin(typeError(datum, 'STRING'), this.maker(index));
  }

  /** The truth of argument `index`. */
  bool(index: number): boolean {
    return isTrue(this.datum(index));
  }

  /** Argument `index` as a function; what is no function may be a shorthand for one. */
  func(index: number, shortcut: Shortcut = 'none'): Func {
    const value = this.value(index);
    return value instanceof Func ? value : asFunc(value, this.maker(index), this.context.meter, shortcut);
  }

  /** Argument `index` as a stream. */
  stream(index: number): Stream {
    return asStream(this.value(index), this.maker(index), this.context.meter);
  }

  /** A value that is at hand as a stream. */
  streamOf(value: Value, maker: Origin | undefined): Stream {
    return asStream(value, maker, this.context.meter);
  }

  /** The value of an optarg: the term's own, else a global one; `undefined` where there is neither. */
  optarg(name: string): Value | undefined {
    const own = this.op.optargs.get(name);
    return own === undefined ? this.context.globalOptarg(name) : own.eval(this.scope);
  }

  /** The term that made an optarg, once it is evaluated; a global one has no place in the query. */
  optargMaker(name: string): Origin | undefined {
    const own = this.op.optargs.get(name);
    return own === undefined ? ROOT : own.maker();
  }

  /** An optarg as a datum. */
  optargDatum(name: string): Datum | undefined {
    const value = this.optarg(name);
    return value === undefined ? undefined : toDatum(value, this.optargMaker(name));
  }

  /** The truth of an optarg; `otherwise` where it is not given. */
  optargBool(name: string, otherwise: boolean): boolean {
    const datum = this.optargDatum(name);
    return datum === undefined ? otherwise : isTrue(datum);
  }

  /** An optarg as a string; errors point to the optarg. */
  optargString(name: string): string | undefined {
    const datum = this.optargDatum(name);
    if (datum === undefined || typeof datum === 'string') return datum;
    throw withOrigin(typeError(datum, 'STRING'), this.optargMaker(name));
  }

  /** An optarg as an integer; errors point to the optarg. */
  optargInteger(name: string): number | undefined {
    const value = this.optarg(name);
    return value === undefined ? undefined : integerOf(value, this.optargMaker(name));
  }

  /** An optarg as a function. */
  optargFunc(name: string): Func | undefined {
    const value = this.optarg(name);
    if (value === undefined || value instanceof Func) return value;
    return asFunc(value, this.optargMaker(name), this.context.meter, 'none');
  }

  /** A QUERY_LOGIC error that points to the term. */
  fail(message: string): ReqlError {
    return logicError(message, this.op.origin);
  }
}

function numberOf(value: Value, maker: Origin | undefined): number {
  const datum = toDatum(value, maker);
  if (typeof datum === 'number') return datum;
  throw withOrigin(typeError(datum, 'NUMBER'), maker);
}

/** A value as an integer; errors point to `maker`. */
export function integerOf(value: Value, maker: Origin | undefined): number {
  const number = numberOf(value, maker);
  if (isInteger(number)) return number;
  throw logicError(notAnInteger(number), maker);
}

/** A value as an integer of 32 bits; errors point to `maker`. */
export function int32Of(value: Value, maker: Origin | undefined): number {
  const integer = integerOf(value, maker);
  if (integer === (integer | 0)) return integer;
  throw logicError(`Integer too large: ${integer}`, maker);
}

/** A value as a function. Raises the type error of what is none and no shorthand. */
export function asFunc(value: Value, maker: Origin | undefined, meter: Meter, shortcut: Shortcut = 'none'): Func {
  if (value instanceof Func) return value;
  if (shortcut === 'none' || !isDatumLike(value)) throw wrongType(value, 'FUNCTION', maker);
  return shortcutFunc(shortcut, toDatum(value, maker), maker, meter);
}

/** A value as a stream. Raises the type error of what is none: about a datum without an origin, as the server does. */
export function asStream(value: Value, maker: Origin | undefined, meter: Meter): Stream {
  if (!isNonDatum(value)) {
    if (Array.isArray(value)) return new ArrayStream(value, maker, meter);
    throw typedError(value, `Cannot convert ${typeName(value)} to SEQUENCE`);
  }
  if (value instanceof Stream) return value;
  if (value instanceof Selection) return value.stream;
  if (value instanceof Table || value instanceof TableSlice) return value.rows(maker);
  throw wrongType(value, 'SEQUENCE', maker);
}

/** Whether a value can be read as a stream, going by its type alone: any datum can be asked. */
export function isStreamLike(value: Value): boolean {
  if (!isNonDatum(value)) return true;
  return value instanceof Stream || value instanceof Selection || value instanceof Table || value instanceof TableSlice;
}

/** Whether a value is rows of a table (TABLE, TABLE_SLICE, SELECTION). */
export function isSelectionLike(value: Value): value is Table | TableSlice | Selection {
  return value instanceof Selection || value instanceof Table || value instanceof TableSlice;
}

/** A value as a selection. Raises the type error of what is none. */
export function asSelection(value: Value, maker: Origin | undefined): Selection {
  if (value instanceof Selection) return value;
  if (value instanceof Table) return new Selection(value, value.rows(maker));
  if (value instanceof TableSlice) return new Selection(value.table, value.rows(maker));
  throw wrongType(value, 'SELECTION', maker);
}
