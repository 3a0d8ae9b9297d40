// The page's own code, without a browser; page.test.ts looks at the page in one.

import { expect, test } from 'vitest';
import { bytes, count, delay, duration, rate } from '../../src/admin/page/format.js';
import { Growth, History, Rates, SPAN_SECONDS } from '../../src/admin/page/history.js';
import { readPageFiles } from '../../src/admin/page-files.ts';

test('a counter that begins anew has grown by what it is', () => {
  const growth = new Growth();
  expect([growth.next(10, 100), growth.next(12, 130), growth.next(12, 130), growth.next(13, 5)]).toEqual([
    undefined,
    15,
    undefined,
    5,
  ]);
});

test('a rate is that of the last ten seconds, and rows that are gone are forgotten', () => {
  const rates = new Rates();
  for (let at = 0; at <= 20; at++) rates.take(at, [['a', at < 10 ? 0 : (at - 10) * 3]]);
  expect(rates.of('a')).toBe(3);
  rates.take(21, [['b', 7]]);
  expect([rates.of('a'), rates.of('b'), rates.of('c')]).toEqual([0, 0, 0]);
});

test('a history goes back five minutes', () => {
  const history = new History();
  for (let at = 0; at <= SPAN_SECONDS + 50; at++) history.add(at, at === 10 ? 1000 : at);
  expect([history.samples[0]?.at, history.last, history.most]).toEqual([50, SPAN_SECONDS + 50, SPAN_SECONDS + 50]);
});

test.each([
  [count, 99_999, '99,999'],
  [count, 1_234_567, '1.2M'],
  [rate, 0, '0'],
  [rate, 0.04, '0.0'],
  [rate, 12.34, '12.3'],
  [rate, 1234.5, '1,235'],
  [bytes, 0, '0 B'],
  [bytes, 999, '999 B'],
  [bytes, 1000, '1.0 kB'],
  [bytes, 999_600, '1.0 MB'],
  [bytes, 123_456_789, '123 MB'],
  [bytes, 5e15, '5,000 TB'],
  [duration, 59.9, '59 s'],
  [duration, 3599, '59 min'],
  [duration, 3661, '1 h 1 min'],
  [duration, 90_000, '1 d 1 h'],
  [delay, 0, '0 s'],
  [delay, 0.25, '0.3 s'],
])('%o of %d is %s', (print, value, text) => {
  expect(print(value)).toBe(text);
});

test('all that the page loads is among its files, and nothing comes from elsewhere', () => {
  const files = readPageFiles();
  for (const { body, headers } of files.values()) {
    const text = body.toString();
    expect(headers['Content-Security-Policy']).toMatch(/default-src 'none'/);
    for (const [, script, asset] of text.matchAll(/^import .*? from '(\.[^']+)'|(?:src|href)="([^"#]+)"/gm)) {
      const path = `/${(script ?? asset ?? '').replace(/^\.\//, '')}`;
      if (path !== '/api/status') expect([...files.keys()]).toContain(path);
    }
    expect(text.match(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/)).toBeNull();
  }
  expect([...files.keys()]).toEqual(expect.arrayContaining(['/', '/style.css', '/main.js', '/icon.svg']));
});
