// The digits that rapidjson prints of a double: Grisu2 (Florian Loitsch, "Printing floating-point numbers quickly and
// accurately with integers", 2010). They always read back as the same double, and nearly always are the shortest that do.

/** Digits and the power of ten of the last one: `digits` x 10^`exponent`. */
export interface Decimal {
  readonly digits: string;
  readonly exponent: number;
}

/** A number f x 2^e, with f of 64 bits. */
interface Extended {
  readonly f: bigint;
  readonly e: number;
}

const BITS = 64n;
const HIDDEN = 1n << 52n;
const EXPONENT_BIAS = 1075;
const FIRST_POWER = -348;
const POWER_STEP = 8;
const POWER_COUNT = 87;
/** Where the table of powers in the server's code ends; beyond it, digits stay as they were generated. */
const ROUNDED_DIGITS = 9;

const POWERS: readonly Extended[] = Array.from({ length: POWER_COUNT }, (_, index) =>
  powerOfTen(FIRST_POWER + index * POWER_STEP),
);

function powerOfTen(exponent: number): Extended {
  if (exponent >= 0) return rounded(10n ** BigInt(exponent), 0);
  const shift = 64 + Math.ceil(-exponent * 3.33) + 2;
  return rounded((1n << BigInt(shift + 64)) / 10n ** BigInt(-exponent), -(shift + 64));
}

function rounded(value: bigint, e: number): Extended {
  const excess = bitLength(value) - 64;
  if (excess <= 0) return { f: value << BigInt(-excess), e: e + excess };
  const f = ((value >> BigInt(excess - 1)) + 1n) >> 1n;
  return f >> BITS === 0n ? { f, e: e + excess } : { f: f >> 1n, e: e + excess + 1 };
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

function normalized({ f, e }: Extended): Extended {
  const shift = 64 - bitLength(f);
  return { f: f << BigInt(shift), e: e - shift };
}

function times(a: Extended, b: Extended): Extended {
  const product = a.f * b.f;
  const up = (product >> 63n) & 1n;
  return { f: (product >> BITS) + up, e: a.e + b.e + 64 };
}

/** The digits of a finite number above 0. */
export function grisu2(value: number): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n);
  const fraction = bits & (HIDDEN - 1n);
  const v: Extended =
    biased === 0 ? { f: fraction, e: 1 - EXPONENT_BIAS } : { f: fraction + HIDDEN, e: biased - EXPONENT_BIAS };
  const above = normalized({ f: (v.f << 1n) + 1n, e: v.e - 1 });
  const near: Extended = v.f === HIDDEN ? { f: (v.f << 2n) - 1n, e: v.e - 2 } : { f: (v.f << 1n) - 1n, e: v.e - 1 };
  const below: Extended = { f: near.f << BigInt(near.e - above.e), e: above.e };
  const k = Math.ceil((-61 - above.e) * 0.30102999566398114 + 347);
  const index = (k >> 3) + 1;
  const power = POWERS[index] ?? { f: 0n, e: 0 };
  const scaled = times(normalized(v), power);
  const high = { f: times(above, power).f - 1n, e: times(above, power).e };
  const low = times(below, power).f + 1n;
  return generate(scaled.f, high, high.f - low, -(FIRST_POWER + index * POWER_STEP));
}

// Digits of the upper bound, as many as are needed to stay within `interval` below it.
function generate(scaled: bigint, high: Extended, interval: bigint, exponent: number): Decimal {
  const shift = BigInt(-high.e);
  const one = 1n << shift;
  const distance = high.f - scaled;
  const whole = (high.f >> shift).toString();
  let rest = high.f;
  let unit = one * 10n ** BigInt(whole.length - 1);
  for (let i = 0; i < whole.length; i++) {
    rest %= unit;
    if (rest <= interval) {
      const digits = whole.slice(0, i + 1);
      return settle(digits, exponent + whole.length - i - 1, { rest, unit, interval, distance });
    }
    unit /= 10n;
  }
  return generateFraction(whole === '0' ? '' : whole, { rest, one, interval, distance }, exponent);
}

interface Fraction {
  readonly rest: bigint;
  readonly one: bigint;
  readonly interval: bigint;
  readonly distance: bigint;
}

function generateFraction(
  whole: string,
  { rest: first, one, interval: width, distance }: Fraction,
  exponent: number,
): Decimal {
  let digits = whole;
  let rest = first;
  let interval = width;
  for (let count = 1; ; count++) {
    rest *= 10n;
    interval *= 10n;
    const digit = rest / one;
    if (digit !== 0n || digits !== '') digits += digit.toString();
    rest %= one;
    if (rest < interval) {
      const scaledDistance = count <= ROUNDED_DIGITS ? distance * 10n ** BigInt(count) : 0n;
      return settle(digits, exponent - count, { rest, unit: one, interval, distance: scaledDistance });
    }
  }
}

interface Settling {
  readonly rest: bigint;
  readonly unit: bigint;
  readonly interval: bigint;
  readonly distance: bigint;
}

// Lowers the last digit while that comes closer to the number.
function settle(digits: string, exponent: number, { rest: first, unit, interval, distance }: Settling): Decimal {
  let last = digits.charCodeAt(digits.length - 1);
  let rest = first;
  while (
    rest < distance &&
    interval - rest >= unit &&
    (rest + unit < distance || distance - rest > rest + unit - distance)
  ) {
    last -= 1;
    rest += unit;
  }
  return { digits: digits.slice(0, -1) + String.fromCharCode(last), exponent };
}
