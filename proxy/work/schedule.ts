// The one schedule of a process for the work of feeds. A job begins at once where nothing waits, so that a small change is not
// delayed by a turn of Node's loop; what takes longer than a slice goes on in later turns of the loop, between which sockets
// are served. Clients take turns, and so do the jobs of each: ten large feeds of one client weigh no more than one. A client is a
// connection; a feed that several follow is the work of the one whose connection carries it.
//
//   ring:  [client A: job 1, job 2]  [client B: job 3]      a slice: A1; then B3; then A2; then B3 ...

import { Stopwatch } from './stopwatch.ts';
import type { Job, Turn } from './turn.ts';

/** The time for which the feeds of a process may work in one turn of the loop, in milliseconds. */
export const SLICE_MS = 10;
/** Work of one turn that took longer than this, in milliseconds, is followed by a rest as long as it, up to the longest. */
const LONG_MS = 20;
const LONGEST_REST_MS = 50;
/** Work of less than this, in milliseconds, is not held against those who come later in the same turn of the loop. */
const LITTLE_MS = 1;

/** The settings of a schedule. */
export interface ScheduleSettings {
  /** Milliseconds, as `performance.now` tells them. */
  readonly now: () => number;
  /** Calls back in the next turn of the loop, when sockets have been served, or after so many milliseconds where that is later. */
  readonly defer: (callback: () => void, ms: number) => void;
}

const SYSTEM: ScheduleSettings = {
  now: () => performance.now(),
  defer: (callback, ms) => void (ms > 0 ? setTimeout(callback, ms) : setImmediate(callback)),
};

/** Work of all clients of a process. */
export class Schedule {
  readonly #settings: ScheduleSettings;
  /** By what stands for a client: its connection. */
  readonly #members = new WeakMap<object, Member>();
  /** The clients with jobs that wait, the next to be served first. */
  readonly #ring = new Set<Member>();
  /** Milliseconds worked in this turn of the loop. */
  #spent = 0;
  #isWorking = false;
  #isDeferred = false;
  #slices = 0;

  constructor(settings: ScheduleSettings = SYSTEM) {
    this.#settings = settings;
  }

  /** Slices of work that were done so far. */
  get slices(): number {
    return this.#slices;
  }

  /** A part of a client's work. All parts of one client have one place between the clients. */
  open(client: object): ClientWork {
    return new ClientWork(
      (work, job) => this.#take(work, job),
      this.#memberOf(client),
      (other) => this.#memberOf(other),
      new Stopwatch(this.#settings.now),
    );
  }

  #memberOf(client: object): Member {
    const member = this.#members.get(client) ?? new Map<Job, ClientWork>();
    this.#members.set(client, member);
    return member;
  }

  #take(work: ClientWork, job: Job): void {
    const isFree = !this.#isWorking && this.#ring.size === 0 && this.#spent < SLICE_MS;
    if (isFree && this.#slice(work, job)) return;
    work.member.set(job, work);
    this.#ring.add(work.member);
    this.#defer();
  }

  /** Works on a job for what is left of this turn of the loop; says whether all is done. */
  #slice({ spent }: ClientWork, job: Job): boolean {
    const { now } = this.#settings;
    const start = now();
    this.#isWorking = true;
    this.#slices++;
    spent.begin(start);
    try {
      return job.work(new Slice(now, start, start + SLICE_MS - this.#spent));
    } finally {
      const end = now();
      spent.end(end);
      this.#isWorking = false;
      this.#spent += end - start;
      if (this.#spent >= LITTLE_MS) this.#defer();
    }
  }

  /** What could not be cut into slices has held up the loop: it is left to others for as long, whoever wants to work next. */
  get #rest(): number {
    return this.#spent < LONG_MS ? 0 : Math.min(this.#spent, LONGEST_REST_MS);
  }

  #defer(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#settings.defer(() => this.#nextTurn(), this.#rest);
  }

  #nextTurn(): void {
    this.#isDeferred = false;
    this.#spent = 0;
    for (const member of this.#ring) {
      if (this.#spent >= SLICE_MS) break;
      this.#ring.delete(member);
      this.#serve(member);
    }
    if (this.#ring.size > 0) this.#defer();
  }

  #serve(member: Member): void {
    const [first] = member;
    if (first === undefined) return;
    const [job, work] = first;
    member.delete(job);
    const isDone = this.#slice(work, job);
    // Jobs that came while it worked keep their places; the rest of it goes behind them. It may have become another client's meanwhile.
    if (!isDone && work.isOpen) {
      work.member.set(job, work);
      this.#ring.add(work.member);
    }
    if (member.size > 0) this.#ring.add(member);
  }
}

/** The jobs of a client that wait, the next one first, and the part of its work that each belongs to. */
type Member = Map<Job, ClientWork>;

/** A part of the work of one client: that of a feed, say, which may become another client's. */
export class ClientWork {
  /** The time that it has taken: slices of its jobs, and what else is counted with it. */
  readonly spent: Stopwatch;
  readonly #take: (work: ClientWork, job: Job) => void;
  readonly #memberOf: (client: object) => Member;
  #member: Member;
  #open = true;

  constructor(
    take: (work: ClientWork, job: Job) => void,
    member: Member,
    memberOf: (client: object) => Member,
    spent: Stopwatch,
  ) {
    this.spent = spent;
    this.#take = take;
    this.#member = member;
    this.#memberOf = memberOf;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** The jobs among which those of this part stand. */
  get member(): Map<Job, ClientWork> {
    return this.#member;
  }

  /** There is something to do: begins now, if nothing waits. A job that waits already is done once. */
  do(job: Job): void {
    if (this.#open) this.#take(this, job);
  }

  /** It is another client's from now on, and waits with what that one has to do. */
  moveTo(client: object): void {
    const member = this.#memberOf(client);
    if (member === this.#member) return;
    const jobs = this.#leave();
    this.#member = member;
    for (const job of jobs) this.do(job);
  }

  /** Nothing is to be done any more. */
  close(): void {
    this.#open = false;
    this.#leave();
  }

  #leave(): readonly Job[] {
    const jobs = [...this.#member].flatMap(([job, work]) => (work === this ? [job] : []));
    for (const job of jobs) this.#member.delete(job);
    return jobs;
  }
}

/**
 * How often a slice is asked before it looks at the clock, which takes as long as a small change, and how short what is asked
 * about is then.
 */
const ASKS_A_LOOK = 4;
const SHORT_MS = 0.25;

/** A turn that ends at a moment. */
class Slice implements Turn {
  readonly #now: () => number;
  readonly #end: number;
  #lookedAt: number;
  /** Asks until it looks again. */
  #asks = 1;
  #isOver = false;

  constructor(now: () => number, start: number, end: number) {
    this.#now = now;
    this.#lookedAt = start;
    this.#end = end;
  }

  isOver(): boolean {
    this.#asks--;
    if (this.#asks <= 0 && !this.#isOver) this.#look();
    return this.#isOver;
  }

  #look(): void {
    const now = this.#now();
    this.#isOver = now >= this.#end;
    this.#asks = now - this.#lookedAt < SHORT_MS ? ASKS_A_LOOK : 1;
    this.#lookedAt = now;
  }
}
