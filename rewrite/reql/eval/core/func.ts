// Functions as values. A function is called with data and returns a value; what it returns was made by some term in
// its body, which errors about the value point to.

import type { Datum } from '../../data/datum.ts';
import { logicError, ReqlError } from '../../error.ts';
import type { Meter } from '../../meter.ts';
import type { Origin } from '../../origin.ts';
import { ErrorType } from '../../protocol.ts';
import { ERROR_STEPS } from './bind.ts';
import type { Determinism } from './compiled.ts';
import { NonDatum, toDatum, type Value } from './value.ts';

/** A function. Derived classes are ReQL functions and the shorthands for them (a field name, a constant). */
export abstract class Func extends NonDatum {
  readonly type = 'FUNCTION';
  readonly typeOf = 'FUNCTION';
  /** The number of parameters; a function without any takes any arguments. `undefined` for functions that do not tell. */
  abstract readonly arity: number | undefined;
  /** The body's place, which errors about the call point to. */
  abstract readonly origin: Origin | undefined;
  abstract readonly determinism: Determinism;
  /** Counts what the function does. */
  abstract readonly meter: Meter;
  /** Whether an object that the function returns is a pattern to `filter`: its body is an object written out. */
  abstract readonly returnsPattern: boolean;

  /** Calls the function; `literalOk` where its result may hold `literal`. */
  abstract call(args: readonly Datum[], literalOk?: boolean): Value;

  /** The term that made the value returned last. */
  abstract maker(): Origin | undefined;

  /** `call` with one argument, the result a datum. */
  datum1(argument: Datum): Datum {
    return toDatum(this.call([argument]), this.maker());
  }

  /** `call` with two arguments, the result a datum. */
  datum2(first: Datum, second: Datum): Datum {
    return toDatum(this.call([first, second]), this.maker());
  }

  /** `call`, the result a datum. */
  datum(args: readonly Datum[], literalOk = false): Datum {
    return toDatum(this.call(args, literalOk), this.maker());
  }

  /** `datum1`, but `undefined` where it raises NON_EXISTENCE: an aggregate leaves such an element out. */
  tryDatum1(argument: Datum): Datum | undefined {
    try {
      return this.datum1(argument);
    } catch (error) {
      if (!(error instanceof ReqlError) || error.errorType !== ErrorType.NON_EXISTENCE) throw error;
      this.meter.spend(ERROR_STEPS);
      return undefined;
    }
  }

  /** The error of a call with the wrong number of arguments. */
  protected wrongArity(given: number): Error {
    const count = (n: number): string => `${n} argument${n === 1 ? '' : 's'}`;
    return logicError(
      `Expected function with ${count(given)} but found function with ${count(this.arity ?? 0)}.`,
      this.origin,
    );
  }
}
