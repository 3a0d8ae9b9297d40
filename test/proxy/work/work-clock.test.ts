import { expect, test } from 'vitest';
import { workClock } from '../../../proxy/work/work-clock.ts';

test.each([
  ['a machine that is busy with others takes time, and no work', [0, 100], [0, 3], 3],
  ['what other threads of the process take meanwhile is no work of this one', [0, 10], [0, 30], 10],
])('%s', (_name, times, cpus, worked) => {
  let look = 0;
  const clock = workClock({ now: () => times[look] ?? 0, cpu: () => cpus[look] ?? 0 });
  look++;
  expect(clock()).toBe(worked);
});

test('the system’s clock goes on by what a loop takes, and never back', () => {
  const clock = workClock();
  const start = clock();
  let sum = 0;
  while (clock() - start < 5) sum += Math.sqrt(sum + 1);
  expect(clock()).toBeGreaterThanOrEqual(start + 5);
});
