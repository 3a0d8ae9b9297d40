import { expect, test } from 'vitest';
import { Loading } from '../../../rewrite/aggregates/state/arrangement-loading.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';

/** Loads numbers out of order, where a comparison takes so many milliseconds; says how long the longest run was sorted. */
function load(count: number, comparisonMs: number): { loading: Loading; longestMs: number; order: Datum[] } {
  let ms = 0;
  let began = 0;
  let longestMs = 0;
  let isRunning = false;
  const now = (): number => {
    if (isRunning) longestMs = Math.max(longestMs, ms - began);
    began = ms;
    isRunning = !isRunning;
    return ms;
  };
  const compareKeys = (a: Datum, b: Datum): number => {
    ms += comparisonMs;
    return Number(a) - Number(b);
  };
  const order = { hasRows: false, compareKeys, compareRows: compareKeys, weighKey: () => Number.NaN };
  const loading = new Loading(order, now);
  for (let i = 0; i < count; i++) loading.add((i * 7919) % count, null);
  const built = loading.build();
  let step = built.next();
  while (step.done !== true) step = built.next();
  const runs: (readonly Datum[])[] = [];
  step.value.tree.keyRuns(runs);
  return { loading, longestMs, order: runs.flat() };
}

const inOrder = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

test('where comparisons cost nothing, runs become long', () => {
  const { loading, order } = load(20_000, 0);
  expect(loading.run).toBe(4096);
  expect(order).toEqual(inOrder(20_000));
});

test('where a comparison costs, runs are short, so that none holds up others', () => {
  const { loading, longestMs, order } = load(5000, 0.1);
  expect(loading.run).toBeLessThan(64);
  expect(longestMs).toBeLessThan(20);
  expect(order).toEqual(inOrder(5000));
});
