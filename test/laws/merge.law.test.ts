// Merges as an algebra: each holds for every value and every merge. LIVEFOLD_RUNS=1000000 takes a million values for each law.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyMerge, composeMerges, type Merge, mergeBetween } from '../../rewrite/merge/index.ts';
import { mergesBetween } from '../../rewrite/merge/merge-between.ts';
import { sameValue } from '../../rewrite/merge/same-value.ts';
import { anyMerge, anyValue } from '../support/queries/merges.ts';

const RUNS = Math.max(Number(process.env['LIVEFOLD_RUNS'] ?? 1), 2_000);
const TIMEOUT_MS = 10_000 + RUNS;

function law<Given extends [unknown, ...unknown[]]>(
  name: string,
  given: { [At in keyof Given]: fc.Arbitrary<Given[At]> },
  holds: (...values: Given) => boolean,
): void {
  test(
    name,
    () => {
      fc.assert(
        fc.property(fc.tuple(...given), (values) => holds(...(values as Given))),
        { numRuns: RUNS, endOnFailure: process.env['LIVEFOLD_SHRINK'] === undefined },
      );
    },
    TIMEOUT_MS,
  );
}

law('a merge leads from the one value to the other', [anyValue, anyValue], (old, now) =>
  sameValue(applyMerge(old, mergeBetween(old, now)), now),
);

law('both ways at once are each by itself', [anyValue, anyValue], (old, now) => {
  const { body, reverse } = mergesBetween(old, now);
  return sameValue(body, mergeBetween(old, now)) && sameValue(reverse, mergeBetween(now, old));
});

law('what is composed with taking away replaces whatever is there', [anyValue, anyValue], (now, other) =>
  sameValue(applyMerge(other, composeMerges({ _delete: true }, mergeBetween(undefined, now))), now),
);

law('to apply a merge twice is to apply it once', [anyValue, anyMerge], (value, merge) => {
  const once = applyMerge(value, merge);
  return sameValue(applyMerge(once, merge), once);
});

law('a composition does what the two do', [anyValue, anyMerge, anyMerge], (value, first, second) =>
  sameValue(applyMerge(applyMerge(value, first), second), applyMerge(value, composeMerges(first, second))),
);

law(
  'in which order three are composed makes no difference',
  [anyValue, anyMerge, anyMerge, anyMerge],
  (value, a, b, c) =>
    sameValue(
      applyMerge(value, composeMerges(composeMerges(a, b), c)),
      applyMerge(value, composeMerges(a, composeMerges(b, c))),
    ),
);

law('changes and their reverses compose', [anyValue, anyValue, anyValue], (a, b, c) => {
  const forward = composeMerges(mergeBetween(a, b), mergeBetween(b, c));
  const back = composeMerges(mergeBetween(c, b), mergeBetween(b, a));
  return sameValue(applyMerge(a, forward), c) && sameValue(applyMerge(c, back), a);
});

law('a merge is JSON', [anyValue, anyValue, anyMerge], (old, now, other) => {
  const merges = [mergeBetween(old, now), composeMerges(mergeBetween(old, now), other)];
  return merges.every((merge) => sameValue(JSON.parse(JSON.stringify(merge)), merge));
});

law('a merge is as short as can be', [anyValue, anyValue], (old, now) => {
  const { length } = JSON.stringify(mergeBetween(old, now));
  return length === shortest(old, now);
});

// A function that changed a frozen value would throw.
law('nothing that is given is changed', [anyValue, anyValue, anyMerge, anyMerge], (...given) => {
  given.forEach(freeze);
  const [old, now, first, second] = given;
  applyMerge(old, mergeBetween(old, now));
  applyMerge(old, composeMerges(first, second));
  return true;
});

test('a frozen value is frozen to the last part', () => {
  const given = { a: [{ b: {} }] };
  freeze(given);
  for (const change of [
    () => given.a.pop(),
    () => delete given.a[0],
    () => Object.assign(given.a[0]?.b ?? {}, { c: 1 }),
  ]) {
    expect(change).toThrow(TypeError);
  }
});

test('the laws meet compositions that change nothing, replace, and take away', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(anyValue, anyMerge, anyMerge, (value, first, second) => {
      const merge = composeMerges(first, second);
      const after = applyMerge(value, merge);
      met.add(sameValue(value, after) ? 'same' : after === undefined ? 'gone' : JSON.stringify(merge).slice(0, 11));
    }),
    { numRuns: 5_000, seed: 1 },
  );
  expect([...met]).toEqual(expect.arrayContaining(['same', 'gone', '{"_delete":', '{"__delete"', '{"__proto__']));
});

/** How long the shortest merge is, by trying both ways at each level. */
function shortest(old: Merge | undefined, now: Merge | undefined): number {
  if (now === undefined) return '{"_delete":true}'.length;
  if (!isObject(now)) return JSON.stringify(now).length;
  if (!isObject(old)) return written(now);
  const whole = Object.keys(now).length === 0 ? '{"_delete":{}}'.length : written(now) + '"_delete":true,'.length;
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => !sameValue(field(old, key), field(now, key)),
  );
  const lengths = changed.map((key) => keyLength(key) + 1 + shortest(field(old, key), field(now, key)));
  return Math.min(whole, 1 + Math.max(1, lengths.length) + lengths.reduce((sum, length) => sum + length, 0));
}

function written(now: Merge): number {
  if (!isObject(now)) return JSON.stringify(now).length;
  const lengths = Object.keys(now).map((key) => keyLength(key) + 1 + written(now[key] as Merge));
  return 1 + Math.max(1, lengths.length) + lengths.reduce((sum, length) => sum + length, 0);
}

function keyLength(key: string): number {
  return JSON.stringify(key).length + (/^_+delete$/.test(key) ? 1 : 0);
}

function field(value: { readonly [key: string]: Merge }, key: string): Merge | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function isObject(value: Merge | undefined): value is { readonly [key: string]: Merge } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '$reql_type$');
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const part of Object.values(value)) freeze(part);
}
