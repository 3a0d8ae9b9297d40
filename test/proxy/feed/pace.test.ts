// The pace of a feed that is folded inside RethinkDB: for how long it has to be silent.

import { expect, test } from 'vitest';
import { Pace } from '../../../proxy/feed/sharing/pace.ts';

function paced(handedOnMs = 0): { readonly pace: Pace; after(ms: number, documents?: number): number } {
  let now = 0;
  const pace = new Pace(() => now);
  return {
    pace,
    after(ms, documents) {
      now += ms;
      if (documents !== undefined) pace.heard(documents, 100 * documents);
      return pace.silenceLeft(handedOnMs);
    },
  };
}

test('a feed that has told nothing for long may be believed at once', () => {
  const { after } = paced();
  expect(after(0)).toBe(0);
  after(10, 1);
  expect(after(250)).toBe(0);
});

test('one that has just told something has to be silent for longer than it was before', () => {
  const { pace, after } = paced();
  expect(after(1000, 1)).toBe(20);
  expect(after(8)).toBe(12);
  expect(after(4, 30)).toBe(48);
  expect(after(50)).toBeLessThan(0);
  expect(pace).toMatchObject({ responses: 2, isShort: false });
});

test('where it took long until all had been handed on there may be much to work on', () => {
  const { after } = paced(10);
  expect(after(1000, 1)).toBe(40);
});

test('what comes after a pause is another run', () => {
  const { after } = paced();
  after(1000, 1);
  after(60, 5);
  expect(after(300, 1)).toBe(20);
});

test.each([
  [8, 800, true],
  [9, 900, false],
  [8, 8 * 1024 + 1, false],
])('an answer of %i documents and %i bytes is short: %s', (documents, bytes, isShort) => {
  const { pace } = paced();
  pace.heard(documents, bytes);
  expect(pace.isShort).toBe(isShort);
});
