import { afterEach, expect, test, vi } from 'vitest';
import type { SourcePort } from '../../../proxy/feed/source/feed-source.ts';
import { type FoldedIn, ReadingWatch } from '../../../proxy/feed/source/reading-watch.ts';
import { SilentReading } from '../../../proxy/feed/source/silent-reading.ts';
import type { FeedQuery, UpstreamQuery } from '../../../proxy/relay/feed-port.ts';
import { recognize } from '../../../rewrite/recognize.ts';
import type { ReqlError } from '../../../rewrite/reql/error.ts';
import { parseQuery } from '../../../rewrite/reql/term/parse.ts';

const NO_QUERY: UpstreamQuery = { more() {}, stop() {}, drop() {} };
const COUNTED = '{"t":1,"r":[[3]]}';
const FAILED = '{"t":18,"e":4100000,"r":["Cannot perform read: primary replica not available"],"b":[]}';

/** A watch over the reading of a count, on a connection whose timers and answers come when the test says so. */
function watched({
  protocol = 'V1_0',
  patience = 1,
  foldedIn = 'the proxy',
}: {
  protocol?: FeedQuery['protocol'];
  patience?: number;
  foldedIn?: FoldedIn;
} = {}) {
  const parsed = parseQuery('[1,[152,[[43,[[15,["t"]]]]]],{"db":[14,["shop"]]}]');
  const found = 'term' in parsed ? recognize(parsed) : undefined;
  if (found?.kind !== 'live') throw new Error('it is not live');
  const asked: { readonly query: string; readonly answer: (body: Buffer) => void }[] = [];
  const timers: { readonly ms: number; readonly callback: () => void }[] = [];
  const given: ReqlError[] = [];
  const port: SourcePort = {
    query: () => NO_QUERY,
    feed: () => NO_QUERY,
    ask: (query, answer) => void asked.push({ query, answer }),
    schedule(ms, callback) {
      const timer = { ms, callback };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    rests() {},
    heard() {},
    job: () => () => {},
    patience,
  };
  const watch = new ReadingWatch(port, { live: found.live, foldedIn, protocol, silent: (error) => given.push(error) });
  return {
    watch,
    given,
    asked,
    /** Lets the timer that runs end, and gives how long it was. */
    elapse(): number | undefined {
      const timer = timers.shift();
      timer?.callback();
      return timer?.ms;
    },
    answer: (body: string) => asked.shift()?.answer(Buffer.from(body)),
    timers,
  };
}

afterEach(() => void vi.useRealTimers());

test('a reading that says nothing is given up once the same rows are counted, and nothing is on its way', () => {
  const { watch, given, asked, elapse, answer } = watched();
  watch.waits();
  expect(elapse()).toBe(2000);
  expect(asked.map(({ query }) => query)).toEqual(['[1,[2,[[43,[[15,["t"]]]]]],{"db":[14,["shop"]]}]']);
  answer(COUNTED);
  expect(elapse()).toBe(2000);
  expect(asked.map(({ query }) => query)).toEqual(['[1,null]']);
  expect(given).toEqual([]);
  answer('{"t":1,"r":[null]}');
  expect(given).toEqual([expect.any(SilentReading)]);
});

test.each<[FoldedIn, number, number]>([
  ['the proxy', 3, 10],
  ['RethinkDB, constant', 3, 200],
  ['RethinkDB, per row', 9000, 2000],
])('what is folded in %s has many times as long as it takes to count its %i rows', (foldedIn, rows, times) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { watch, elapse, answer } = watched({ foldedIn });
  watch.waits();
  elapse();
  vi.advanceTimersByTime(250);
  answer(`{"t":1,"r":[[${rows}]]}`);
  expect(elapse()).toBe(250 * times);
});

test('what follows upon a reading that was given up has twice the time', () => {
  const { watch, elapse, answer } = watched({ patience: 2 });
  watch.waits();
  expect(elapse()).toBe(4000);
  answer(COUNTED);
  expect(elapse()).toBe(4000);
});

test.each([
  ['while it is counted', 1],
  ['while it is waited for', 2],
  ['before the last answer', 3],
])('something that comes %s is a sign of life', (_, step) => {
  const { watch, given, asked, elapse, answer, timers } = watched();
  watch.waits();
  elapse();
  if (step > 1) answer(COUNTED);
  if (step > 2) elapse();
  watch.came();
  while (asked.length > 0) answer(COUNTED);
  expect(timers).toEqual([]);
  expect(given).toEqual([]);
  watch.waits();
  expect(elapse()).toBe(2000);
});

test('rows that cannot be counted tell nothing: they are counted again', () => {
  const { watch, given, asked, elapse, answer } = watched();
  watch.waits();
  elapse();
  answer(FAILED);
  expect([elapse(), asked.length]).toEqual([2000, 0]);
  expect([elapse(), asked.length]).toEqual([10_000, 0]);
  expect([elapse(), asked.length]).toEqual([2000, 1]);
  answer(COUNTED);
  elapse();
  answer('{"t":1,"r":[null]}');
  expect(given).toHaveLength(1);
});

test('the rows of a reading are counted once, however often it is silent, and never twice at a time', () => {
  const { watch, given, asked, elapse, answer } = watched();
  for (let batch = 0; batch < 3; batch++) {
    watch.waits();
    elapse();
    elapse();
    watch.came();
  }
  expect(asked).toHaveLength(1);
  answer(COUNTED);
  watch.waits();
  expect([elapse(), elapse(), asked.length]).toEqual([2000, 2000, 1]);
  answer('{"t":1,"r":[null]}');
  expect(given).toHaveLength(1);
});

test('a reading that is done, and one on a connection that answers in turn, is watched no more', () => {
  const { watch, timers } = watched();
  watch.waits();
  watch.stop();
  watch.waits();
  expect(timers).toEqual([]);
  const serial = watched({ protocol: 'V0_3' });
  serial.watch.waits();
  expect(serial.timers).toEqual([]);
});
