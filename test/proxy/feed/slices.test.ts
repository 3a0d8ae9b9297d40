// A large feed works in slices: other clients' work comes between them, upstream waits, and what is told is the same.

import { expect, test } from 'vitest';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import type { Feed } from '../../../proxy/relay/feed-port.ts';
import { Schedule, SLICE_MS } from '../../../proxy/work/schedule.ts';
import { queryOfText } from '../../../src/command/query-of-text.ts';
import { ScriptedIo } from './scripted-io.ts';

/** Each look at the clock finds it this much later: a slice is so many looks long. */
const LOOK_MS = 0.1;

/** A process with a clock and a loop that the test turns. */
class Process {
  now = 0;
  turns = 0;
  readonly #deferred: (() => void)[] = [];
  readonly schedule = new Schedule({
    now: () => {
      this.now += LOOK_MS;
      return this.now;
    },
    defer: (callback) => this.#deferred.push(callback),
  });
  /** The longest time that work took between two turns of the loop. */
  longest = 0;

  /** Does something, and says how long it took. */
  time(run: () => void): void {
    const start = this.now;
    run();
    this.longest = Math.max(this.longest, this.now - start);
  }

  /** Turns the loop once; says whether there was anything to do. */
  turn(): boolean {
    const callbacks = this.#deferred.splice(0);
    if (callbacks.length === 0) return false;
    this.turns++;
    this.time(() => {
      for (const callback of callbacks) callback();
    });
    return true;
  }
}

/** A feed of the process. */
class Client {
  readonly io: ScriptedIo;
  readonly #process: Process;
  readonly #feed: Feed;

  constructor(process: Process, query: string) {
    this.#process = process;
    this.io = new ScriptedIo(process.schedule);
    const body = Buffer.from(queryOfText(query));
    const open = createOpenFeed({
      plan: 'proxy',
      limits: { maxStateRows: 1e9, maxStateBytes: 1e12 },
      now: () => 0,
    });
    const feed = open({ body, serverVersion: '2.4.4', user: 'admin', protocol: 'V1_0' }, this.io);
    if (feed === undefined || feed === 'native') throw new Error(`${query} is not live`);
    this.#feed = feed;
  }

  /** The client asks for more. */
  ask(): void {
    this.#feed.continue();
  }

  send(documents: readonly unknown[]): void {
    this.#process.time(() => this.io.respond({ t: 3, r: documents, n: [1, 5] }));
  }

  /** How often upstream was asked for more. */
  get asked(): number {
    return this.io.upstream.filter((query) => JSON.stringify(query) === '[2]').length;
  }
}

const ROWS = 2000;
const READY = { state: 'ready' };
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

const LARGE: readonly { readonly query: string; readonly element: (row: number) => unknown }[] = [
  { query: "r.table('t').max('n').changes()", element: (row) => [[row, { id: row }]] },
  { query: "r.table('t')('n').distinct().changes({includeInitial: true})", element: (row) => [row] },
  { query: "r.table('t').group('n').count().changes({includeInitial: true})", element: (row) => [[row, 1]] },
  { query: "r.table('t')('n').coerceTo('array').changes()", element: (row) => [row] },
  {
    query: "r.table('t').group('n').count().ungroup().orderBy('reduction').limit(900).changes()",
    element: (row) => [[row, 1]],
  },
  { query: "r.table('t')('n').changes({reducer: (group, values) => values})", element: (row) => [row] },
];

for (const { query, element } of LARGE) {
  test(`a small change comes between the slices of a large feed: ${query}`, () => {
    const process = new Process();
    const small = new Client(process, "r.table('s').count().changes()");
    small.send([{ new_val: [1] }, READY]);
    while (process.turn());
    const large = new Client(process, query);
    large.send(range(ROWS).map((row) => ({ new_val: element(row) })));
    large.send([READY]);
    expect(large.asked).toBe(1);
    small.ask();
    const before = small.io.answers.length;
    small.send([{ new_val: [1], old_val: null }]);
    let waited = 0;
    while (small.io.answers.length === before) {
      expect(process.turn()).toBe(true);
      waited++;
    }
    expect(waited).toBeLessThanOrEqual(2);
    while (process.turn());
    expect(process.turns).toBeGreaterThan(4);
    expect(process.longest).toBeLessThan(1.5 * SLICE_MS);
    expect(large.asked).toBe(2);
  });
}

test('upstream waits for a feed that has two batches in hand', () => {
  const process = new Process();
  const { io } = new Client(process, "r.table('t').max('n').changes()");
  const client = { asked: () => io.upstream.length - 1 };
  const batch = (from: number): unknown => ({
    t: 3,
    r: range(500).map((row) => ({ new_val: [[from + row, {}]] })),
    n: [1],
  });
  io.respond(batch(0));
  expect(client.asked()).toBe(1);
  io.respond(batch(500));
  expect(client.asked()).toBe(1);
  while (client.asked() === 1) expect(process.turn()).toBe(true);
  io.respond(batch(1000));
  expect(client.asked()).toBe(2);
  while (process.turn());
  expect(client.asked()).toBe(3);
});

test('what upstream says last is told after what it said before', () => {
  const process = new Process();
  const large = new Client(process, "r.table('t').max('n')('id').changes({includeInitial: true})");
  large.send([...range(ROWS).map((row) => ({ new_val: [[row, { id: row }]] })), READY]);
  large.ask();
  large.io.respond({ t: 18, e: 1_000_000, r: ['gone'], b: [] });
  large.ask();
  expect(large.io.answers).toEqual([expect.objectContaining({ t: 3, r: [] })]);
  while (process.turn());
  expect(large.io.answers.slice(1)).toMatchObject([
    { t: 3, r: [{ new_val: ROWS - 1 }] },
    { t: 18, r: ['gone'] },
  ]);
});

test.each(['', ', squash: true'])(
  'a long list is written between the work of others, and is whole (options%s)',
  (options) => {
    const process = new Process();
    const rows = range(60_000);
    const large = new Client(process, `r.table('t')('n').coerceTo('array').changes({includeInitial: true${options}})`);
    large.send([...rows.map((row) => ({ new_val: [row] })), READY]);
    const settle = (): void => {
      while (process.turn());
    };
    settle();
    // The query itself has been answered before there was anything to show.
    for (let answer = 0; answer < 2; answer++) {
      large.ask();
      settle();
    }
    const small = new Client(process, "r.table('s').count().changes({includeInitial: true})");
    small.send([{ new_val: [1] }, READY]);
    settle();
    const before = large.io.answers.length;
    const turns = process.turns;
    large.send([{ old_val: [5] }]);
    small.ask();
    small.send([{ new_val: [1] }]);
    expect(large.io.answers).toHaveLength(before);
    settle();
    expect(process.turns).toBeGreaterThan(turns + 1);
    expect(process.longest).toBeLessThan(1.5 * SLICE_MS);
    expect(small.io.answers.at(-1)?.r).toEqual([{ new_val: 2, old_val: 1 }]);
    expect(large.io.answers.slice(before)).toEqual([
      expect.objectContaining({ r: [{ old_val: rows, new_val: rows.filter((row) => row !== 5) }] }),
    ]);
  },
);
