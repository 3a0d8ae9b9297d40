// A state that follows a value, moment by moment: what has to be done while nothing changes is done in whatever order the value
// and the state behind it change, end or fail; and what is told leads from one state to the next.

import { beforeEach, describe, expect, test } from 'vitest';
import type { Difference } from '../../../proxy/feed/operator/difference.ts';
import type { Steps } from '../../../proxy/feed/operator/steps.ts';
import type { FeedSource, SourcePort, SourceSink } from '../../../proxy/feed/source/feed-source.ts';
import { FollowingSource } from '../../../proxy/feed/source/following-source.ts';
import { InHand } from '../../../proxy/feed/source/in-hand.ts';
import { QUIET_MS } from '../../../proxy/feed/source/quiet.ts';
import { SourceMemory } from '../../../proxy/feed/source/source-memory.ts';
import { Schedule, SLICE_MS } from '../../../proxy/work/schedule.ts';
import type { Datum } from '../../../rewrite/reql/data/datum.ts';
import { logicError } from '../../../rewrite/reql/error.ts';

/** A loop that the test turns: a slice is one step long. */
const deferred: (() => void)[] = [];
const timers = new Set<() => void>();
let now = 0;
const schedule = new Schedule({
  now: () => {
    now += SLICE_MS;
    return now;
  },
  defer: (callback) => deferred.push(callback),
});
const work = schedule.open({});
const unused = { more() {}, stop() {}, drop() {} };
const port: SourcePort = {
  rests() {},
  heard() {},
  patience: 1,
  query: () => unused,
  feed: () => unused,
  ask: (_question, answer) => void deferred.push(() => answer(Buffer.alloc(0))),
  schedule(ms, callback) {
    if (ms === QUIET_MS) timers.add(callback);
    return () => void timers.delete(callback);
  },
  job(run) {
    const job = { work: run };
    return () => work.do(job);
  },
};

/** Turns the loop once; says whether there was anything to do. Time passes only where there is nothing else. */
function turn(): boolean {
  const callbacks = deferred.length > 0 ? deferred.splice(0) : [...timers];
  for (const callback of callbacks) {
    timers.delete(callback);
    callback();
  }
  return callbacks.length > 0;
}

function turnAll(): void {
  while (turn());
}

/** A state of some rows, filled and changed by the test: what it is told is in hand until its turn comes. */
class Told implements FeedSource {
  readonly sink: SourceSink;
  rows: readonly Difference[] = [];
  isStopped = false;
  isUnsettled = false;
  readonly #inHand: InHand<() => Steps>;

  constructor(sink: SourceSink) {
    this.sink = sink;
    this.#inHand = new InHand(port, {
      work: (item) => item(),
      left: () => sink.shown(undefined),
      done: () => sink.shown(undefined),
      failed: (error) => sink.failed(error),
    });
  }

  get isSettled(): boolean {
    return this.#inHand.isEmpty && !this.isUnsettled;
  }

  ready(...rows: readonly Difference[]): void {
    const source = this;
    this.#inHand.push(function* () {
      source.rows = rows;
      source.sink.accepted();
      yield* source.sink.ready();
    });
  }

  change(difference: Difference): void {
    const source = this;
    this.#inHand.push(function* (): Steps {
      source.rows = [...source.rows.filter((row) => row.key !== difference.key), difference];
      source.sink.tell(difference);
      yield;
    });
  }

  /** Nothing new came with it. */
  answer(): void {
    this.#inHand.push(function* (): Steps {
      yield;
    });
  }

  fail(): void {
    this.#inHand.push(function* (): Steps {
      yield;
      throw logicError('Cannot go on.');
    });
  }

  snapshot(): Iterable<Difference> {
    return this.rows;
  }

  hold(steps: () => Iterable<void>): void {
    this.#inHand.hold(steps);
  }

  finish(then: () => void): void {
    this.#inHand.finish(then);
  }

  stop(): void {
    this.isStopped = true;
    this.#inHand.clear();
  }
}

const value = (of: Datum): Difference => ({ of: 'value', key: '', group: undefined, old: undefined, now: of });
const row = (key: string, of: Datum, old?: Datum): Difference => ({ of: 'row', key, group: undefined, old, now: of });

describe.each([false, true])('in one table: %s', (isOneTable) => {
  let followed: Told;
  let states: Told[];
  let shown: Map<string | undefined, Datum | undefined>;
  let wrong: string[];
  let settled: number;
  let source: FollowingSource;

  beforeEach(() => {
    states = [];
    shown = new Map();
    wrong = [];
    settled = 0;
    const sink: SourceSink = {
      accepted() {},
      *ready() {
        for (const part of source.snapshot()) take({ ...part, old: undefined } as Difference);
        yield;
      },
      tell: (difference) => take(difference),
      shown: () => {
        if (source.isSettled) settled++;
      },
      warn() {},
      failed: (error) => void wrong.push(error.message),
      complete() {},
      lost() {},
    };
    source = new FollowingSource(port, sink, new SourceMemory({ addState() {} }), {
      openFollowed: (_port, told) => {
        followed = new Told(told);
        return followed;
      },
      openAt: () => (_port, told) => {
        const state = new Told(told);
        states.push(state);
        return state;
      },
      isOneTable,
      protocol: 'V1_0',
      origin: undefined,
    });
    const take = (difference: Difference): void => {
      if (difference.of === 'output') return;
      const { key, old, now: is } = difference;
      if (JSON.stringify(shown.get(key)) !== JSON.stringify(old))
        wrong.push(`${key} was ${shown.get(key)}, not ${old}`);
      if (is === undefined) shown.delete(key);
      else shown.set(key, is);
    };
  });

  /** Opens what stands for the first value. */
  const open = (...rows: readonly Difference[]): void => {
    followed.ready(value([1]));
    turnAll();
    states[0]?.ready(...rows);
    turnAll();
  };
  const follow = (of: Datum): void => followed.change({ of: 'value', key: '', group: undefined, old: [1], now: of });
  const hold = (done: string[], name: string): void =>
    source.hold(function* () {
      yield;
      yield;
      done.push(name);
    });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'what is to be done while nothing changes is done, where the state fails %i turns after the value has changed',
    (turns) => {
      const done: string[] = [];
      open(row('a', 1));
      states[0]?.answer();
      hold(done, 'before');
      states[0]?.fail();
      hold(done, 'behind what fails');
      follow([2]);
      for (let i = 0; i < turns; i++) turn();
      hold(done, 'later');
      turnAll();
      states[1]?.ready(row('a', 2));
      turnAll();
      expect(wrong).toEqual([]);
      expect(done.sort()).toEqual(['before', 'behind what fails', 'later']);
    },
  );

  test('who waits for a settled moment is told of it when the value that is followed has come to rest', () => {
    open(row('a', 1));
    followed.isUnsettled = true;
    states[0]?.answer();
    turnAll();
    const before = settled;
    followed.isUnsettled = false;
    followed.answer();
    turnAll();
    expect(settled).toBeGreaterThan(before);
  });

  test('what is being read is read to its end, however often the value that is followed changes meanwhile', () => {
    followed.ready(value([1]));
    turnAll();
    for (const next of [2, 3, 4, 5]) {
      follow([next]);
      turnAll();
    }
    expect(states.map(({ isStopped }) => isStopped)).toEqual([true, false]);
    states[1]?.ready(row('a', 2));
    turnAll();
    expect(shown.get('a')).toBe(2);
    expect(states).toHaveLength(3);
    states[2]?.ready(row('a', 5));
    turnAll();
    expect(shown.get('a')).toBe(5);
    expect(wrong).toEqual([]);
  });

  test('of one table nothing is shown while what is followed is being read anew', () => {
    open(row('a', 1));
    followed.isUnsettled = true;
    states[0]?.change(row('a', 2, 1));
    turnAll();
    expect(shown.get('a')).toBe(isOneTable ? 1 : 2);
    followed.isUnsettled = false;
    follow([2]);
    turnAll();
    states[1]?.ready(row('a', 3));
    turnAll();
    expect(shown.get('a')).toBe(3);
    expect(wrong).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'what is told of a new state is told whole, where the source is to end in turn %i',
    (turns) => {
      open(row('a', 1), row('b', 1), row('c', 1));
      follow([2]);
      while (states.length < 2 && turn());
      states[1]?.ready(row('a', 2), row('b', 2), row('d', 2));
      for (let i = 0; i < turns; i++) turn();
      let isFinished = false;
      source.finish(() => {
        isFinished = true;
      });
      turnAll();
      expect(isFinished).toBe(true);
      expect(wrong).toEqual([]);
      const stands = [...source.snapshot()].map((part) => (part.of === 'output' ? [] : [part.key, part.now]));
      expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(stands));
    },
  );
});
