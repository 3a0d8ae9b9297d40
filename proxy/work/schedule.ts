// The one schedule of a process for the work of feeds. A job begins at once where nothing waits, so that a small change is not
// delayed by a turn of Node's loop; what takes longer than a slice goes on in later turns of the loop, between which sockets
// are served. Clients take turns, and so do the jobs of each: ten large feeds of one client weigh no more than one.
//
//   ring:  [client A: job 1, job 2]  [client B: job 3]      a slice: A1; then B3; then A2; then B3 ...

import type { Job, Turn } from './turn.ts';

/** How long the feeds of a process may work in one turn of the loop, in milliseconds. */
export const SLICE_MS = 10;
/** Work of less than this, in milliseconds, is not held against those who come later in the same turn of the loop. */
const LITTLE_MS = 1;

/** What a schedule is made with. */
export interface ScheduleSettings {
  /** Milliseconds, as `performance.now` tells them. */
  readonly now: () => number;
  /** Calls back in the next turn of the loop, when sockets have been served. */
  readonly defer: (callback: () => void) => void;
}

const SYSTEM: ScheduleSettings = { now: () => performance.now(), defer: (callback) => void setImmediate(callback) };

/** Work of all clients of a process. */
export class Schedule {
  readonly #settings: ScheduleSettings;
  /** The clients with jobs that wait, the next to be served first. */
  readonly #ring = new Set<ClientWork>();
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

  /** A client's part of the schedule. */
  open(): ClientWork {
    const client = new ClientWork((job) => this.#take(client, job));
    return client;
  }

  #take(client: ClientWork, job: Job): void {
    const isFree = !this.#isWorking && this.#ring.size === 0 && this.#spent < SLICE_MS;
    if (isFree && this.#slice(job)) return;
    client.jobs.add(job);
    this.#ring.add(client);
    this.#defer();
  }

  /** Works on a job for what is left of this turn of the loop; says whether all is done. */
  #slice(job: Job): boolean {
    const { now } = this.#settings;
    const start = now();
    this.#isWorking = true;
    this.#slices++;
    try {
      return job.work(new Slice(now, start + SLICE_MS - this.#spent));
    } finally {
      this.#isWorking = false;
      this.#spent += now() - start;
      if (this.#spent >= LITTLE_MS) this.#defer();
    }
  }

  #defer(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#settings.defer(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isDeferred = false;
    this.#spent = 0;
    for (const client of this.#ring) {
      if (this.#spent >= SLICE_MS) break;
      this.#ring.delete(client);
      this.#serve(client);
    }
    if (this.#ring.size > 0) this.#defer();
  }

  #serve(client: ClientWork): void {
    const [job] = client.jobs;
    if (job === undefined) return;
    client.jobs.delete(job);
    const isDone = this.#slice(job);
    // What came while it worked has its place; what is left goes behind it.
    if (!isDone && client.isOpen) client.jobs.add(job);
    if (client.jobs.size > 0) this.#ring.add(client);
  }
}

/** The jobs of one client. */
export class ClientWork {
  /** Those that wait for their turn, the next one first. */
  readonly jobs = new Set<Job>();
  readonly #take: (job: Job) => void;
  #open = true;

  constructor(take: (job: Job) => void) {
    this.#take = take;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** There is something to do: begins now, if nothing waits. A job that waits already is done once. */
  do(job: Job): void {
    if (this.#open) this.#take(job);
  }

  /** The client is gone: nothing is to be done any more. */
  close(): void {
    this.#open = false;
    this.jobs.clear();
  }
}

/** How often a slice is asked before it looks at the clock, which takes as long as a small change. */
const ASKS_A_LOOK = 4;

/** A turn that ends at a moment. */
class Slice implements Turn {
  readonly #now: () => number;
  readonly #end: number;
  #asked = 0;
  #isOver = false;

  constructor(now: () => number, end: number) {
    this.#now = now;
    this.#end = end;
  }

  isOver(): boolean {
    this.#asked++;
    if (!this.#isOver && this.#asked % ASKS_A_LOOK === 0) this.#isOver = this.#now() >= this.#end;
    return this.#isOver;
  }
}
