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
