import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExactSum } from '../../../rewrite/aggregates/state/exact-sum.ts';
import { exactSum } from '../../support/checks/exact-double.ts';

const double = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.1, 0.2, 1e16, -1e16, 1e300, 5e-324), double);

test('the sum is the exact sum, rounded once', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 30 }), (numbers) => {
      const sum = new ExactSum();
      for (const x of numbers) sum.add(x);
      expect(sum.value).toBe(exactSum(numbers));
    }),
    { numRuns: 2000 },
  );
});

test('what was added and taken off again leaves no trace', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 30 }), fc.nat(30), (numbers, stay) => {
      const sum = new ExactSum();
      for (const x of numbers) sum.add(x);
      for (const x of numbers.slice(stay)) sum.subtract(x);
      expect(sum.value).toBe(exactSum(numbers.slice(0, stay)));
    }),
    { numRuns: 2000 },
  );
});

test('small numbers survive large ones', () => {
  const sum = new ExactSum();
  for (const x of [1e16, 1, 1e300, 1e-300]) sum.add(x);
  for (const x of [1e16, 1e300]) sum.subtract(x);
  expect(sum.value).toBe(1);
  sum.subtract(1);
  expect(sum.value).toBe(1e-300);
});

test('a sum that overflows on the way is right once it fits again', () => {
  const sum = new ExactSum();
  for (const x of [1e308, 1e308, 3]) sum.add(x);
  expect(sum.value).toBe(Number.POSITIVE_INFINITY);
  sum.subtract(1e308);
  expect(sum.value).toBe(1e308);
  sum.subtract(1e308);
  expect(sum.value).toBe(3);
});

test('the least number there is decides a tie between huge ones', () => {
  for (const numbers of [
    [5e-324, 1e300, 9.174860240509059e299],
    [-2, 5e-324, -9.174860240508865e299, -3.348483088125823e299, 2],
  ]) {
    const sum = new ExactSum();
    for (const x of numbers) sum.add(x);
    expect(sum.value).toBe(exactSum(numbers));
  }
});
