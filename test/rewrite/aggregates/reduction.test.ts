import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Accumulator } from '../../../rewrite/aggregates/aggregate.ts';
import { aggregateFor } from '../../../rewrite/aggregates/index.ts';
import { deriveReverse } from '../../../rewrite/reductions/derive-reverse.ts';
import { ReductionTree } from '../../../rewrite/reductions/reduction-tree.ts';
import { equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';
import { createContext, pureTerms } from '../../../rewrite/reql/eval/index.ts';
import { funcParts } from '../../../rewrite/reql/term/vars.ts';
import { evaluate } from '../../support/evaluate.ts';

const derivations: readonly [func: string, derived: unknown][] = [
  ['(a, b) => a.add(b)', { kind: 'sum', plus: 0 }],
  ['(a, b) => b.add(a)', { kind: 'sum', plus: 0 }],
  ['(a, b) => r.add(1, a, 2, b)', { kind: 'sum', plus: 3 }],
  ['(a, b) => a.add(b.add(1))', { kind: 'sum', plus: 1 }],
  ['(a, b) => a.default(0).add(b.default(0))', { kind: 'sum', plus: 0 }],
  ['(a, b) => a.add(a)', undefined],
  ['(a, b) => a.add(b).add(b)', undefined],
  ['(a, b) => a.add("x")', undefined],
  ['(a, b) => a.mul(b)', undefined],
  ['(a, b) => a.sub(b)', undefined],
  ['(a, b) => r.branch(a.gt(b), a, b)', { kind: 'max' }],
  ['(a, b) => r.branch(a.gt(b), b, a)', { kind: 'min' }],
  ['(a, b) => r.branch(b.le(a), b, a)', { kind: 'min' }],
  ['(a, b) => r.branch(a.lt(b), b, a)', { kind: 'max' }],
  ['(a, b) => r.branch(a.gt(b), a, a)', undefined],
  ['(a, b) => r.branch(a.gt(1), a, b)', undefined],
  ['(a, b) => ({n: a("n").add(b("n"))})', { kind: 'object', fields: new Map([['n', { kind: 'sum', plus: 0 }]]) }],
  ['(a, b) => ({n: a("m").add(b("m"))})', undefined],
  ['(a, b) => ({n: a("n").add(b("n")), k: 1})', undefined],
  [
    '(a, b) => a.merge({n: a("n").add(b("n"))})',
    { kind: 'object', fields: new Map([['n', { kind: 'sum', plus: 0 }]]) },
  ],
  [
    '(a, b) => [a(0).add(b(0)), a.nth(1).add(b.nth(1))]',
    { kind: 'array', items: Array(2).fill({ kind: 'sum', plus: 0 }) },
  ],
  ['(a, b) => [a(1).add(b(1))]', undefined],
];

for (const [func, derived] of derivations) {
  test(`${func} is ${derived === undefined ? 'nothing that can be undone' : 'undone by its structure'}`, () => {
    expect(deriveReverse(evaluate(func))).toEqual(derived);
  });
}

test('a function of the wrong number of variables is nothing that can be undone', () => {
  expect(deriveReverse(evaluate('a => a'))).toBeUndefined();
  expect(funcParts(evaluate('a => a'))?.params.length).toBe(1);
});

function reduced(query: string): Accumulator {
  const term = evaluate(`r.expr([]).${query}`);
  if (term.kind !== 'call') throw new TypeError('no call');
  const aggregate = aggregateFor(term);
  if (aggregate === undefined) throw new TypeError('no aggregate');
  return aggregate.accumulator(term, createContext({ terms: pureTerms }));
}

test('a sum whose only element is a string shows it, and fails where f fails', () => {
  const sum = reduced('reduce((a, b) => a.add(b))');
  sum.apply(1);
  sum.unapply(1);
  sum.apply('a');
  expect(sum.value()).toBe('a');
  sum.apply('a');
  expect(sum.value()).toBe('aa');
  sum.apply(1);
  expect(sum.value()).toBeInstanceOf(ReqlError);
  sum.unapply('a');
  sum.unapply('a');
  expect(sum.value()).toBe(1);
});

test('one element of a reduction is shown as it is, whatever f would make of it', () => {
  const sum = reduced('reduce((a, b) => ({n: a("n").add(b("n"))}))');
  sum.apply({ id: 1, n: 2 });
  expect(sum.value()).toEqual({ id: 1, n: 2 });
  sum.apply({ n: 3 });
  expect(sum.value()).toEqual({ n: 5 });
  sum.unapply({ n: 3 });
  expect(sum.value()).toEqual({ id: 1, n: 2 });
});

test('a reduction of nothing has no value', () => {
  for (const query of [
    'reduce((a, b) => a.add(b))',
    'reduce((a, b) => a.mul(b))',
    'reduce((a, b) => a, (a, b) => a)',
  ]) {
    const error = reduced(query).value();
    expect(error instanceof ReqlError ? error.message : error).toBe('Cannot reduce over an empty stream.');
  }
});

test('a function that cannot run away from the server is refused by name', () => {
  expect(() => reduced('reduce((a, b) => r.table("t").count())')).toThrow('RethinkDB alone can evaluate `table`.');
});

test('a function or a reverse of the wrong number of arguments is refused', () => {
  expect(() => reduced('reduce(a => a)')).toThrow(
    'Expected function with 2 arguments but found function with 1 argument.',
  );
  expect(() => reduced('reduce((a, b) => a.add(b), (a, b, c) => a)')).toThrow('found function with 3 arguments.');
  expect(() => reduced('reduce((a, b) => a, {reverse: 1})')).toThrow('Expected a function.');
});

test('a tree calls the function as often as it is deep for one change', () => {
  let calls = 0;
  const tree = new ReductionTree((a, b) => {
    calls += 1;
    return Math.max(Number(a), Number(b));
  });
  for (let i = 0; i < 1024; i++) tree.add(i);
  expect(tree.value).toBe(1023);
  calls = 0;
  tree.remove(1023);
  tree.add(5000);
  expect(tree.value).toBe(5000);
  expect(calls).toBe(10);
});

test('a tree is its function over what was added and not removed', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean()), { maxLength: 80 });
  fc.assert(
    fc.property(steps, (history) => {
      const tree = new ReductionTree((a, b) => Number(a) + Number(b));
      const held: number[] = [];
      for (const [x, add] of history) {
        const at = held.indexOf(x);
        if (add) {
          held.push(x);
          tree.add(x);
        } else if (at >= 0) {
          held.splice(at, 1);
          tree.remove(x);
        }
        expect(tree.size).toBe(held.length);
        expect(tree.value).toBe(held.length === 0 ? undefined : held.reduce((a, b) => a + b));
      }
    }),
    { numRuns: 300 },
  );
});

/** Pairs that are no reverse, with the elements that show it. */
const wrong: readonly [func: string, reverse: string, elements: fc.Arbitrary<Datum>][] = [
  ['(a, b) => a.add(b)', '(a, b) => a', fc.constantFrom(0, 1, 2)],
  ['(a, b) => a.add(b)', '(a, b) => r.branch(b.lt(0), a, a.sub(b))', fc.constantFrom(-1, 0, 1)],
  ['(a, b) => a.add(b)', '(a, b) => r.branch(a.gt(4), a.sub(b).add(1), a.sub(b))', fc.constantFrom(1, 2, 3)],
  ['(a, b) => a.mul(b)', '(a, b) => a.div(b)', fc.constantFrom(0, 1, 2, 4)],
  ['(a, b) => r.branch(a.gt(b), a, b)', '(a, b) => a', fc.constantFrom(1, 2, 3, 4)],
  ['(a, b) => r.branch(a.lt(b), a, b)', '(a, b) => r.branch(a.eq(b), a.add(1), a)', fc.constantFrom(1, 2, 3, 4)],
  ['(a, b) => a.add(b)', '(a, b) => a.add(b)', fc.constantFrom(0, 1)],
  ['(a, b) => a.add(b)', '(a, b) => b.sub(a)', fc.constantFrom(0, 1, 2)],
];

for (const [func, reverse, elements] of wrong) {
  test(`reduce(${func}, ${reverse}) never shows a wrong value, and is reported`, () => {
    const steps = fc.array(fc.tuple(fc.nat(4), fc.option(elements, { nil: undefined, freq: 3 })), { maxLength: 30 });
    let warned = 0;
    fc.assert(
      fc.property(steps, (history) => {
        const found = reduced(`reduce(${func}, ${reverse})`);
        const expected = reduced(`reduce(${func})`);
        const there = new Map<number, Datum>();
        for (const [place, datum] of history) {
          const old = there.get(place);
          for (const one of [found, expected]) {
            if (old !== undefined) one.unapply(old);
            if (datum !== undefined) one.apply(datum);
          }
          if (datum === undefined) there.delete(place);
          else there.set(place, datum);
          expectSame(found.value(), expected.value());
        }
        if (found.warning !== undefined) warned += 1;
      }),
      { numRuns: 200 },
    );
    expect(warned).toBeGreaterThan(0);
  });
}

function expectSame(found: Datum | ReqlError, expected: Datum | ReqlError): void {
  if (found instanceof ReqlError || expected instanceof ReqlError) {
    expect(found instanceof ReqlError ? found.message : found).toBe(
      expected instanceof ReqlError ? expected.message : 0,
    );
  } else if (!equalDatums(found, expected)) {
    expect(found).toEqual(expected);
  }
}

const cents = fc.integer({ min: -99_999, max: 99_999 }).map((x) => x / 100);

test('a right reverse is believed', () => {
  const sum = reduced('reduce((a, b) => a.add(b), (a, b) => a.sub(b))');
  fc.assert(
    fc.property(fc.array(cents, { maxLength: 20 }), (numbers) => {
      for (const x of numbers) sum.apply(x);
      for (const x of numbers) sum.unapply(x);
      expect(sum.warning).toBeUndefined();
    }),
  );
});

test('what rounding would lose of few elements on the way through a reverse is not lost', () => {
  const sum = reduced('reduce((a, b) => a.add(b), (a, b) => a.sub(b))');
  for (const x of [1e16, 1]) sum.apply(x);
  sum.unapply(1e16);
  expect(sum.value()).toBe(1);
  expect(sum.warning).toBeUndefined();
});

test('base and emit are the recipe of the client', () => {
  const query =
    'reduce((acc, x) => ({n: acc("n").add(1), s: acc("s").add(x)}), {reverse: (acc, x) => ({n: acc("n").sub(1), s: acc("s").sub(x)}), base: {n: 0, s: 0}, emit: acc => acc("s")})';
  const recipe = reduced(query);
  expect(recipe.value()).toBe(0);
  for (const x of [1, 2, 4]) recipe.apply(x);
  recipe.unapply(2);
  expect(recipe.value()).toBe(5);
  expect(recipe.warning).toBeUndefined();
});

test('a reverse that fails is told with the smallest values', () => {
  const sum = reduced('reduce((a, b) => a.add(b), (a, b) => a)');
  for (const x of [500, 0, 70, 1]) sum.apply(x);
  sum.unapply(500);
  expect(sum.value()).toBe(71);
  expect(sum.warning).toEqual({
    law: 'the reverse undoes the function',
    counterexample: 'acc 0, 500, expected 0, found 500',
  });
});
