// ADD, SUB, MUL, DIV, MOD, FLOOR, CEIL, ROUND: numbers; strings and arrays that add up, arrays repeated, times moved.

import { asNumber, asString, dataType, isPseudo, typeError } from '../../data/data-type.ts';
import type { Datum } from '../../data/datum.ts';
import { asInteger, finite } from '../../data/number.ts';
import { roundAwayFromZero } from '../../data/pseudo.ts';
import { addTime, subtractTime } from '../../data/time.ts';
import { logicError, resourceLimit } from '../../error.ts';
import { TermType } from '../../term-type.ts';
import type { Args } from '../core/args.ts';
import type { EvalContext, TermCompiler, TermTable } from '../core/context.ts';
import { op, pairOp } from '../core/op.ts';
import { arrayTooLong, limited } from '../streams/materialize.ts';

type Arithmetic = (left: Datum, right: Datum, context: EvalContext) => Datum;

/** A term that takes its arguments from the left, one after the other; one alone stays as it is. */
function folding(apply: Arithmetic): TermCompiler {
  return pairOp(apply, (args) => {
    let result = args.datum(0);
    for (let i = 1; i < args.count; i++) result = apply(result, args.datum(i), args.context);
    return result;
  });
}

/** `a + b`. Raises the server's type errors without an origin. */
function add(left: Datum, right: Datum, context: EvalContext): Datum {
  return typeof left === 'number' && typeof right === 'number' ? finite(left + right) : addOthers(left, right, context);
}

/** What is not two numbers. Apart, so that V8 has room for the sum of numbers where it is asked for. */
function addOthers(left: Datum, right: Datum, context: EvalContext): Datum {
  if (isPseudo(left, 'TIME')) return addTime(left, right);
  if (isPseudo(right, 'TIME')) return addTime(right, left);
  switch (dataType(left)) {
    case 'STRING':
      return joined(asString(left), asString(right), context);
    case 'ARRAY':
      if (!Array.isArray(right)) throw typeError(right, 'ARRAY');
      context.meter.spend((left as readonly Datum[]).length / ITEMS_PER_STEP + right.length / ITEMS_PER_STEP);
      return limited([...(left as readonly Datum[]), ...(right as readonly Datum[])], context);
    // What is no number is refused as one.
    case 'NUMBER':
    case 'BOOL':
    case 'NULL':
    case 'OBJECT':
    case 'PTYPE<BINARY>':
    case 'MINVAL':
    case 'MAXVAL':
      return finite(asNumber(left) + asNumber(right));
  }
}

/** Items of an array, and characters of a text, that are copied in about the time of one step. */
const ITEMS_PER_STEP = 16;
const REPEATED_PER_STEP = 4;
const CHARACTERS_PER_STEP = 64;
/** No text of JavaScript is longer. */
const LONGEST = 2 ** 29 - 25;

function joined(left: string, right: string, { meter }: EvalContext): string {
  const length = left.length + right.length;
  meter.spend(length / CHARACTERS_PER_STEP);
  if (length > LONGEST) throw resourceLimit('The string is too long.');
  return left + right;
}

/** `a - b`. Raises the server's type errors without an origin. */
function subtract(left: Datum, right: Datum): Datum {
  if (isPseudo(left, 'TIME')) return subtractTime(left, right);
  return finite(asNumber(left) - asNumber(right));
}

function multiply(left: Datum, right: Datum, context: EvalContext): Datum {
  if (Array.isArray(left)) return repeat(left, right, context);
  if (Array.isArray(right)) return repeat(right, left, context);
  return finite(asNumber(left) * asNumber(right));
}

function repeat(array: readonly Datum[], times: Datum, context: EvalContext): Datum {
  const copies = asInteger(asNumber(times));
  if (copies < 0) throw logicError('Cannot multiply an ARRAY by a negative number.');
  if (copies * array.length > context.arrayLimit) throw arrayTooLong(context);
  context.meter.spend((copies * array.length) / REPEATED_PER_STEP);
  if (array.length === 0) return [];
  const repeated: Datum[] = [];
  for (let copy = 0; copy < copies; copy++) for (const item of array) repeated.push(item);
  return repeated;
}

function divide(left: Datum, right: Datum): Datum {
  const dividend = asNumber(left);
  const divisor = asNumber(right);
  if (divisor === 0) throw logicError('Cannot divide by zero.');
  return finite(dividend / divisor);
}

function modulo(args: Args): Datum {
  const left = args.integer(0);
  const right = args.integer(1);
  if (right === 0) throw args.fail('Cannot take a number modulo 0.');
  // Integers have no negative zero: -4 mod 2 is 0.
  return (left % right) + 0;
}

const rounding = (round: (value: number) => number): TermCompiler => op((args) => finite(round(args.number(0))));

/** The terms of this family. */
export const arithmeticTerms: TermTable = {
  [TermType.ADD]: folding(add),
  [TermType.SUB]: folding(subtract),
  [TermType.MUL]: folding(multiply),
  [TermType.DIV]: folding(divide),
  [TermType.MOD]: op(modulo),
  [TermType.FLOOR]: rounding(Math.floor),
  [TermType.CEIL]: rounding(Math.ceil),
  [TermType.ROUND]: rounding(roundAwayFromZero),
};
