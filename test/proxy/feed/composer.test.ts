import { expect, test } from 'vitest';
import { Composer } from '../../../proxy/feed/subscription/composer.ts';

/** Milliseconds of CPU that it takes to take so many net changes. */
function taking(count: number): number {
  const composer = new Composer();
  for (let at = 0; at < count; at++) {
    composer.add({ kind: 'change', of: 'group', key: `${at}`, group: at, old: at, now: at + 1 });
  }
  const before = process.cpuUsage();
  let taken = 0;
  while (composer.size > 0) taken += composer.take().length;
  expect(taken).toBe(count);
  return process.cpuUsage(before).user / 1000;
}

test('a net change costs the same however many were taken before it', () => {
  taking(1_000);
  // Four times as many cost sixteen times as much where each is looked for from the start: 2,400 ms for 250.
  expect(taking(100_000)).toBeLessThan(9 * Math.max(taking(25_000), 20));
});

test('what is told of while net changes are taken comes after them, and may come again', () => {
  const composer = new Composer();
  const tell = (key: string, old: number, now: number): void =>
    composer.add({ kind: 'change', of: 'group', key, group: key, old, now });
  const take = (): unknown => composer.take().map((change) => ('key' in change ? change.key : change));
  tell('a', 1, 2);
  tell('b', 1, 2);
  expect(take()).toEqual(['a']);
  tell('a', 2, 3);
  expect([take(), take(), take()]).toEqual([['b'], ['a'], []]);
  tell('c', 1, 2);
  tell('d', 1, 2);
  tell('c', 2, 1);
  expect([take(), take()]).toEqual([['d'], []]);
});
