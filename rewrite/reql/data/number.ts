// Numbers as the server prints and checks them: JSON text as rapidjson writes it, `%.20g` in error texts, integers
// within 2^53.

import { logicError } from '../error.ts';
import { type Decimal, grisu2 } from './grisu.ts';

/** The largest magnitude of an integer: 2^53, one above what JavaScript calls safe. */
export const LARGEST_INTEGER = 2 ** 53;
const PRECISION = 20;
/** Powers of ten beyond these are written with an `e`. */
const LARGEST_PLAIN_EXPONENT = 21;
const SMALLEST_PLAIN_EXPONENT = -6;
/** A text this short has at most 15 significant digits. */
const SURE_DIGITS = 15;

/**
 * The JSON text of a number: integers plain up to 2^53, larger ones with `.0`, `-0.0` for negative zero. Raises QUERY_LOGIC
 * without an origin, as the server does, for what is no finite number: JSON has none.
 */
export function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= LARGEST_INTEGER) {
    return Object.is(value, -0) ? '-0.0' : String(value);
  }
  finite(value);
  return value < 0 ? `-${positiveText(-value)}` : positiveText(value);
}

function positiveText(value: number): string {
  const shortest = String(value);
  // With few digits there is only one way to print a number; JavaScript and rapidjson differ in the plus sign then.
  if (shortest.length <= SURE_DIGITS && !shortest.includes('e')) return withPoint(shortest);
  return layOut(grisu2(value));
}

function withPoint(text: string): string {
  return text.includes('.') ? text : `${text}.0`;
}

function layOut({ digits, exponent }: Decimal): string {
  const point = digits.length + exponent;
  if (exponent >= 0 && point <= LARGEST_PLAIN_EXPONENT) return `${digits}${'0'.repeat(exponent)}.0`;
  if (point > 0 && point <= LARGEST_PLAIN_EXPONENT) return `${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point > SMALLEST_PLAIN_EXPONENT && point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  const rest = digits.slice(1);
  return `${digits.charAt(0)}${rest === '' ? '' : `.${rest}`}e${point - 1}`;
}

/** A number as C's `%.20g` prints it, as in `Number not an integer: 2.5`. */
export function exactNumberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = ''] = roundedHalfEven(value).split('e');
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace('-', '').replace('.', '').replace(/0+$/, '');
  if (exponent < -4 || exponent >= PRECISION) {
    const rest = digits.slice(1);
    const power = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${digits.charAt(0)}${rest === '' ? '' : `.${rest}`}e${exponent < 0 ? '-' : '+'}${power}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

// JavaScript rounds ties up, C to the even digit. A tie has few digits beyond the precision.
function roundedHalfEven(value: number): string {
  const up = value.toExponential(PRECISION - 1);
  const [, last = '', rest = ''] = /(\d)(\d{40})e/.exec(value.toExponential(PRECISION + 39)) ?? [];
  if (!/^50*$/.test(rest) || Number(last) % 2 === 1) return up;
  return up.replace(/\de/, `${last}e`);
}

/** A number that must be finite to be a datum; raises QUERY_LOGIC without an origin. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw logicError(`Non-finite number: ${exactNumberText(value)}`);
}

/** Whether a number is an integer to the server. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= LARGEST_INTEGER;
}

/** The text of the error for a number that is not an integer. */
export function notAnInteger(value: number): string {
  const range = value < -LARGEST_INTEGER ? ' (<-2^53)' : value > LARGEST_INTEGER ? ' (>2^53)' : '';
  return `Number not an integer${range}: ${exactNumberText(value)}`;
}

/** A number that must be an integer; raises QUERY_LOGIC without an origin. */
export function asInteger(value: number): number {
  if (isInteger(value)) return value;
  throw logicError(notAnInteger(value));
}
