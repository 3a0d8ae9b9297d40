// The context of an evaluation: the terms it knows, global optargs, limits, the time, chance.

import { asNumber } from '../../data/data-type.ts';
import type { DatumObject } from '../../data/datum.ts';
import { asInteger } from '../../data/number.ts';
import { logicError } from '../../error.ts';
import { type Meter, unlimited } from '../../meter.ts';
import { ROOT } from '../../origin.ts';
import type { CallTerm, Entry } from '../../term/term.ts';
import { bind } from './bind.ts';
import { type CompileEnv, compile } from './compile.ts';
import type { Compiled } from './compiled.ts';
import { toDatum, type Value } from './value.ts';

/** Makes a term of one number ready to run. Raises COMPILE_ERROR. */
export type TermCompiler = (call: CallTerm, env: CompileEnv) => Compiled;

/** Term number -> compiler. Tables combine: `{ ...pureTerms, ...tableTerms }`. */
export interface TermTable {
  readonly [type: number]: TermCompiler | undefined;
}

/** Chance. An evaluation without it refuses `random`, `sample` and `uuid()`. */
export interface RandomSource {
  /** A number from 0 up to but not including 1. */
  number(): number;
  /** A fresh UUID, in lower case. */
  uuid(): string;
}

/** The context of one query's evaluation. */
export interface EvalContext {
  readonly terms: TermTable;
  /** The most elements of an array (global optarg `array_limit`, as far as that is allowed). */
  readonly arrayLimit: number;
  /** What errors about longer arrays advise; the server's words where there are none. */
  readonly arrayAdvice?: string | undefined;
  /** The TIME that `now` gives throughout; absent where `now` is refused. */
  readonly now: DatumObject | undefined;
  readonly random: RandomSource | undefined;
  /** Counts the steps of whatever is compiled and evaluated. */
  readonly meter: Meter;
  /** A global optarg's value; terms fall back to it for optargs they are not given. `undefined` where there is none. */
  globalOptarg(name: string): Value | undefined;
  hasGlobalOptarg(name: string): boolean;
}

/** The options of a context; all but `terms` may be left out. */
export interface ContextOptions {
  readonly terms: TermTable;
  readonly globalOptargs?: readonly Entry[];
  readonly now?: DatumObject;
  readonly random?: RandomSource;
  /** Without it, an evaluation may take as many steps as it likes. */
  readonly meter?: Meter;
  /** The most that `array_limit` can allow; without it, whatever it says. */
  readonly arrayCap?: ArrayCap;
}

/** The most elements of an array whatever `array_limit` says, and what errors about longer ones then advise. */
export interface ArrayCap {
  readonly most: number;
  readonly advice: string;
}

const DEFAULT_ARRAY_LIMIT = 100_000;

/** A context for one query. Raises the errors of global optargs, which point to no place in the query. */
export function createContext(options: ContextOptions): EvalContext {
  const globals = new Map<string, Compiled>();
  const { terms, now, random, meter = unlimited(), arrayCap } = options;
  const globalOptarg = (name: string): Value | undefined => globals.get(name)?.eval(undefined);
  const hasGlobalOptarg = (name: string): boolean => globals.has(name);
  const early: EvalContext = {
    terms,
    now,
    random,
    meter,
    arrayLimit: DEFAULT_ARRAY_LIMIT,
    globalOptarg,
    hasGlobalOptarg,
  };
  for (const [name, term] of options.globalOptargs ?? []) {
    globals.set(name, compile(term, early));
  }
  const limit = globalOptarg('array_limit');
  if (limit === undefined) return early;
  const arrayLimit = bind(ROOT, () => checkLimit('array size limit', limit));
  if (arrayCap === undefined || arrayLimit <= arrayCap.most) return { ...early, arrayLimit };
  return { ...early, arrayLimit: arrayCap.most, arrayAdvice: arrayCap.advice };
}

/** A limit that must be an integer of at least 1; raises QUERY_LOGIC without an origin. */
export function checkLimit(name: string, value: Value): number {
  const limit = asInteger(asNumber(toDatum(value, undefined)));
  if (limit < 1) throw logicError(`Illegal ${name} \`${limit}\`.  (Must be >= 1.)`);
  return limit;
}
