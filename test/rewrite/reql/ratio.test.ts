import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, nearest, nearestRoot, unitsOf } from '../../../rewrite/reql/data/ratio.ts';
import { toUnits } from '../../support/checks/exact-double.ts';
import { nearest as nearestBySearch } from '../../support/checks/exact-statistics.ts';

const any = fc.double({ noNaN: true, noDefaultInfinity: true });
const whole = fc.oneof(
  fc.bigInt({ min: 0n, max: 20n }),
  fc.bigInt({ min: 0n, max: 1n << 2300n }),
  fc.bigInt(0n, 1n << 60n),
);
const positive = whole.map((x) => x + 1n);

function sign(x: bigint): number {
  return x < 0n ? -1 : x > 0n ? 1 : 0;
}

test('a ratio is the nearest double, as a search among all doubles finds it', () => {
  fc.assert(
    fc.property(whole, positive, fc.boolean(), (size, denominator, isNegative) => {
      const numerator = isNegative ? -size : size;
      const expected = nearestBySearch((halves) => sign((numerator << 1075n) - halves * denominator));
      expect(nearest({ numerator, denominator })).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test('a root is the nearest double, as a search among all doubles finds it', () => {
  fc.assert(
    fc.property(whole, positive, (numerator, denominator) => {
      const expected = nearestBySearch((halves) => sign((numerator << 2150n) - halves * halves * denominator));
      expect(nearestRoot({ numerator, denominator })).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test('a double is its units, and the ratio of them is the double', () => {
  fc.assert(
    fc.property(any, (x) => {
      const { units, places } = unitsOf(x);
      expect(units << BigInt(1088 - places)).toBe(toUnits(x) << 14n);
      expect(nearest({ numerator: units, denominator: 1n << BigInt(places) })).toBe(x + 0);
      expect(nearestRoot({ numerator: units * units, denominator: 1n << BigInt(2 * places) })).toBe(Math.abs(x));
    }),
    { numRuns: 500 },
  );
});

test.each([
  [1n, 3n, 1 / 3],
  [(1n << 53n) + 1n, 1n, 2 ** 53],
  [(1n << 53n) + 3n, 1n, 2 ** 53 + 4],
  [((1n << 53n) + 1n) * 10n + 1n, 10n, 2 ** 53 + 2],
  [1n, 1n << 1074n, 5e-324],
  [1n, 1n << 1075n, 0],
  [3n, 1n << 1075n, 1e-323],
  [-1n, 1n << 1076n, 0],
  [(1n << 1024n) - (1n << 970n) - 1n, 1n, Number.MAX_VALUE],
  [(1n << 1024n) - (1n << 970n), 1n, Number.POSITIVE_INFINITY],
  [-(1n << 1024n), 1n, Number.NEGATIVE_INFINITY],
])('%d / %d rounds to %d', (numerator, denominator, expected) => {
  expect(nearest({ numerator, denominator })).toBe(expected);
});

test.each([
  [2n, 1n, Math.SQRT2],
  [1n, 4n, 0.5],
  [0n, 7n, 0],
  [1n, 1n << 2148n, 5e-324],
  [1n << 2048n, 1n, Number.POSITIVE_INFINITY],
])('the root of %d / %d is %d', (numerator, denominator, expected) => {
  expect(nearestRoot({ numerator, denominator })).toBe(expected);
});

test.each([
  [0, 0n, 1n],
  [1, 1n, 1n],
  [0.95, 95n, 100n],
  [0.1, 1n, 10n],
  [1e-7, 1n, 10n ** 7n],
  [2.5e-7, 25n, 10n ** 8n],
  [5e-324, 5n, 10n ** 324n],
  [1e21, 10n ** 21n, 1n],
])('%d is the decimal %d / %d', (x, numerator, denominator) => {
  expect(decimal(x)).toEqual({ numerator, denominator });
});
