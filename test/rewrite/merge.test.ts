// The notation of merges, by examples: what each says, and what is the shortest.

import { expect, test } from 'vitest';
import { applyMerge, composeMerges, type Merge, mergeBetween } from '../../rewrite/merge/index.ts';

const time = { $reql_type$: 'TIME', epoch_time: 1, timezone: '+00:00' };

interface Example {
  readonly old: unknown;
  readonly now: unknown;
  readonly merge: Merge;
}

const between: readonly Example[] = [
  { old: 1, now: 2, merge: 2 },
  { old: 1, now: undefined, merge: { _delete: true } },
  { old: undefined, now: { a: 1 }, merge: { a: 1 } },
  { old: 5, now: {}, merge: {} },
  { old: { a: 1, b: 2 }, now: { a: 1, b: 3 }, merge: { b: 3 } },
  { old: { a: 1, b: 2 }, now: { b: 2 }, merge: { a: { _delete: true } } },
  { old: { a: { b: 1, c: 1 }, d: 1 }, now: { a: { b: 1, c: 2 }, d: 1 }, merge: { a: { c: 2 } } },
  { old: { a: 1 }, now: {}, merge: { _delete: {} } },
  { old: { a: 1, b: 1, c: 1 }, now: { d: 1 }, merge: { _delete: true, d: 1 } },
  { old: { a: [1, { b: 1 }] }, now: { a: [1, { b: 2 }] }, merge: { a: [1, { b: 2 }] } },
  { old: { a: time }, now: { a: { ...time, epoch_time: 2 } }, merge: { a: { ...time, epoch_time: 2 } } },
  { old: { _delete: 1, __delete: 2, a: 1 }, now: { _delete: 2, __delete: 2, a: 1 }, merge: { __delete: 2 } },
  { old: { __delete: 1, a: 1 }, now: { __delete: 2, a: 1 }, merge: { ___delete: 2 } },
  { old: { a: [] }, now: { a: [{ _delete: true }] }, merge: { a: [{ _delete: true }] } },
  {
    old: JSON.parse('{"__proto__": 1, "a": "a long text"}'),
    now: { a: 'a long text' },
    merge: JSON.parse('{"__proto__": {"_delete": true}}'),
  },
  { old: { a: 1 }, now: JSON.parse('{"__proto__": 1, "a": 1}'), merge: JSON.parse('{"__proto__": 1}') },
];

test.each(between)('$old becomes $now by $merge', ({ old, now, merge }) => {
  expect(mergeBetween(old, now)).toEqual(merge);
  expect(JSON.stringify(mergeBetween(old, now))).toBe(JSON.stringify(merge));
  expect(applyMerge(old, merge)).toEqual(now);
});

test('what drivers make of pseudo-types are values', () => {
  const [one, same, other] = [new Date(1), new Date(1), new Date(2)];
  expect(mergeBetween({ at: one, n: 1 }, { at: same, n: 2 })).toEqual({ n: 2 });
  expect(mergeBetween({ at: one, n: 1 }, { at: other, n: 1 })).toEqual({ at: other });
  expect(applyMerge({ at: one }, mergeBetween({ at: one }, { at: other }))).toEqual({ at: other });
  expect(mergeBetween({ b: Buffer.from('a') }, { b: Buffer.from('a') })).toEqual({});
  expect(mergeBetween({ b: Buffer.from('a') }, { b: Buffer.from('b') })).toEqual({ b: Buffer.from('b') });
});

test('a composition is as short as the second where that replaces', () => {
  expect(composeMerges({ a: 1 }, 5)).toBe(5);
  expect(composeMerges({ a: 1 }, { _delete: true })).toEqual({ _delete: true });
  expect(composeMerges({ _delete: true, a: 1, b: 1 }, { a: { _delete: true }, b: 2 })).toEqual({ _delete: true, b: 2 });
  expect(composeMerges({ _delete: true, a: 1 }, { a: { _delete: true } })).toEqual({ _delete: {} });
  expect(composeMerges(5, { a: 1 })).toEqual({ _delete: true, a: 1 });
  expect(composeMerges({ a: { b: 1 } }, { a: { c: 1 } })).toEqual({ a: { b: 1, c: 1 } });
});

test.each([{ _delete: false }, { a: { _delete: 1 } }, { _delete: { a: 1 } }])('%j is refused by name', (merge) => {
  const says = 'In a merge `_delete` is true, or {}';
  expect(() => applyMerge({ a: { b: 1 } }, merge)).toThrow(says);
  expect(() => composeMerges({ a: { b: 1 } }, merge)).toThrow(says);
});

test('what holds itself is refused, however it does', () => {
  const says = 'A value that holds itself is no JSON';
  const object = (n: number): object => {
    const made: Record<string, unknown> = { n };
    return Object.assign(made, { self: made, again: made });
  };
  const list = (n: number): unknown[] => {
    const made: unknown[] = [n];
    made.push(made);
    return made;
  };
  for (const made of [object, list, (n: number) => ({ list: list(n) })]) {
    const value = made(1) as never;
    expect(() => mergeBetween(value, made(2))).toThrow(says);
    expect(mergeBetween(value, value)).toBeDefined();
  }
  expect(() => mergeBetween(undefined, object(1))).toThrow(says);
  expect(() => applyMerge({}, object(1) as never)).toThrow(says);
  expect(() => composeMerges(object(1) as never, object(2) as never)).toThrow(says);
  // A value that stands at several places does not hold itself.
  const shared = { a: Array.from({ length: 20_000 }, (_, n) => n) };
  expect(mergeBetween({ b: shared, c: shared }, { b: { a: [...shared.a] }, c: shared })).toEqual({});
});

test('what JSON has no words for', () => {
  const none = undefined as never;
  expect(() => applyMerge({ a: 1 }, none)).toThrow('`undefined` is no merge');
  expect(() => composeMerges({ a: 1 }, none)).toThrow('`undefined` is no merge');
  // JSON leaves it out: the merge says nothing of such a key.
  expect(applyMerge({ a: 1 }, { a: undefined, b: 2 } as never)).toEqual({ a: 1, b: 2 });
  expect(composeMerges({ a: 1 }, { a: undefined, b: 2 } as never)).toEqual({ a: 1, b: 2 });
  expect(mergeBetween({ a: undefined, b: 1 }, { b: 1, c: undefined })).toEqual({});
  const [same, call] = [Symbol('a'), (): number => 1];
  expect(mergeBetween({ same, call, big: 1n, none: Number.NaN }, { same, call, big: 1n, none: Number.NaN })).toEqual(
    {},
  );
  expect(mergeBetween({ at: new Date(Number.NaN) }, { at: new Date(Number.NaN) })).toEqual({});
  expect(applyMerge({}, JSON.parse('{"__proto__": {"a": 1}, "constructor": {"prototype": {"a": 1}}}'))).toEqual(
    JSON.parse('{"__proto__": {"a": 1}, "constructor": {"prototype": {"a": 1}}}'),
  );
  expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
});

test('how deep values nest is no concern', () => {
  const deep = (leaf: unknown): unknown => {
    let value = leaf;
    for (let level = 0; level < 50_000; level++) value = { a: [value], b: 1 };
    return value;
  };
  const merge = mergeBetween({ deep: deep(1), n: 1 }, { deep: deep(2), n: 1 });
  const applied = applyMerge({ deep: deep(1), n: 1 }, merge);
  expect(mergeBetween(applied, { deep: deep(2), n: 1 })).toEqual({});
  expect(mergeBetween(applied, { deep: deep(1), n: 1 })).not.toEqual({});
});
