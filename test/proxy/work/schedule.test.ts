import { expect, test } from 'vitest';
import { type ClientWork, Schedule, SLICE_MS } from '../../../proxy/work/schedule.ts';
import type { Job, Turn } from '../../../proxy/work/turn.ts';

/** A schedule whose clock goes on by what jobs say that they take, and whose loop turns when the test says so. */
class Stage {
  readonly log: string[] = [];
  readonly #deferred: (() => void)[] = [];
  #now = 0;
  /** How long the schedule wanted to rest before each turn. */
  readonly rests: number[] = [];
  readonly schedule = new Schedule({
    now: () => this.#now,
    defer: (callback, ms) => {
      this.rests.push(ms);
      this.#deferred.push(callback);
    },
  });

  /** A job of so many steps, each of which takes so long. Each slice of it is logged. */
  job(name: string, steps: number, ms: number): Job {
    let left = steps;
    return {
      work: (turn: Turn) => {
        this.log.push(name);
        while (left > 0) {
          left--;
          this.#now += ms;
          if (left > 0 && turn.isOver()) return false;
        }
        return true;
      },
    };
  }

  /** Lets the loop turn; says whether there was anything to do. */
  turn(): boolean {
    const callbacks = this.#deferred.splice(0);
    for (const callback of callbacks) callback();
    return callbacks.length > 0;
  }

  /** The log of each turn of the loop until nothing is left. */
  rest(): readonly (readonly string[])[] {
    const turns: (readonly string[])[] = [];
    while (this.turn()) turns.push(this.log.splice(0));
    return turns;
  }

  client(): ClientWork {
    return this.schedule.open({});
  }
}

test('small work is done at once, and nothing is left for a turn of the loop', () => {
  const stage = new Stage();
  stage.client().do(stage.job('a', 3, 0.1));
  stage.client().do(stage.job('b', 3, 0.1));
  expect(stage.log).toEqual(['a', 'b']);
  expect(stage.turn()).toBe(false);
});

test('long work goes on in later turns, of no more than a slice each', () => {
  const stage = new Stage();
  stage.client().do(stage.job('a', 100, 1));
  expect(stage.log.splice(0)).toEqual(['a']);
  const turns = stage.rest();
  // Steps of a millisecond are long: the clock is looked at after each.
  expect(turns.flat()).toEqual(Array.from({ length: 9 }, () => 'a'));
  expect(turns.every((slices) => slices.length <= 1)).toBe(true);
});

test('where steps are short the clock is looked at now and then, and so a little late', () => {
  const stage = new Stage();
  stage.client().do(stage.job('a', 1000, 0.02));
  expect(stage.log.splice(0)).toEqual(['a']);
  expect(stage.rest().flat()).toEqual(['a']);
});

test('while one works, others wait for a slice at most', () => {
  const stage = new Stage();
  stage.client().do(stage.job('long', 200, 1));
  stage.client().do(stage.job('small', 1, 1));
  expect(stage.log.splice(0)).toEqual(['long']);
  stage.turn();
  expect(stage.log.splice(0)).toEqual(['long']);
  stage.turn();
  expect(stage.log.splice(0)[0]).toBe('small');
});

test('ten jobs of one client weigh no more than one of another', () => {
  const stage = new Stage();
  const greedy = stage.client();
  for (let i = 0; i < 10; i++) greedy.do(stage.job(`greedy ${i}`, 40, 1));
  stage.client().do(stage.job('other', 40, 1));
  expect(stage.log.splice(0)).toEqual(['greedy 0']);
  const order = stage.rest().flat();
  const others = order.flatMap((name, index) => (name === 'other' ? [index] : []));
  expect(others.length).toBeGreaterThanOrEqual(3);
  // Between two slices of the other client there is one of the greedy one's.
  for (const [i, at] of others.entries()) if (i > 0) expect(at - (others[i - 1] ?? 0)).toBe(2);
  // Its own jobs take turns, too.
  const greedyFirst = order.filter((name) => name !== 'other').slice(0, 10);
  expect(new Set(greedyFirst).size).toBe(10);
});

test('ten feeds of one client weigh no more than one of another; one that another client carries goes on with its work', () => {
  const stage = new Stage();
  const [greedy, other] = [{}, {}];
  const feeds = Array.from({ length: 10 }, (_, i) => {
    const feed = stage.schedule.open(greedy);
    feed.do(stage.job(`greedy ${i}`, 40, 1));
    return feed;
  });
  stage.schedule.open(other).do(stage.job('other', 40, 1));
  stage.log.splice(0);
  const seen: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    stage.turn();
    seen.push(...stage.log.splice(0));
  }
  expect(seen.filter((name) => name === 'other')).toHaveLength(2);
  feeds[5]?.moveTo({});
  const moved = stage.rest().flat().slice(0, 6);
  // It has a place of its own between the two now.
  expect(moved.filter((name) => name === 'greedy 5').length).toBe(2);
});

test('a part that is closed leaves the rest of the client’s work alone', () => {
  const stage = new Stage();
  const client = {};
  const [feed, closed] = [stage.schedule.open(client), stage.schedule.open(client)];
  feed.do(stage.job('feed', 40, 1));
  closed.do(stage.job('closed', 40, 1));
  closed.close();
  expect(new Set(['feed', ...stage.rest().flat()])).toEqual(new Set(['feed']));
  expect(stage.log).toEqual([]);
});

test('what cannot be cut and takes long is followed by a rest as long, up to 50 ms; what is cut by none', () => {
  const stage = new Stage();
  const client = stage.client();
  client.do(stage.job('long', 1, 40));
  client.do(stage.job('endless', 1, 400));
  client.do(stage.job('cut', 40, 1));
  stage.rest();
  expect(stage.rests.slice(0, 2)).toEqual([40, 50]);
  expect(new Set(stage.rests.slice(2))).toEqual(new Set([0]));
});

test('much small work in one turn of the loop is work, too', () => {
  const stage = new Stage();
  for (let i = 0; i < 30; i++) stage.client().do(stage.job(`${i}`, 1, 1));
  expect(stage.log.splice(0).length).toBe(SLICE_MS);
  const turns = stage.rest();
  expect(turns.filter((slices) => slices.length > 0).map((slices) => slices.length)).toEqual([SLICE_MS, SLICE_MS]);
});

test('a job that comes again while it works is done again, once', () => {
  const stage = new Stage();
  const client = stage.client();
  let runs = 0;
  const job: Job = {
    work: () => {
      runs++;
      if (runs === 1) for (let i = 0; i < 3; i++) client.do(job);
      return true;
    },
  };
  client.do(job);
  stage.rest();
  expect(runs).toBe(2);
});

test('a client that is gone has nothing to do', () => {
  const stage = new Stage();
  const client = stage.client();
  client.do(stage.job('a', 100, 1));
  client.close();
  client.do(stage.job('b', 1, 1));
  stage.rest();
  expect(stage.log).toEqual([]);
  expect(stage.schedule.slices).toBe(1);
});

test('a job that fails leaves the schedule to the others', () => {
  const stage = new Stage();
  const failing: Job = {
    work: () => {
      throw new Error('of the job');
    },
  };
  expect(() => stage.client().do(failing)).toThrow('of the job');
  stage.client().do(stage.job('a', 1, 1));
  expect(stage.log).toEqual(['a']);
});
