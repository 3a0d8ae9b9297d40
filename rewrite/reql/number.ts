// Numbers as the server prints and checks them: JSON text as rapidjson writes it, `%.20g` in error texts, integers
// within 2^53.

import { logicError } from './error.ts';

/** The largest magnitude of an integer: 2^53, one above what JavaScript calls safe. */
export const LARGEST_INTEGER = 2 ** 53;
const PRECISION = 20;
/** Exponents from here on are written with an `e`. */
const LARGEST_PLAIN_EXPONENT = 21;

/** The JSON text of a finite number: integers plain up to 2^53, larger ones with `.0`, `-0.0` for negative zero. */
export function numberText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isInteger(value)) {
    if (Math.abs(value) <= LARGEST_INTEGER) return String(value);
    if (Math.abs(value) < 10 ** LARGEST_PLAIN_EXPONENT) return `${value}.0`;
  }
  // JavaScript and rapidjson agree on the digits and on where an exponent starts, but for the plus sign.
  return String(value).replace('e+', 'e');
}

/** A number as C's `%.20g` prints it, as in `Number not an integer: 2.5`. */
export function exactNumberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = ''] = value.toExponential(PRECISION - 1).split('e');
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
