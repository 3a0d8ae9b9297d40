import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addExactly, exactValue, NOTHING_SUMMED, subtractExactly } from '../../../rewrite/aggregates/exact-sum-fold.ts';
import { compileFunction, createContext, pureTerms } from '../../../rewrite/eval/index.ts';
import type { Datum } from '../../../rewrite/reql/datum.ts';
import { builder } from '../../../rewrite/term/build.ts';
import { exactSum } from '../../support/exact-double.ts';

let id = 0;
const t = builder(undefined, () => ++id);
const context = createContext({ terms: pureTerms });
const add = compileFunction(
  t.func((state, x) => addExactly(t, state, x), 2),
  context,
);
const subtract = compileFunction(
  t.func((state, x) => subtractExactly(t, state, x), 2),
  context,
);
const value = compileFunction(
  t.func((state) => exactValue(t, state), 1),
  context,
);

const double = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e300, max: 1e300 });
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -9, max: 9 }).map((cents) => cents / 100),
  fc.constantFrom(0.1, 0.2, 0.3, 1e16, -1e16, 1e300, 5e-324, 2 ** 52, 2 ** 52 - 1, -(2 ** 51) - 0.5, 2 ** 53 + 2),
  double,
);

/** Whether two doubles are neighbors or the same. */
function within1Ulp(a: number, b: number): boolean {
  const size = Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) <= Math.max(size * 2 ** -52, Number.MIN_VALUE);
}

test('after any history the sum is within an ulp of the exact one', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 25 }), fc.nat(25), (numbers, stay) => {
      let state: Datum = NOTHING_SUMMED;
      for (const x of numbers) state = add(state, x);
      for (const x of numbers.slice(stay)) state = subtract(state, x);
      const [found, expected] = [value(state), exactSum(numbers.slice(0, stay))];
      if (typeof found !== 'number' || !within1Ulp(found, expected)) expect(found).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});

test('when all numbers are gone the state is what it was before the first', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 25 }), fc.infiniteStream(fc.nat()), (numbers, order) => {
      let state: Datum = NOTHING_SUMMED;
      for (const x of numbers) state = add(state, x);
      const shuffled = numbers.map((x) => ({ x, at: order.next().value ?? 0 })).sort((a, b) => a.at - b.at);
      for (const { x } of shuffled) state = subtract(state, x);
      expect(state).toBe(NOTHING_SUMMED);
    }),
    { numRuns: 1000 },
  );
});

test('what is no number raises what `sum` raises', () => {
  expect(() => add(NOTHING_SUMMED, 's')).toThrow('Expected type NUMBER but found STRING.');
  expect(() => add([0.5, 0, []], 's')).toThrow('Expected type NUMBER but found STRING.');
  expect(() => add(NOTHING_SUMMED, { $reql_type$: 'TIME', epoch_time: 1, timezone: 'Z' })).toThrow(
    'Expected type NUMBER but found PTYPE<TIME>.',
  );
});

test('a sum beyond the doubles raises what `sum` raises', () => {
  expect(() => add(add(NOTHING_SUMMED, 1e308), 1e308)).toThrow('Non-finite number: inf');
});
