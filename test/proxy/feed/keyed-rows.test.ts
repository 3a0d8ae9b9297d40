// One side of a join, held to a plain list of rows.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeyedRows } from '../../../proxy/feed/operator/keyed-rows.ts';
import { RowChanges } from '../../../proxy/feed/operator/row-changes.ts';
import { compareDatums, equalDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { datumHash } from '../../../rewrite/reql/data/datum-hash.ts';
import { datumKey, hashKey } from '../../../rewrite/reql/data/datum-key.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';

const keys = fc.constantFrom<Datum>(1, '1', 0, -0, [1, 'a'], '\0x');
/** More than are compared one by one, so that some keys have an order of their rows. */
const rows = fc.integer({ min: 0, max: 24 }).map((n): Datum => ({ n, even: n % 2 === 0 }));
const steps = fc.array(fc.record({ add: fc.boolean(), key: keys, row: rows }), { maxLength: 200 });

test('rows by their keys are a list of keys with rows', () => {
  fc.assert(
    fc.property(steps, (written) => {
      const kept = new KeyedRows();
      let list: { readonly key: Datum; readonly row: Datum }[] = [];
      for (const { add, key, row } of written) {
        const same = list.filter((one) => equalDatums(one.key, key) && equalDatums(one.row, row));
        if (add) {
          list.push({ key, row });
          expect(kept.add(hashKey(key), key, row)).toBe(same.length + 1);
        } else if (same.length === 0) {
          expect(() => kept.remove(hashKey(key), row)).toThrow(ReqlError);
        } else {
          list = list.filter((one) => one !== same[0]);
          expect(kept.remove(hashKey(key), row)).toBe(same.length - 1);
        }
        expect(namesOf(kept.of(hashKey(key)))).toEqual(
          namesOf(counted(list.filter((one) => equalDatums(one.key, key)))),
        );
      }
      expect(kept.size).toBe(list.length);
      const all = [...kept.entries()].flatMap(({ key, rows: some }) =>
        namesOf(some).map((name) => [datumKey(key), name]),
      );
      expect(all.length).toBe(new Set(list.map(({ key, row }) => datumKey([key, row]))).size);
      for (const { key, row } of list) kept.remove(hashKey(key), row);
      expect([kept.size, ...kept.entries()]).toEqual([0]);
    }),
  );
});

test('what is left of changes is what came less what went, few or many', () => {
  fc.assert(
    fc.property(steps, (written) => {
      const changes = new RowChanges();
      const counts = new Map<string, number>();
      for (const { add, key, row } of written) {
        const [name, by] = [datumKey([key, row]), add ? 1 : -1];
        changes.add([key, row], by);
        const count = (counts.get(name) ?? 0) + by;
        if (count === 0) counts.delete(name);
        else counts.set(name, count);
      }
      expect(changes.size).toBe(counts.size);
      expect(new Map([...changes].map(({ row, count }) => [datumKey(row), count]))).toEqual(counts);
    }),
  );
});

const datum: fc.Arbitrary<Datum> = fc.letrec<{ datum: Datum }>((tie) => ({
  datum: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Datum>(0, -0, 1, 'a', null, true, { $reql_type$: 'TIME', epoch_time: 1, timezone: '+00:00' }),
    fc.constant<Datum>({ $reql_type$: 'TIME', epoch_time: 1, timezone: '+01:00' }),
    fc.array(tie('datum'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('datum'), { maxKeys: 2 }),
  ),
})).datum;

test('two data are equal where none comes before the other', () => {
  fc.assert(
    fc.property(datum, datum, (a, b) => {
      expect(equalDatums(a, b)).toBe(compareDatums(a, b) === 0);
      expect(equalDatums(a, structuredClone(a))).toBe(true);
      if (equalDatums(a, b)) expect(datumHash(a)).toBe(datumHash(b));
    }),
    { numRuns: 500 },
  );
});

function counted(list: readonly { readonly row: Datum }[]): { readonly row: Datum; readonly count: number }[] {
  const names = new Map(list.map(({ row }) => [datumKey(row), row]));
  return [...names.values()].map((row) => ({ row, count: list.filter((one) => equalDatums(one.row, row)).length }));
}

function namesOf(some: readonly { readonly row: Datum; readonly count: number }[]): readonly string[] {
  return some.map(({ row, count }) => `${count} × ${datumKey(row)}`).sort();
}
