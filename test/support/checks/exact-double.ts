// The exact sum of doubles by big integers, as the oracle for sums that claim to be exact.

const UNIT = 1074n;
const MANTISSA = 52n;

/** A finite double as a whole multiple of 2^-1074. */
export function toUnits(x: number): bigint {
  const bits = new BigUint64Array(new Float64Array([x]).buffer)[0] ?? 0n;
  const exponent = (bits >> MANTISSA) & 0x7ffn;
  const fraction = bits & ((1n << MANTISSA) - 1n);
  const units = exponent === 0n ? fraction : (fraction | (1n << MANTISSA)) << (exponent - 1n);
  return bits >> 63n === 1n ? -units : units;
}

/** The double nearest to a multiple of 2^-1074, halves to even. */
function fromUnits(units: bigint): number {
  const size = units < 0n ? -units : units;
  const extra = BigInt(Math.max(0, size.toString(2).length - 53));
  const kept = size >> extra;
  const rest = size & ((1n << extra) - 1n);
  const half = extra === 0n ? 1n : 1n << (extra - 1n);
  const up = rest > half || (rest === half && extra > 0n && (kept & 1n) === 1n) ? 1n : 0n;
  const scale = Number(extra - UNIT);
  const once = Math.trunc(scale / 2);
  const rounded = Number(kept + up) * 2 ** once * 2 ** (scale - once);
  return units < 0n ? -rounded : rounded;
}

/** The exact sum of finite doubles, rounded once. */
export function exactSum(numbers: readonly number[]): number {
  return fromUnits(numbers.reduce((sum, x) => sum + toUnits(x), 0n));
}
