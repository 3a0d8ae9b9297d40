// Time that is worked for somebody is counted once, however it is nested, and whatever is thrown.

import { expect, test } from 'vitest';
import { Stopwatch } from '../../../proxy/work/stopwatch.ts';

test('work inside of work counts once, what is between counts not, and what is thrown counts as well', () => {
  let now = 100;
  const watch = new Stopwatch(() => now);
  const take = (ms: number): void => {
    now += ms;
  };
  watch.time(() => {
    take(5);
    watch.time(() => take(7));
    take(1);
  });
  expect(watch.ms).toBe(13);
  take(1000);
  expect(() =>
    watch.time(() => {
      take(2);
      throw new Error('x');
    }),
  ).toThrow('x');
  expect(watch.ms).toBe(15);
  watch.begin(now);
  expect(watch.time(() => 'result')).toBe('result');
  watch.end(now + 3);
  expect(watch.ms).toBe(18);
});

test('the load is the part of the last ten seconds that was worked', () => {
  let now = 50_000;
  const watch = new Stopwatch(() => now);
  const work = (ms: number): void =>
    watch.time(() => {
      now += ms;
    });
  expect(watch.load).toBe(0);
  for (let second = 0; second < 30; second++) {
    work(250);
    now += 750;
  }
  expect(watch.load).toBeCloseTo(0.25, 2);
  now += 5_000;
  expect(watch.load).toBeLessThan(0.2);
  expect(watch.load).toBeGreaterThan(0.1);
  now += 20_000;
  expect(watch.load).toBe(0);
  work(1_000);
  expect(watch.load).toBeCloseTo(0.1, 5);
});
