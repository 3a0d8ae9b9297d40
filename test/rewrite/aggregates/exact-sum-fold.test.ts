import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addExactly,
  exactValue,
  NOTHING_SUMMED,
  subtractExactly,
} from '../../../rewrite/aggregates/state/exact-sum-fold.ts';
import { builder } from '../../../rewrite/reql/build/build.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { compileFunction, createContext, pureTerms } from '../../../rewrite/reql/eval/index.ts';
import { exactSum } from '../../support/checks/exact-double.ts';

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
  fc.constantFrom(-0, 0.1, 0.2, 0.3, 1e16, -1e16, 1e300, 5e-324, 2 ** 52, 2 ** 52 - 1, -(2 ** 51) - 0.5, 2 ** 53 + 2),
  double,
);

test('after any history the sum is the exact one, rounded once', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 25 }), fc.nat(25), (numbers, stay) => {
      let state: Datum = NOTHING_SUMMED;
      for (const x of numbers) state = add(state, x);
      for (const x of numbers.slice(stay)) state = subtract(state, x);
      expect(value(state)).toBe(exactSum(numbers.slice(0, stay)));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['up', [2 ** 53, 1, 5e-324], 2 ** 53 + 2],
  ['to even', [2 ** 53, 1], 2 ** 53],
  ['down', [2 ** 53 + 2, 1, -5e-324], 2 ** 53 + 2],
  ['to even, up', [2 ** 53 + 2, 1], 2 ** 53 + 4],
  ['away from zero', [-(2 ** 53), -1, -5e-324], -(2 ** 53) - 2],
])('what is half way between two doubles goes %s', (_where, numbers, expected) => {
  expect(value(numbers.reduce<Datum>(add, NOTHING_SUMMED))).toBe(expected);
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
