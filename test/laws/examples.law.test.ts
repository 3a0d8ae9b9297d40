// The aggregates of examples/aggregates.js, which get copied: right for all numbers and values, in process and as ReQL.

import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readDefinition } from '../../rewrite/analyze/define-aggregate.ts';
import type { Aggregated } from '../../rewrite/live.ts';
import { recognize } from '../../rewrite/recognize.ts';
import { builder } from '../../rewrite/reql/build/build.ts';
import { freshVars } from '../../rewrite/reql/build/fresh-vars.ts';
import type { Datum } from '../../rewrite/reql/data/datum.ts';
import { compileFunction, createContext, pureTerms } from '../../rewrite/reql/eval/index.ts';
import { evaluate } from '../support/evaluate.ts';
import { expectSame, histories, outcome, walk } from '../support/queries/aggregate-histories.ts';

const path: string = pathToFileURL('examples/aggregates.js').href;
const examples: { readonly default: readonly unknown[] } = await import(path);
const definitions = examples.default.map(readDefinition);

interface Told {
  readonly name: string;
  readonly elements: fc.Arbitrary<Datum>;
  readonly of: (elements: readonly Datum[]) => Datum;
}

const told: readonly Told[] = [
  {
    name: 'share',
    elements: fc.constantFrom<Datum>(true, false, null, 0, -0, 1, '', 0.1, 1e16, 5e-324, [], {}),
    of: (elements) =>
      elements.length === 0 ? null : elements.filter((x) => x !== false && x !== null).length / elements.length,
  },
  {
    name: 'flags',
    elements: fc.oneof(
      fc.constantFrom<Datum>(0, 1, 2, 4, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1, -1, -(2 ** 53) + 1),
      fc.maxSafeInteger(),
    ),
    of: (elements) => Number(elements.reduce<bigint>((all, x) => all | BigInt(Number(x)), 0n)),
  },
];

test('every example has its oracle', () => {
  expect(told.map(({ name }) => name)).toEqual(definitions.map(({ name }) => name));
});

for (const { name, elements, of } of told) {
  const { aggregate, term } = aggregatedBy(name);

  test(`${name} in process is always that of the elements that are there`, () => {
    fc.assert(
      fc.property(histories(elements), (history) => {
        const accumulator = aggregate.accumulator(term, createContext({ terms: pureTerms }));
        walk(history, { apply: (x) => accumulator.apply(x), unapply: (x) => accumulator.unapply(x) }, (there) =>
          expectSame(
            outcome(() => accumulator.value()),
            of(there),
            there,
          ),
        );
        expect(accumulator.warning).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  const t = builder(undefined, freshVars(term));
  const context = createContext({ terms: pureTerms });
  const anew = compileFunction(
    t.func((list) => aggregate.evaluate?.(t, list, term) ?? null, 1),
    context,
  );
  test(`${name} as ReQL over all elements is the same`, () => {
    fc.assert(
      fc.property(fc.array(elements, { maxLength: 10 }), (list) =>
        expectSame(
          outcome(() => anew(list)),
          of(list),
          list,
        ),
      ),
      { numRuns: 100 },
    );
  });

  const server = aggregate.server?.(term);
  if (server === undefined) continue;
  test(`${name} as a fold of ReQL is the same, and back to its base`, () => {
    const apply = compileFunction(
      t.func((acc, x) => server.apply(t, acc, x), 2),
      context,
    );
    const unapply = compileFunction(
      t.func((acc, x) => server.unapply(t, acc, x), 2),
      context,
    );
    const emit = compileFunction(
      t.func((acc) => server.emit(t, acc), 1),
      context,
    );
    const base = compileFunction(
      t.func(() => server.base, 0),
      context,
    )();
    fc.assert(
      fc.property(histories(elements), (history) => {
        let acc = base;
        const change = {
          apply: (x: Datum) => {
            acc = apply(acc, x);
          },
          unapply: (x: Datum) => {
            acc = unapply(acc, x);
          },
        };
        walk(history, change, (there) => {
          expectSame(
            outcome(() => emit(acc)),
            of(there),
            there,
          );
          if (there.length === 0) expect(acc).toEqual(base);
        });
      }),
      { numRuns: 100 },
    );
  });
}

/** What the rewriting makes of an example, over a field. */
function aggregatedBy(name: string): Aggregated {
  const term = evaluate(`r.table("t")("x").changes({aggregate: ${JSON.stringify(name)}})`);
  const recognized = recognize({ term, globalOptargs: [] }, { aggregates: definitions });
  if (recognized.kind !== 'live' || recognized.live.watched.kind !== 'aggregate') throw new TypeError('not live');
  return recognized.live.watched;
}
