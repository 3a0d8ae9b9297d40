// What a feed shows at first is looked at while it is made: the process may have no room for all of it.

import { expect, test } from 'vitest';
import { createOpenFeed } from '../../../proxy/feed/opening/open-feed.ts';
import { Schedule } from '../../../proxy/work/schedule.ts';
import { queryOfText } from '../../../src/command/query-of-text.ts';
import { PROXY_PLAN, ScriptedIo } from './scripted-io.ts';

const ROWS = 60_000;
const LOOK_MS = 0.02;
const MEBIBYTE = 1024 * 1024;

/** Fills a feed and turns the loop until there is nothing to do; what the process held at most, and what the client was told last. */
async function fill(
  maxMemory?: number,
): Promise<{ readonly most: number; readonly state: number; readonly io: ScriptedIo }> {
  let now = 0;
  const deferred: (() => void)[] = [];
  const schedule = new Schedule({
    now: () => {
      now += LOOK_MS;
      return now;
    },
    defer: (callback) => deferred.push(callback),
  });
  const io = new ScriptedIo(schedule, maxMemory);
  const body = Buffer.from(queryOfText("r.table('t')('n').distinct().changes({includeInitial: true})"));
  const feed = createOpenFeed(PROXY_PLAN)({ body, serverVersion: '2.4.4', user: 'admin', protocol: 'V1_0' }, io);
  const { memory } = io.process;
  let [most, state] = [0, 0];
  const turn = async (): Promise<void> => {
    for (let run = deferred.shift(); run !== undefined; run = deferred.shift()) {
      run();
      await Promise.resolve();
      most = Math.max(most, memory.reading.heap);
    }
  };
  const rows = Array.from({ length: ROWS }, (_, n) => ({ new_val: [n] }));
  io.respond({ t: 3, r: rows, n: [1, 5] });
  await turn();
  state = memory.reading.heap;
  io.respond({ t: 3, r: [{ state: 'ready' }], n: [1, 5] });
  await turn();
  if (typeof feed === 'object') feed.continue();
  return { most, state, io };
}

test('a feed whose first values the process has no room for ends while they are made', async () => {
  const unbound = await fill();
  expect(unbound.most - unbound.state).toBeGreaterThan(5 * MEBIBYTE);
  const limit = unbound.state + MEBIBYTE;
  const { most, io } = await fill(limit);
  expect(io.answers.at(-1)).toMatchObject({ t: 18, r: [expect.stringMatching(/^Livefold is short of memory/)] });
  // By what is made between two looks.
  expect(most).toBeLessThan(limit + 1.5 * MEBIBYTE);
  expect(io.process.memory.reading.state).toBe(0);
});
