// The workers: so many of them, each replaced when it dies, after a pause that grows if its successors die as well.

import type { Logger } from 'pino';
import type { FrontDoor } from './front-door.ts';
import type { Start, WorkerProcess } from './worker-process.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** A worker that has lived so long was well: the pauses begin anew. */
const LONG_LIFE_MS = 60_000;

/** A place that a worker fills. */
interface Slot {
  worker: WorkerProcess | undefined;
  /** Deaths in a row. */
  deaths: number;
  pause: NodeJS.Timeout | undefined;
}

type FailedStart = Extract<Start, { readonly ready: false }>;
/** How a worker ended, and what it said of it. */
type End = Pick<FailedStart, 'exit' | 'complaint'>;

/** The settings of a pool. */
export interface PoolSettings {
  readonly count: number;
  /** Starts a worker. */
  readonly start: () => WorkerProcess;
  readonly door: FrontDoor;
  readonly log: Logger;
  /** How long a worker that is to stop may take before it is killed, in milliseconds. */
  readonly stopMs: number;
  /** A worker has ended. */
  readonly ended?: ((worker: WorkerProcess) => void) | undefined;
}

/** The workers of one supervisor. */
export class Pool {
  readonly #settings: PoolSettings;
  readonly #slots: readonly Slot[];
  /** Workers that are to stop, or that start to take the place of others. */
  readonly #others = new Set<WorkerProcess>();
  /** All that have not ended. */
  readonly #workers = new Set<WorkerProcess>();
  #deaths = 0;
  #isRestarting = false;
  #isStopping = false;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#slots = Array.from({ length: settings.count }, () => ({ worker: undefined, deaths: 0, pause: undefined }));
  }

  /** Workers that serve clients, or let their last ones finish. */
  get workers(): readonly WorkerProcess[] {
    return [...this.#workers].filter(({ isAtWork }) => isAtWork);
  }

  /** Workers that ended though nobody had told them to. */
  get deaths(): number {
    return this.#deaths;
  }

  /** Starts the workers. Resolves when they can take clients, or to the first that could not start. */
  async open(): Promise<FailedStart | undefined> {
    return await this.#fill();
  }

  /**
   * Starts new workers and, when all can take clients, lets the old ones stop: from then on clients come to the new ones
   * only, so that nobody is sent away twice. If one cannot start, the old ones stay.
   */
  async restart(): Promise<void> {
    const { log } = this.#settings;
    if (this.#isRestarting || this.#isStopping) return;
    this.#isRestarting = true;
    log.info({}, 'restarting the workers');
    const failed = await this.#fill();
    this.#isRestarting = false;
    if (failed === undefined) log.info({}, 'the workers are new');
    else log.error({ reason: reasonOf(failed) }, 'the workers are not restarted; the old ones stay');
  }

  /** Lets workers read certificates again. */
  reload(): void {
    for (const { worker } of this.#slots) worker?.reload();
  }

  /** Lets all workers stop. Resolves when they have: to whether none of them had to be killed. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    for (const slot of this.#slots) this.#vacate(slot);
    const workers = [...this.#others];
    await Promise.all(workers.map(({ ended }) => ended));
    return workers.every(({ wasKilled }) => !wasKilled);
  }

  /** Ends all workers at once. */
  kill(): void {
    for (const worker of this.#others) worker.kill();
    for (const { worker } of this.#slots) worker?.kill();
  }

  /** Puts a new worker in each place, or in none. */
  async #fill(): Promise<FailedStart | undefined> {
    const workers = this.#slots.map(() => this.#start());
    const starts = await Promise.all(workers.map(({ started }) => started));
    const failed = starts.find((start) => !start.ready);
    if (failed !== undefined || this.#isStopping) {
      for (const worker of workers) this.#retire(worker);
      return failed;
    }
    for (const [index, slot] of this.#slots.entries()) {
      this.#vacate(slot);
      const worker = workers[index];
      if (worker !== undefined) this.#put(slot, worker);
    }
    return undefined;
  }

  #start(): WorkerProcess {
    const worker = this.#settings.start();
    this.#others.add(worker);
    this.#settings.log.info({ worker: worker.id, pid: worker.pid }, 'worker started');
    this.#workers.add(worker);
    void worker.ended.then(() => {
      this.#others.delete(worker);
      this.#workers.delete(worker);
      this.#settings.ended?.(worker);
    });
    return worker;
  }

  /** Gives a place to a worker that can take clients. */
  #put(slot: Slot, worker: WorkerProcess): void {
    const { door } = this.#settings;
    this.#others.delete(worker);
    slot.worker = worker;
    door.add(worker);
    void worker.ended.then((exit) => {
      door.remove(worker);
      if (slot.worker === worker) this.#replace(slot, worker, { exit, complaint: '' });
    });
  }

  /** Takes a place from its worker, which gets no more clients and stops. */
  #vacate(slot: Slot): void {
    clearTimeout(slot.pause);
    const { worker } = slot;
    slot.worker = undefined;
    if (worker === undefined) return;
    this.#settings.door.remove(worker);
    this.#others.add(worker);
    this.#retire(worker);
    void worker.ended.then(() => this.#others.delete(worker));
  }

  #retire(worker: WorkerProcess): void {
    const { log, stopMs } = this.#settings;
    worker.stop(stopMs, () =>
      log.error({ worker: worker.id, pid: worker.pid, ms: stopMs }, 'a worker does not stop and is killed'),
    );
  }

  #replace(slot: Slot, worker: WorkerProcess, end: End): void {
    const { exit } = end;
    slot.worker = undefined;
    this.#deaths++;
    slot.deaths = exit.lived >= LONG_LIFE_MS ? 1 : slot.deaths + 1;
    const pause = slot.deaths === 1 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (slot.deaths - 2));
    const fields = { worker: worker.id, pid: worker.pid, reason: reasonOf(end), ms: exit.lived };
    this.#settings.log.error({ ...fields, pause }, 'a worker died and is replaced');
    slot.pause = setTimeout(() => void this.#succeed(slot), pause);
  }

  async #succeed(slot: Slot): Promise<void> {
    const worker = this.#start();
    const start = await worker.started;
    // A restart, or the end, may have come in between.
    if (this.#isStopping || slot.worker !== undefined) this.#retire(worker);
    else if (start.ready) this.#put(slot, worker);
    else this.#replace(slot, worker, start);
  }
}

/** Why a process ended, for the log. */
function reasonOf({ exit, complaint }: End): string {
  if (complaint !== '') return complaint;
  return exit.signal === null ? `exit code ${exit.code}` : exit.signal;
}
