// Runs inside a worker of the proxy, loaded before it: tells which turns of its loop were long, and what ran in them. It costs the
// worker a fifth of its speed, so that what reads take is to be measured without it.
//
// A turn is one callback of the loop with all that it queued for itself: promises, `nextTick`. Its CPU is that of the main thread
// alone. A sampling profiler says what ran; it begins anew now and then, so that it forgets turns that were short.

import { createHook, executionAsyncResource } from 'node:async_hooks';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** A turn that was long, with what ran in it. */
export interface LongTurn {
  /** What kind of callback began it: `TCPWRAP`, `Immediate`. */
  readonly began: string;
  /** CPU of the main thread, and time by the clock, in milliseconds. */
  readonly cpu: number;
  readonly wall: number;
  /** The path of calls on which it was most of the time, the innermost first, each with its share of the samples. */
  readonly ran: readonly string[];
}

/** What a worker tells of its turns, in milliseconds. */
export interface TurnReport {
  readonly turns: number;
  readonly longestCpu: number;
  readonly longestWall: number;
  /** The longest time that a timer was late. */
  readonly longestDelay: number;
  /** The longest collection of garbage. */
  readonly longestCollection: number;
  /** The longest first. */
  readonly long: readonly LongTurn[];
}

const US_PER_MS = 1000;
const NS_PER_MS = 1e6;
const SAMPLE_US = 500;
const SEGMENT_MS = 5000;
const MOST_TOLD = 20;
const MOST_FUNCTIONS = 40;
/** What takes less of a turn is not told of. */
const LEAST_SHARE = 0.1;
/** Callbacks that belong to the turn before them. */
const QUEUED: ReadonlySet<string> = new Set(['Promise', 'TickObject', 'AsyncResource', 'Microtask']);
/** Callbacks for those who connect. */
const SOCKETS: ReadonlySet<string> = new Set(['TCP', 'TCPSERVERWRAP', 'TCPWRAP']);

const settings = new URL(import.meta.url).searchParams;
const folder = settings.get('folder');
// Only a worker has been forked; the supervisor evaluates nothing.
if (folder !== null && process.send !== undefined) watch(folder, Number(settings.get('long')));

interface Moment {
  readonly cpu: number;
  readonly wall: number;
}

interface Running {
  readonly began: string;
  readonly start: Moment;
  end: Moment;
}

function watch(into: string, longMs: number): void {
  const cpu = cpuOfThisThread();
  const moment = (): Moment => ({ cpu: cpu(), wall: Number(process.hrtime.bigint()) / NS_PER_MS });
  const found: LongTurn[] = [];
  const pending: Running[] = [];
  let [depth, turns, longestCpu, longestWall, longestCollection] = [0, 0, 0, 0, 0];
  let running: Running | undefined;
  let isOwn = false;
  let hasClients = false;
  const over = (): void => {
    if (running === undefined) return;
    const [used, took] = [running.end.cpu - running.start.cpu, running.end.wall - running.start.wall];
    turns++;
    longestCpu = Math.max(longestCpu, used);
    longestWall = Math.max(longestWall, took);
    if (used > longMs) pending.push(running);
    running = undefined;
  };
  createHook({
    before() {
      if (depth++ > 0 || isOwn) return;
      const began = executionAsyncResource()?.constructor?.name ?? 'unknown';
      // The time to start is nobody's turn.
      hasClients ||= SOCKETS.has(began);
      if (!hasClients) return;
      if (running !== undefined && QUEUED.has(began)) return;
      over();
      const start = moment();
      running = { began, start, end: start };
    },
    after() {
      if (--depth === 0 && running !== undefined) running.end = moment();
    },
  }).enable();

  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestCollection = Math.max(longestCollection, duration);
  }).observe({ entryTypes: ['gc'] });

  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  session.post('Profiler.start');
  const read = (): void => {
    over();
    session.post('Profiler.stop', (_error, { profile }) => {
      for (const turn of pending.splice(0)) found.push(told(turn, profile));
      found.sort((a, b) => b.cpu - a.cpu);
      found.splice(MOST_TOLD);
    });
  };
  setInterval(() => {
    // The time for this is no turn of the worker's.
    running = undefined;
    isOwn = true;
    read();
    session.post('Profiler.start');
    isOwn = false;
  }, SEGMENT_MS).unref();
  process.on('exit', () => {
    read();
    const report: TurnReport = {
      turns,
      longestCpu,
      longestWall,
      longestDelay: delays.max / NS_PER_MS,
      longestCollection,
      long: found,
    };
    writeFileSync(`${into}/${process.pid}.json`, JSON.stringify(report));
  });
}

/** Tells the milliseconds of CPU that the main thread has taken. */
function cpuOfThisThread(): () => number {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  process.on('exit', () => closeSync(file));
  const bytes = Buffer.alloc(128);
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return Number.parseInt(bytes.toString('latin1', 0, length), 10) / NS_PER_MS;
  };
}

function told({ began, start, end }: Running, profile: Profiler.Profile): LongTurn {
  return {
    began,
    cpu: end.cpu - start.cpu,
    wall: end.wall - start.wall,
    ran: ranBetween(profile, start.wall, end.wall),
  };
}

/** The path of calls on which a profile was most of the time between two moments, the innermost first. */
function ranBetween(
  { nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile,
  from: number,
  to: number,
): readonly string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const counts = new Map<number, number>();
  let at = startTime;
  let all = 0;
  samples.forEach((sample, index) => {
    at += timeDeltas[index] ?? 0;
    if (at < from * US_PER_MS || at > to * US_PER_MS) return;
    all++;
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  });
  const path: string[] = [];
  for (let node = nodes[0]; node !== undefined; ) {
    const share = (counts.get(node.id) ?? 0) / all;
    if (!(share >= LEAST_SHARE)) break;
    const name = nameOf(node);
    // A function that calls itself is told of once.
    if (!path.some((known) => known.endsWith(` ${name}`))) path.unshift(`${Math.round(100 * share)}% ${name}`);
    const children = (node.children ?? []).toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
    node = children[0] === undefined ? undefined : byId.get(children[0]);
  }
  return path.slice(0, MOST_FUNCTIONS);
}

function nameOf(node: Profiler.ProfileNode | undefined): string {
  const { functionName = '', url = '', lineNumber = 0 } = node?.callFrame ?? {};
  const file = url.slice(url.lastIndexOf('/') + 1);
  return `${functionName === '' ? 'a function' : functionName}${file === '' ? '' : ` (${file}:${lineNumber + 1})`}`;
}
