import { expect, test } from 'vitest';
import { silent } from '../../../proxy/log.ts';
import { LogObserver } from '../../../proxy/observer/log-observer.ts';
import type { ObservedFeed, ObservedShare } from '../../../proxy/observer/observer.ts';

test('a healing is told with its milliseconds as a number, as all lines tell theirs', () => {
  const lines: unknown[] = [];
  const observer = new LogObserver({ ...silent, warn: (fields, message) => lines.push([message, fields]) });
  const feed = { connection: 3 } as ObservedFeed;
  observer.shareHealed({} as ObservedShare, feed, { cause: 'carrier', reason: 'it went', ms: 12.4 });
  observer.close();
  expect(lines).toEqual([['feed healed', expect.objectContaining({ connection: 3, reason: 'it went', ms: 12 })]]);
});
