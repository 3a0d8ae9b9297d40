import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Multiset } from '../../../rewrite/aggregates/state/multiset.ts';
import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';

const value: fc.Arbitrary<Datum> = fc.constantFrom<Datum>(
  null,
  '',
  0,
  -0,
  '0',
  false,
  [0],
  1,
  '1',
  { a: 1, b: 2 },
  { b: 2, a: 1 },
  { $reql_type$: 'TIME', epoch_time: 60, timezone: '+00:00' },
  { $reql_type$: 'TIME', epoch_time: 60, timezone: '+01:00' },
);

test('a multiset holds what was added and not removed, in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(value, fc.boolean()), { maxLength: 60 }), (steps) => {
      const multiset = new Multiset();
      const held: Datum[] = [];
      for (const [datum, add] of steps) {
        const at = held.findIndex((other) => compareDatums(other, datum) === 0);
        if (add) {
          held.push(datum);
          multiset.add(datum);
        } else if (at >= 0) {
          held.splice(at, 1);
          multiset.remove(datum);
        }
      }
      held.sort(compareDatums);
      expect(multiset.size).toBe(held.length);
      const shown = multiset.values();
      expect(shown.map((datum, i) => compareDatums(datum, held[i] ?? null))).toEqual(held.map(() => 0));
      expect(multiset.distinct).toBe(new Set(held.map((a) => held.findIndex((b) => compareDatums(a, b) === 0))).size);
      expect(compareDatums(multiset.first ?? null, held[0] ?? null)).toBe(0);
      expect(compareDatums(multiset.last ?? null, held.at(-1) ?? null)).toBe(0);
    }),
    { numRuns: 500 },
  );
});

test('what is not there cannot be removed', () => {
  expect(() => new Multiset().remove(1)).toThrow('that it had not told of before');
});
