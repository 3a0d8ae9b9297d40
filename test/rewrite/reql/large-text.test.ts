import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { jsonText } from '../../../rewrite/reql/data/json-text.ts';
import { isLargerThan, knownText } from '../../../rewrite/reql/data/known-text.ts';
import { LargeText } from '../../../rewrite/reql/data/large-text.ts';

/** Lists and objects, some of which are long, and some of which are in others. */
const structures = fc.letrec<{ datum: Datum }>((tie) => ({
  datum: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
    fc.array(tie('datum'), { maxLength: 6 }),
    fc.dictionary(fc.string(), tie('datum'), { maxKeys: 6 }),
    fc.tuple(tie('datum'), fc.nat(90)).map(([item, count]) => new Array<Datum>(count).fill(item)),
  ),
})).datum;

test('a text that is written in pieces is the text, and is known from then on', () => {
  fc.assert(
    fc.property(fc.array(structures, { maxLength: 5 }), fc.dictionary(fc.string(), structures), (list, object) => {
      for (const datum of [list, object]) {
        const expected = jsonText(datum);
        const text = new LargeText(datum);
        let isKnown = false;
        while (!text.go()) isKnown ||= knownText(datum) !== undefined;
        expect(isKnown).toBe(false);
        expect(knownText(datum) === expected).toBe(true);
      }
    }),
    { numRuns: 25 },
  );
});

test('whether a datum is large is known without a look at all of it', () => {
  let looks = 0;
  const list = Array.from({ length: 2000 }, (_, index) => ({
    get id() {
      looks++;
      return index;
    },
  }));
  expect(isLargerThan([list, list], 1000)).toBe(true);
  expect(isLargerThan(list, 5000)).toBe(false);
  expect(looks).toBe(2000);
  expect(
    isLargerThan(
      Array.from({ length: 900 }, () => 'x'),
      1000,
    ),
  ).toBe(false);
  expect(isLargerThan('x'.repeat(100_000), 1000)).toBe(true);
});
