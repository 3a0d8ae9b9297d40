// The time that the process has worked. On a machine that is busy with others an evaluation takes long and costs little: it is not
// to be refused for that. Nor is it for what other threads of the process did meanwhile, V8's collector say.

import type { WorkClock } from '../../rewrite/reql/meter.ts';

/** The two times that the clock is made of, in milliseconds. */
export interface WorkClockSettings {
  readonly now: () => number;
  /** What all threads of the process have taken. */
  readonly cpu: () => number;
}

const SYSTEM: WorkClockSettings = { now: () => performance.now(), cpu: cpuMs };

/** Makes a clock: from one look to the next it goes on by no more than what has passed, and what the process has taken. */
export function workClock({ now, cpu }: WorkClockSettings = SYSTEM): WorkClock {
  let [passed, taken] = [now(), cpu()];
  let worked = 0;
  return () => {
    const [before, used] = [passed, taken];
    passed = now();
    taken = cpu();
    worked += Math.min(passed - before, taken - used);
    return worked;
  };
}

const MICROSECONDS = 1000;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICROSECONDS;
}
