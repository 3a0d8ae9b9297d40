import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Arrangement } from '../../../rewrite/aggregates/state/arrangement.ts';
import type { Entry } from '../../../rewrite/aggregates/state/arrangement-leaf.ts';
import { compareDatums } from '../../../rewrite/reql/data/compare.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { ReqlError } from '../../../rewrite/reql/error.ts';

/** The same by a sorted list, one line a thing. */
class List {
  readonly #compare: (a: Entry, b: Entry) => number;
  readonly entries: Entry[] = [];

  constructor(compareKeys: (a: Datum, b: Datum) => number) {
    this.#compare = (a, b) => compareKeys(a.key, b.key) || compareDatums(a.row, b.row);
  }

  add(key: Datum, row: Datum): number {
    const known = this.#known(key, row);
    if (known === undefined) this.entries.push({ key, row, count: 1 });
    else this.entries[this.entries.indexOf(known)] = { ...known, count: known.count + 1 };
    this.entries.sort(this.#compare);
    return (known?.count ?? 0) + 1;
  }

  remove(key: Datum, row: Datum): number | undefined {
    const known = this.#known(key, row);
    if (known === undefined) return undefined;
    this.entries.splice(
      this.entries.indexOf(known),
      1,
      ...(known.count > 1 ? [{ ...known, count: known.count - 1 }] : []),
    );
    return known.count - 1;
  }

  rank(key: Datum, row: Datum): number {
    return this.each.filter((entry) => this.#compare(entry, { key, row, count: 1 }) < 0).length;
  }

  /** Each as often as it is there. */
  get each(): readonly Entry[] {
    return this.entries.flatMap((entry) => Array.from({ length: entry.count }, () => entry));
  }

  #known(key: Datum, row: Datum): Entry | undefined {
    return this.entries.find((entry) => this.#compare(entry, { key, row, count: 1 }) === 0);
  }
}

const descending = (a: Datum, b: Datum): number => compareDatums(b, a);
const few = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom('a', 'b', null, true));

for (const [name, hasRows, compareKeys] of [
  ['keys alone', false, compareDatums],
  ['keys with rows', true, compareDatums],
  ['keys with rows, the greatest first', true, descending],
] as const) {
  test(`${name}: an arrangement is a sorted list`, () => {
    const step = fc.record({
      add: fc.boolean(),
      key: few,
      row: hasRows ? fc.integer({ min: 0, max: 3 }) : fc.constant(null),
    });
    const law = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = new List(compareKeys);
      const arrangement = new Arrangement(hasRows, compareKeys);
      for (const { add, key, row } of steps) {
        if (add) expect(arrangement.add(key, row)).toBe(list.add(key, row));
        else {
          const left = list.remove(key, row);
          if (left === undefined) expect(() => arrangement.remove(key, row)).toThrow(ReqlError);
          else expect(arrangement.remove(key, row)).toBe(left);
        }
        expect(arrangement.rank(key, row)).toBe(list.rank(key, row));
      }
      const { each } = list;
      expect([...arrangement.entries()]).toEqual(list.entries);
      expect(arrangement.keys()).toEqual(each.map(({ key }) => key));
      expect([arrangement.size, arrangement.distinct]).toEqual([each.length, list.entries.length]);
      expect(each.map((_, place) => arrangement.at(place))).toEqual(each);
      expect([arrangement.at(-1), arrangement.at(each.length)]).toEqual([undefined, undefined]);
      expect([arrangement.first, arrangement.last]).toEqual([each[0], each.at(-1)]);
    });
    fc.assert(law, { numRuns: 200 });
  });
}

for (const [name, hasRows, values] of [
  ['keys alone', false, 10_000],
  ['keys alone, few of them', false, 50],
  ['keys with rows', true, 10_000],
] as const) {
  test(`${name}: what is loaded and built is what is added one by one`, () => {
    const value = fc.integer({ min: 0, max: values });
    const law = fc.property(
      fc.array(value, { maxLength: 3000 }),
      fc.array(fc.nat(), { maxLength: 30 }),
      (keys, gone) => {
        const [loaded, added] = [new Arrangement(hasRows), new Arrangement(hasRows)];
        const rowOf = (at: number): Datum => (hasRows ? at % 3 : null);
        let entries = keys.length;
        for (const [at, key] of keys.entries()) {
          loaded.load(key, rowOf(at));
          added.add(key, rowOf(at));
        }
        for (const at of new Set(gone.filter((place) => place < keys.length))) {
          loaded.unload(keys[at] ?? null, rowOf(at));
          added.remove(keys[at] ?? null, rowOf(at));
        }
        for (const other of loaded.build()) if (other !== undefined) entries--;
        expect([...loaded.entries()]).toEqual([...added.entries()]);
        expect([loaded.size, loaded.distinct, entries]).toEqual([added.size, added.distinct, added.distinct]);
        // It goes on from there as if it had come there one by one.
        for (const at of keys.keys()) {
          for (const arrangement of [loaded, added]) arrangement.add((at * 7919) % 2000, rowOf(at));
        }
        expect([...loaded.entries()]).toEqual([...added.entries()]);
        expect(loaded.at(keys.length >> 1)).toEqual(added.at(keys.length >> 1));
      },
    );
    fc.assert(law, { numRuns: 30 });
  });
}

test('many entries that are loaded: runs are merged', () => {
  const count = 20_000;
  const arrangement = new Arrangement(false);
  for (const key of scattered(count)) arrangement.load(key);
  for (const key of scattered(count / 4)) arrangement.load(key);
  const equal = [...arrangement.build()].filter((entry) => entry !== undefined);
  expect(equal.map(({ key }) => key)).toEqual(Array.from({ length: count / 4 }, (_, key) => key));
  expect([arrangement.size, arrangement.distinct]).toEqual([count + count / 4, count]);
  expect(arrangement.at(1001)).toEqual({ key: 500, row: null, count: 2 });
  for (const key of scattered(count)) arrangement.remove(key);
  expect(arrangement.keys()).toEqual(Array.from({ length: count / 4 }, (_, key) => key));
});

test('what was not loaded cannot be taken away', () => {
  const arrangement = new Arrangement(false);
  arrangement.load(1);
  arrangement.unload(2);
  expect(() => [...arrangement.build()]).toThrow(ReqlError);
});

/** Whole numbers in an order that looks like none. */
const scattered = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => (i * 7919) % count);

test('many entries, in any order in and in any order out', () => {
  const count = 8000;
  const orders = {
    up: Array.from({ length: count }, (_, i) => i),
    down: Array.from({ length: count }, (_, i) => count - 1 - i),
    scattered: scattered(count),
  };
  for (const into of Object.values(orders)) {
    for (const out of Object.values(orders)) {
      const arrangement = new Arrangement(false);
      for (const key of into) arrangement.add(key);
      for (const key of scattered(count / 4)) arrangement.add(key);
      expect(arrangement.at(1001)).toEqual({ key: 500, row: null, count: 2 });
      expect(arrangement.rank(count / 2)).toBe(count / 2 + count / 4);
      for (const key of out) arrangement.remove(key);
      expect(arrangement.keys()).toEqual(Array.from({ length: count / 4 }, (_, i) => i));
      expect([...arrangement.entries(count / 4 - 2)].map(({ key }) => key)).toEqual([count / 4 - 2, count / 4 - 1]);
      for (const key of scattered(count / 4)) expect(arrangement.remove(key)).toBe(0);
      expect([arrangement.size, arrangement.distinct, arrangement.first, arrangement.keys()]).toEqual([
        0,
        0,
        undefined,
        [],
      ]);
    }
  }
});

test('entries from the middle of equal ones on', () => {
  const arrangement = new Arrangement(true);
  for (let i = 0; i < 3; i++) arrangement.add(1, 'a');
  arrangement.add(2, 'b');
  expect([...arrangement.entries(2)]).toEqual([
    { key: 1, row: 'a', count: 1 },
    { key: 2, row: 'b', count: 1 },
  ]);
});
