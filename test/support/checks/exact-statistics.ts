// Variances, standard deviations and quantiles by big integers, as the oracle for aggregates that claim to be exact. The double
// nearest to a value is looked for among all doubles, by comparisons with the value alone.

import { exactSum, toUnits } from './exact-double.ts';

/** What is known of some numbers; null where they have none. */
export type Statistic = (numbers: readonly number[]) => number | null;

/** A part of a whole: of how many how many. */
export type Part = readonly [numerator: number, denominator: number];

const LARGEST = 0x7fefffffffffffffn;
const BEYOND = 1n << (1024n + 1074n);

export const sum: Statistic = exactSum;
export const avg: Statistic = (numbers) => (numbers.length === 0 ? null : exactSum(numbers) / numbers.length);
export const variance: Statistic = (numbers) => ofDeviations(numbers, 0, varianceSign);
export const sampleVariance: Statistic = (numbers) => ofDeviations(numbers, 1, varianceSign);
export const stddev: Statistic = (numbers) => ofDeviations(numbers, 0, rootSign);
export const sampleStddev: Statistic = (numbers) => ofDeviations(numbers, 1, rootSign);
export const median: Statistic = quantile([1, 2]);

/** The quantile: the number at the rank part·(n-1), from 0, and between two of them what lies on the line from one to the other. */
export function quantile([numerator, denominator]: Part): Statistic {
  return (numbers) => {
    const sorted = numbers.map(toUnits).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const rank = numerator * (sorted.length - 1);
    const [low, high] = [Math.floor(rank / denominator), Math.ceil(rank / denominator)].map((at) => sorted[at]);
    if (low === undefined || high === undefined) return null;
    const whole = BigInt(denominator);
    const value = low * whole + (high - low) * BigInt(rank % denominator);
    return nearest((halves) => sign(2n * value - halves * whole));
  };
}

// The sums are in units of 2^-1074 and 2^-2148, what they are compared with in units of 2^-1075.
type SignOf = (deviations: bigint, divisor: bigint, halves: bigint) => number;

const varianceSign: SignOf = (deviations, divisor, halves) => sign(deviations - ((halves * divisor) << 1073n));
const rootSign: SignOf = (deviations, divisor, halves) => sign(4n * deviations - halves * halves * divisor);

function ofDeviations(numbers: readonly number[], less: number, signOf: SignOf): number | null {
  if (numbers.length <= less) return null;
  const n = BigInt(numbers.length);
  const units = numbers.map(toUnits);
  // Not the formula of the accumulator: each distance by itself, n times as long.
  const total = units.reduce((all, x) => all + x, 0n);
  const distances = units.map((x) => n * x - total);
  const squares = distances.reduce((all, d) => all + d * d, 0n);
  return nearest((halves) => signOf(squares, n * n * (n - BigInt(less)), halves));
}

/**
 * The double nearest to a value, halves to even.
 * @param signOf the sign of the value less a number of units of 2^-1075
 */
export function nearest(signOf: (halves: bigint) => number): number {
  if (signOf(0n) < 0) return 0 - nearest((halves) => -signOf(-halves));
  let below = 0n;
  let above = LARGEST;
  while (below < above) {
    const middle = (below + above + 1n) >> 1n;
    if (signOf(2n * toUnits(fromBits(middle))) < 0) above = middle - 1n;
    else below = middle;
  }
  const next = below === LARGEST ? BEYOND : toUnits(fromBits(below + 1n));
  const side = signOf(toUnits(fromBits(below)) + next);
  return side > 0 || (side === 0 && (below & 1n) === 1n) ? fromBits(below + 1n) : fromBits(below);
}

function fromBits(bits: bigint): number {
  return new Float64Array(new BigUint64Array([bits]).buffer)[0] ?? 0;
}

function sign(x: bigint): number {
  return x < 0n ? -1 : x > 0n ? 1 : 0;
}
