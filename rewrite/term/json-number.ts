// Numbers as RethinkDB reads them. Its JSON reader (rapidjson at normal precision) is not the correctly rounding one of
// JavaScript: `-0` is the integer 0 while `-0.0` is negative zero, integers are exact up to 64 bits and then round at
// every digit, and a number with many digits and an exponent may be off by a unit in the last place.

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_UINT64 = 18446744073709551615n;
const MIN_INT64_DIGITS = 9223372036854775808n;
/** The most decimal digits a fraction contributes. */
const SIGNIFICANT_DIGITS = 17;
const LARGEST_EXPONENT = 308;

/** A number read from a text, and the offset after it. */
export interface ReadNumber {
  readonly value: number;
  readonly end: number;
}

/**
 * Reads the number that starts at `start`. `undefined` where there is none, or one that the server refuses as too big
 * (an exponent above 308). The value may be infinite: the server reads such numbers and refuses them as data later.
 */
export function readNumber(source: string, start: number): ReadNumber | undefined {
  const minus = source.charAt(start) === '-';
  const from = minus ? start + 1 : start;
  let end = digitsEnd(source, from);
  if (source.charAt(from) === '0') end = from + 1;
  if (end === from) return undefined;
  const next = source.charAt(end);
  if (next !== '.' && next !== 'e' && next !== 'E') {
    const value = readInteger(source.slice(from, end), minus);
    // Subtracting keeps `-0` the integer 0.
    return value === undefined ? undefined : { value: minus ? 0 - value : value, end };
  }
  return readDouble(source, from, end, minus);
}

function digitsEnd(source: string, start: number): number {
  let at = start;
  for (;;) {
    const code = source.charCodeAt(at);
    if (!(code >= 0x30 && code <= 0x39)) return at;
    at += 1;
  }
}

/** Integers are exact in 64 bits and then convert once; longer ones round digit by digit. */
function readInteger(digits: string, minus: boolean): number | undefined {
  if (digits.length <= 15) return Number(digits);
  const limit = minus ? MIN_INT64_DIGITS : MAX_UINT64;
  let exact = BigInt(digits.slice(0, 15));
  for (let at = 15; at < digits.length; at++) {
    const longer = exact * 10n + BigInt(digits.charAt(at));
    if (longer > limit) return readDigits(Number(exact), digits, at);
    exact = longer;
  }
  return Number(exact);
}

function readDigits(significand: number, digits: string, from: number): number | undefined {
  let value = significand;
  for (let at = from; at < digits.length; at++) {
    if (value >= Number.MAX_VALUE / 10) return undefined;
    value = value * 10 + Number(digits.charAt(at));
  }
  return value;
}

function readDouble(source: string, from: number, integerEnd: number, minus: boolean): ReadNumber | undefined {
  const integer = source.slice(from, integerEnd);
  let end = integerEnd;
  let significand = readInteger(integer, minus);
  if (significand === undefined) return undefined;
  let exponent = 0;
  if (source.charAt(end) === '.') {
    end = digitsEnd(source, integerEnd + 1);
    if (end === integerEnd + 1) return undefined;
    const fraction = readFraction(integer, significand, source.slice(integerEnd + 1, end), minus);
    significand = fraction.significand;
    exponent = fraction.exponent;
  }
  const letter = source.charAt(end);
  if (letter === 'e' || letter === 'E') {
    const sign = source.charAt(end + 1);
    const exponentStart = sign === '+' || sign === '-' ? end + 2 : end + 1;
    end = digitsEnd(source, exponentStart);
    if (end === exponentStart) return undefined;
    const written = Number(source.slice(exponentStart, end));
    if (sign !== '-' && written > LARGEST_EXPONENT) return undefined;
    exponent += sign === '-' ? -written : written;
  }
  const value = scale(significand, exponent);
  return { value: minus ? -value : value, end };
}

interface Fraction {
  readonly significand: number;
  readonly exponent: number;
}

/** Takes the digits after the point into the significand, exactly while it fits 53 bits, then as doubles. */
function readFraction(integer: string, integerValue: number, fraction: string, minus: boolean): Fraction {
  let digits = integer === '0' ? 0 : integer.length - 1;
  let significand = integerValue;
  let exponent = 0;
  let at = 0;
  if (fitsInt64(integer, minus)) {
    let exact = BigInt(integer);
    while (at < fraction.length && exact <= MAX_SAFE) {
      exact = exact * 10n + BigInt(fraction.charAt(at));
      at += 1;
      exponent -= 1;
      if (exact !== 0n) digits += 1;
    }
    significand = Number(exact);
  }
  for (; at < fraction.length && digits < SIGNIFICANT_DIGITS; at++) {
    significand = significand * 10 + Number(fraction.charAt(at));
    exponent -= 1;
    if (significand !== 0) digits += 1;
  }
  return { significand, exponent };
}

function fitsInt64(integer: string, minus: boolean): boolean {
  return integer.length < 19 || BigInt(integer) <= (minus ? MIN_INT64_DIGITS : MAX_UINT64);
}

function scale(significand: number, exponent: number): number {
  if (exponent >= -LARGEST_EXPONENT) return scaleOnce(significand, exponent);
  return scaleOnce(scaleOnce(significand, -LARGEST_EXPONENT), exponent + LARGEST_EXPONENT);
}

function scaleOnce(significand: number, exponent: number): number {
  if (exponent < -LARGEST_EXPONENT) return 0;
  return exponent >= 0 ? significand * powerOfTen(exponent) : significand / powerOfTen(-exponent);
}

/** Parsing the literal is exact where `10 ** n` need not be. */
function powerOfTen(exponent: number): number {
  return Number(`1e${exponent}`);
}
