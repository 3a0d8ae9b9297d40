// Subscribers are told that there is something to send: which of them, and when.

import { expect, test } from 'vitest';
import { FanOut, type Listener } from '../../../proxy/feed/subscription/fan-out.ts';
import { Schedule } from '../../../proxy/work/schedule.ts';

const MANY = 100;
/** Milliseconds for which one is told. */
const EACH_MS = 0.05;

/** A clock that goes on when somebody is told, or when it is wound; turns of the loop take no time. */
class Stage {
  now = 0;
  told = 0;
  #timers: { readonly at: number; readonly callback: () => void }[] = [];
  #deferred: (() => void)[] = [];
  readonly fanOut: FanOut<Listener>;
  readonly listeners: readonly Listener[];

  constructor(count: number, squashes: (at: number) => boolean = () => false) {
    const work = new Schedule({ now: () => this.now, defer: (callback) => this.#deferred.push(callback) }).open({});
    const clock = {
      now: () => this.now,
      after: (ms: number, callback: () => void) => void this.#timers.push({ at: this.now + ms, callback }),
    };
    this.fanOut = new FanOut(work, () => {}, clock);
    this.listeners = Array.from({ length: count }, (_, at) => ({
      isDear: false,
      squashes: squashes(at),
      prepare: () => true,
      io: { run: (tell: () => void) => tell() },
      flush: () => {
        this.now += EACH_MS;
        this.told++;
      },
    }));
  }

  /** All wait, something comes, and the loop turns until nothing is left to do. */
  change(): void {
    for (const listener of this.listeners) this.fanOut.add(listener);
    this.fanOut.flush(undefined);
    this.turn();
  }

  turn(): void {
    for (let next = this.#deferred.shift(); next !== undefined; next = this.#deferred.shift()) next();
  }

  wind(ms: number): void {
    this.now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.now);
    this.#timers = this.#timers.filter(({ at }) => at > this.now);
    for (const { callback } of due) callback();
    this.turn();
  }
}

test('what comes after a pause is told at once, to many as to few', () => {
  for (const count of [1, MANY]) {
    const stage = new Stage(count);
    for (let round = 1; round <= 5; round++) {
      stage.wind(10);
      stage.change();
      expect(stage.told).toBe(round * count);
      expect(stage.fanOut.isResting).toBe(false);
    }
  }
});

test('what comes right after many have been told waits for four times the time that it took, and then all are told', () => {
  const stage = new Stage(MANY);
  stage.change();
  const took = MANY * EACH_MS;
  stage.wind(1);
  stage.change();
  stage.change();
  expect(stage.told).toBe(MANY);
  expect(stage.fanOut.isResting).toBe(true);
  stage.wind(4 * took - 1.1);
  expect(stage.told).toBe(MANY);
  stage.wind(0.2);
  expect(stage.told).toBe(2 * MANY);
  expect(stage.fanOut.isResting).toBe(false);
});

test.each([
  ['all', () => true, 12],
  ['all but one', (at: number) => at > 0, 4],
] as const)('where %s want changes squashed, the rest fits', (_, squashes, times) => {
  const stage = new Stage(MANY, squashes);
  stage.change();
  stage.change();
  stage.wind(times * MANY * EACH_MS - 0.1);
  expect(stage.told).toBe(MANY);
  stage.wind(0.2);
  expect(stage.told).toBe(2 * MANY);
});

test('a rest takes 30 ms at most, and few are never made to wait', () => {
  const many = new Stage(10_000);
  many.change();
  many.change();
  expect(many.told).toBe(10_000);
  many.wind(31);
  expect(many.told).toBe(20_000);
  const few = new Stage(8);
  for (let round = 1; round <= 5; round++) {
    few.change();
    expect(few.told).toBe(8 * round);
  }
});
