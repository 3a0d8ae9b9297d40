// Net differences lead where all the differences lead that they are made of.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Difference } from '../../../proxy/feed/operator/difference.ts';
import { NetDifferences } from '../../../proxy/feed/source/net-differences.ts';
import { datumKey } from '../../../rewrite/reql/data/datum-key.ts';

test('what is told is the net change of each group, and of the bag of rows', () => {
  const value = fc.option(fc.integer({ min: 0, max: 2 }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom('a', 'b'), value)),
      fc.array(fc.tuple(value, value)),
      (named, rows) => {
        const net = new NetDifferences();
        const groups = new Map<string, number | undefined>();
        const bag = new Map<string, number>();
        for (const [key, now] of named) {
          const old = groups.get(key);
          groups.set(key, now ?? undefined);
          net.add({ of: 'group', key, group: key, old, now: now ?? undefined });
        }
        for (const [old, now] of rows) {
          net.add({ of: 'row', key: undefined, group: undefined, old: old ?? undefined, now: now ?? undefined });
          count(bag, old, -1);
          count(bag, now, 1);
        }
        const told = net.take();
        expect(net.isEmpty).toBe(true);
        for (const [key, now] of groups) {
          expect(told.filter((one) => one.key === key).map(sides)).toEqual(now === undefined ? [] : [[undefined, now]]);
        }
        for (const { old, now } of told.flatMap((one) => (one.of === 'row' ? [one] : []))) {
          count(bag, old, 1);
          count(bag, now, -1);
        }
        expect([...bag.values()].filter((left) => left !== 0)).toEqual([]);
      },
    ),
  );
});

function count(bag: Map<string, number>, row: unknown, by: number): void {
  if (typeof row !== 'number') return;
  bag.set(datumKey(row), (bag.get(datumKey(row)) ?? 0) + by);
}

function sides(difference: Difference): readonly unknown[] {
  return difference.of === 'output' ? [] : [difference.old, difference.now];
}
