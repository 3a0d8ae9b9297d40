// Every aggregate that goes by name against its oracle by big integers, to the last bit: numbers of all sizes come and go in
// any order, and what is shown is the exact value of those that are there, rounded once.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNamed } from '../../rewrite/aggregates/aggregate.ts';
import { aggregates } from '../../rewrite/aggregates/index.ts';
import type { Aggregated } from '../../rewrite/live.ts';
import { recognize } from '../../rewrite/recognize.ts';
import { builder } from '../../rewrite/reql/build/build.ts';
import { freshVars } from '../../rewrite/reql/build/fresh-vars.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { compileFunction, createContext, pureTerms } from '../../rewrite/reql/eval/index.ts';
import type { Statistic } from '../support/checks/exact-statistics.ts';
import { calledAs, type NamedStatistic, namedStatistics, nameIn } from '../support/checks/named-statistics.ts';
import { evaluate } from '../support/evaluate.ts';
import { histories, outcome, walk } from '../support/queries/aggregate-histories.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16),
  fc.integer({ min: -999, max: 999 }).map((cents) => cents / 100),
  fc.constantFrom(-0, 0.1, 0.2, 0.3, 1e16, -1e16, 2 ** 53, 2 ** 53 + 2, 5e-324, -5e-324, 2.2250738585072014e-308),
  fc.constantFrom(1e150, -1e150, Number.MAX_VALUE, -Number.MAX_VALUE),
  finite,
);

/** What the rewriting makes of a call, over a field. */
function aggregatedBy({ call }: NamedStatistic): Aggregated {
  const term = evaluate(`r.table("t")("x").changes({aggregate: ${JSON.stringify(call)}})`);
  const recognized = recognize({ term, globalOptargs: [] });
  if (recognized.kind !== 'live' || recognized.live.watched.kind !== 'aggregate') throw new TypeError('not live');
  return recognized.live.watched;
}

/** What a feed shows: no number is beyond the doubles. */
function expected(of: Statistic, numbers: readonly Datum[]): Datum {
  const value = of(numbers.filter((x) => typeof x === 'number'));
  if (value === null || Number.isFinite(value)) return value;
  return ['error', 3000000, `Non-finite number: ${value > 0 ? 'inf' : '-inf'}`];
}

for (const told of namedStatistics) {
  const { aggregate, term } = aggregatedBy(told);

  test(`${calledAs(told)} is always the exact value of the numbers that are there, rounded once`, () => {
    fc.assert(
      fc.property(histories(number), (history) => {
        const accumulator = aggregate.accumulator(term, createContext({ terms: pureTerms }));
        const change = {
          apply: (x: Datum) => accumulator.apply(x),
          unapply: (x: Datum) => accumulator.unapply(x),
        };
        walk(history, change, (there) => {
          expect(
            outcome(() => accumulator.value()),
            `over ${there}`,
          ).toEqual(expected(told.of, there));
          expect(accumulator.count).toBe(there.length);
        });
      }),
      { numRuns: 80 },
    );
  });

  test(`${calledAs(told)} of numbers that come and go again is that of none`, () => {
    fc.assert(
      fc.property(fc.array(number, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (numbers, order) => {
        const accumulator = aggregate.accumulator(term, createContext({ terms: pureTerms }));
        const nothing = accumulator.value();
        const kept = accumulator.kept;
        for (const x of numbers) accumulator.apply(x);
        const shuffled = numbers.map((x) => ({ x, at: order.next().value ?? 0 })).sort((a, b) => a.at - b.at);
        for (const { x } of shuffled) accumulator.unapply(x);
        expect(accumulator.value()).toBe(nothing);
        expect(accumulator.kept).toBe(kept);
      }),
      { numRuns: 100 },
    );
  });

  test(`${calledAs(told)} raises what avg raises for an element that is no number`, () => {
    for (const [element, type] of [
      ['1', 'STRING'],
      [true, 'BOOL'],
      [[1], 'ARRAY'],
      [{ $reql_type$: 'TIME', epoch_time: 1, timezone: '+00:00' }, 'PTYPE<TIME>'],
    ] as const) {
      const accumulator = aggregate.accumulator(term, createContext({ terms: pureTerms }));
      expect(() => accumulator.apply(element)).toThrow(`Expected type NUMBER but found ${type}.`);
    }
  });

  const { evaluate: inReql } = aggregate;
  if (inReql === undefined) continue;
  test(`${calledAs(told)} in ReQL is the same`, () => {
    const t = builder(undefined, freshVars(term));
    const ofArray = compileFunction(
      t.func((elements) => inReql(t, elements, term), 1),
      createContext({ terms: pureTerms }),
    );
    fc.assert(
      fc.property(fc.array(number, { maxLength: 8 }), (numbers) => {
        expect(outcome(() => ofArray(numbers))).toEqual(expected(told.of, numbers));
      }),
      { numRuns: 1000 },
    );
    expect(() => ofArray([1, 's', 2])).toThrow('Expected type NUMBER but found STRING.');
  });
}

test('every aggregate that goes by name has a row with its oracle', () => {
  const covered = new Set(namedStatistics.map(nameIn));
  expect(aggregates.filter(isNamed).map(({ name }) => name)).toEqual(expect.arrayContaining([...covered]));
  expect(
    aggregates
      .filter(isNamed)
      .map(({ name }) => name)
      .filter((name) => !covered.has(name)),
  ).toEqual([]);
});
