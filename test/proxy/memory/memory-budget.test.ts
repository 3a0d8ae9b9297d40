import { expect, test } from 'vitest';
import { silent } from '../../../proxy/log.ts';
import type { HeapReading } from '../../../proxy/memory/heap.ts';
import { heapLimit, readHeap } from '../../../proxy/memory/heap.ts';
import type { Holding } from '../../../proxy/memory/holding.ts';
import { MemoryBudget } from '../../../proxy/memory/memory-budget.ts';
import { LogObserver } from '../../../proxy/observer/log-observer.ts';
import { writtenLog } from '../../support/servers/written-log.ts';

const EMPTY: HeapReading = { limit: 1e9, used: 0 };
/** Longer than the time between two looks at the heap. */
const A_WHILE_MS = 25;

/** A holder whose waiting documents can be made as small as `least`. */
class Holder {
  readonly name: string = 'feed';
  readonly holding: Holding;
  readonly ends: string[] = [];
  least = Number.POSITIVE_INFINITY;
  /** Called when it is asked to be smaller. */
  asked: () => void = () => {};
  #waiting = 0;

  constructor(budget: MemoryBudget, state: number, waiting = 0) {
    this.holding = budget.open(this);
    this.holding.addState(1, state);
    this.wait(waiting);
  }

  wait(bytes: number): void {
    this.#waiting = bytes;
    this.holding.setWaiting(bytes);
  }

  shrink(): void {
    this.asked();
    this.wait(Math.min(this.#waiting, this.least));
  }

  end(error: Error): void {
    this.ends.push(error.message);
    this.holding.close();
  }
}

function budget(settings: { readonly maxMemory?: number; readonly readHeap?: () => HeapReading } = {}): MemoryBudget {
  return new MemoryBudget({ maxMemory: 1000, observer: new LogObserver(silent), readHeap: () => EMPTY, ...settings });
}

test('over the limit the largest is ended, and no other', () => {
  const shared = budget();
  const holders = [300, 500, 100].map((bytes) => new Holder(shared, bytes));
  shared.check();
  expect(holders.flatMap(({ ends }) => ends)).toEqual([]);
  holders[2]?.holding.addState(1, 101);
  shared.check();
  expect(holders.map(({ ends }) => ends.length)).toEqual([0, 1, 0]);
  expect(holders[1]?.ends[0]).toMatch(
    /^Livefold is short of memory: `--max-memory` allows all feeds 1000 bytes together, and this feed takes the most of it, 500 bytes\. {2}.*`--max-memory`.*`pluck`/,
  );
  expect(shared.reading).toEqual({ maxMemory: 1000, heap: 501, state: 501, buffers: 0, rows: 3 });
});

test('as many are ended as it takes', () => {
  const shared = budget();
  const holders = [900, 800, 700, 10].map((bytes) => new Holder(shared, bytes));
  shared.check();
  expect(holders.map(({ ends }) => ends.length)).toEqual([1, 1, 0, 0]);
});

test('what waits is made smaller before anyone is ended', () => {
  const shared = budget();
  const reads = new Holder(shared, 400);
  const lags = new Holder(shared, 100, 900);
  lags.least = 50;
  shared.check();
  expect([reads, lags].map(({ ends }) => ends.length)).toEqual([0, 0]);
  expect(shared.reading.heap).toBe(550);
});

test('a holder that becomes smaller by less than half is not ended where that is enough', () => {
  const shared = budget();
  const lags = new Holder(shared, 800, 150);
  const reads = new Holder(shared, 100);
  lags.least = 0;
  shared.check();
  expect([...lags.ends, ...reads.ends]).toEqual([]);
  expect(shared.reading.heap).toBe(900);
});

test('all that can be let go of is, the largest first, before the largest is ended, and no more than is needed', () => {
  const shared = budget();
  const asked: string[] = [];
  const of = (name: string, state: number, waiting: number): Holder => {
    const holder = new Holder(shared, state, waiting);
    holder.least = 0;
    holder.asked = () => asked.push(name);
    return holder;
  };
  const holders = [of('small', 100, 50), of('large', 500, 100), of('middle', 300, 100), of('least', 10, 40)];
  shared.check();
  expect(asked).toEqual(['large', 'middle']);
  expect(shared.reading.heap).toBe(1000);
  holders[3]?.holding.addState(1, 200);
  shared.check();
  // The others are as they were when they were asked.
  expect(asked).toEqual(['large', 'middle', 'least', 'small']);
  expect(holders.map(({ ends }) => ends.length)).toEqual([0, 1, 0, 0]);
});

test('where the heap is nearly full, and enough is let go of, nobody is ended', () => {
  const shared = budget({ readHeap: () => ({ limit: 1000, used: 900 }) });
  const lags = new Holder(shared, 100, 60);
  lags.least = 5;
  shared.check();
  expect(lags.ends).toEqual([]);
  expect(shared.reading.heap).toBe(105);
  const other = budget({ readHeap: () => ({ limit: 1000, used: 900 }) });
  const full = new Holder(other, 100, 60);
  full.least = 15;
  other.check();
  expect(full.ends).toHaveLength(1);
});

test('buffers are bounded apart, at half of it: who sends a lot does not end the feeds of others', () => {
  const shared = budget();
  const feed = new Holder(shared, 990);
  const senders = [200, 250, 100].map((bytes) => {
    const sender = new Holder(shared, 0);
    sender.holding.setBuffers(bytes);
    return sender;
  });
  shared.check();
  expect(feed.ends).toEqual([]);
  expect(senders.map(({ ends }) => ends.length)).toEqual([0, 1, 0]);
});

test('a heap that is nearly full ends the largest, though estimates say that there is room', async () => {
  let used = 0;
  const shared = budget({ readHeap: () => ({ limit: 1000, used }) });
  const holders = [10, 30, 20].map((bytes) => new Holder(shared, bytes));
  const check = async (now: number): Promise<number> => {
    used = now;
    await new Promise((resolve) => setTimeout(resolve, A_WHILE_MS));
    shared.check();
    return holders.reduce((sum, { ends }) => sum + ends.length, 0);
  };
  expect(await check(840)).toBe(0);
  expect(await check(860)).toBe(1);
  expect(holders[1]?.ends).toHaveLength(1);
  // Its state has not been collected yet: that ends no other, until the heap is fuller still.
  expect(await check(900)).toBe(1);
  expect(await check(940)).toBe(2);
  expect(await check(300)).toBe(2);
  expect(await check(860)).toBe(3);
});

test('it is told of in the log', () => {
  const { log, lines } = writtenLog('warn');
  const shared = new MemoryBudget({ maxMemory: 1000, observer: new LogObserver(log), readHeap: () => EMPTY });
  new Holder(shared, 1500);
  shared.check();
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      msg: 'memory is short, and the largest holder of it is ended',
      part: 'heap',
      heap: 1500,
      largest: 1500,
      holders: 1,
    },
  ]);
});

test('what a closed holder says counts no more', () => {
  const shared = budget();
  const { holding } = new Holder(shared, 500, 100);
  holding.close();
  holding.addState(1, 10);
  holding.setWaiting(10);
  holding.setBuffers(10);
  holding.close();
  expect(shared.reading).toMatchObject({ heap: 0, buffers: 0 });
  expect([...shared.holdings]).toEqual([]);
});

test('the heap of this process is read, and is not full', () => {
  const { limit, used } = readHeap();
  expect(limit).toBe(heapLimit());
  expect(used).toBeGreaterThan(1e6);
  expect(used).toBeLessThan(limit);
});

test('there is room for what fits into the heap', () => {
  const shared = budget({ readHeap: () => ({ limit: 100e6, used: 40e6 }) });
  expect(shared.hasRoom(59e6)).toBe(true);
  expect(shared.hasRoom(61e6)).toBe(false);
  expect(budget({ readHeap: () => ({ limit: 1, used: 1 }) }).hasRoom(1000)).toBe(true);
});
