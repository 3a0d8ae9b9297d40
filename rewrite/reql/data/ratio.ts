// Ratios of whole numbers as doubles: exact until the one rounding, to nearest, halves to even.

/** A ratio of whole numbers; the denominator is positive. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** The bits of a double's significand. */
const PRECISION = 53;
/** The exponent of the least double. */
const LEAST = -1074;
/** So many bits of a quotient tell how to round it, if what is below them is known to be zero or not. */
const ENOUGH = PRECISION + 2;
/** The places of a double are looked for in steps of so many bits. */
const STEP = 64;

/** The double nearest to a ratio; infinite where none holds it, never -0. */
export function nearest({ numerator, denominator }: Ratio): number {
  if (numerator < 0n) return 0 - nearest({ numerator: -numerator, denominator });
  if (numerator === 0n) return 0;
  const places = ENOUGH - bitLength(numerator) + bitLength(denominator);
  const [quotient, isExact] = quotientOf(numerator, denominator, places);
  return rounded(quotient, isExact, -places);
}

/** The double nearest to the square root of a ratio that is not negative. */
export function nearestRoot({ numerator, denominator }: Ratio): number {
  if (numerator === 0n) return 0;
  const places = ENOUGH - Math.floor((bitLength(numerator) - bitLength(denominator)) / 2) + 1;
  const [square, isExact] = quotientOf(numerator, denominator, 2 * places);
  const root = floorRoot(square);
  return rounded(root, isExact && root * root === square, -places);
}

/** A double without rounding: `units` of 2^-places. */
export interface Units {
  readonly units: bigint;
  /** A multiple of 64, the least that will do: doubles of like size have the same. */
  readonly places: number;
}

/** A finite double without rounding. */
export function unitsOf(x: number): Units {
  let units = x;
  let places = 0;
  // A number that is no integer is small, so that no step overflows.
  while (!Number.isInteger(units)) {
    units *= 2 ** STEP;
    places += STEP;
  }
  return { units: BigInt(units), places };
}

/** A number as the shortest decimal that denotes it, which is how people write it: 0.1 is a tenth. */
export function decimal(x: number): Ratio {
  const [digits = '', exponent = '0'] = String(x).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const places = fraction.length - Number(exponent);
  const numerator = BigInt(whole + fraction);
  if (places <= 0) return { numerator: numerator * 10n ** BigInt(-places), denominator: 1n };
  return { numerator, denominator: 10n ** BigInt(places) };
}

/** How many bits a positive number has. */
function bitLength(x: bigint): number {
  const digits = x.toString(16);
  return 4 * digits.length + 28 - Math.clz32(Number.parseInt(digits.charAt(0), 16));
}

/** The ratio times 2^places, rounded down, and whether nothing was lost. */
function quotientOf(numerator: bigint, denominator: bigint, places: number): readonly [bigint, boolean] {
  const above = places > 0 ? numerator << BigInt(places) : numerator;
  const below = places < 0 ? denominator << BigInt(-places) : denominator;
  const quotient = above / below;
  return [quotient, quotient * below === above];
}

/** The double nearest to x·2^exponent, and to a little more than that where x is not exact. */
function rounded(x: bigint, isExact: boolean, exponent: number): number {
  const unit = Math.max(bitLength(x) - PRECISION + exponent, LEAST);
  const dropped = BigInt(unit - exponent);
  const kept = x >> dropped;
  const rest = x - (kept << dropped);
  const half = 1n << (dropped - 1n);
  const isUp = rest > half || (rest === half && (!isExact || (kept & 1n) === 1n));
  return Number(isUp ? kept + 1n : kept) * 2 ** unit;
}

/** The square root, rounded down: Newton's steps from above. */
function floorRoot(square: bigint): bigint {
  let root = BigInt(Math.ceil(Math.sqrt(Number(square)))) + 1n;
  root += root >> 50n;
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
