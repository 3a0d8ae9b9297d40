// Several processes that share one listening address, for machines with more cores than one process can use. Each worker
// is the program itself, started anew; one that dies takes its own clients along and is replaced.

import cluster, { type Worker } from 'node:cluster';
import { printAddress } from '../../proxy/address.ts';
import type { Log } from '../../proxy/log.ts';
import type { EmbeddedServer } from '../embedded/index.ts';
import type { Surroundings } from './surroundings.ts';

/** A worker that dies sooner than this after its start is not replaced sooner, either. */
const SHORTEST_LIFE_MS = 1000;

/** Options that only the primary process obeys, and whether they have a value. */
const PRIMARY_ONLY: ReadonlyMap<string, boolean> = new Map([
  ['--embedded', false],
  ['--embedded-listen', true],
  ['--embedded-password', true],
  ['--workers', true],
]);

/** Whether this process is a worker. */
export const isWorker: boolean = cluster.isWorker;

/** Tells the primary process a line that it is to print. */
export function tellPrimary(line: string): void {
  process.send?.(line);
}

/** What the workers are started with: the options of the program, but for those that the primary has dealt with. */
export function workerArgs(args: readonly string[], embedded: EmbeddedServer | undefined): readonly string[] {
  const kept: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const [flag = ''] = arg.split('=', 1);
    const hasValue = PRIMARY_ONLY.get(flag);
    if (hasValue === undefined) kept.push(arg);
    else if (hasValue && arg === flag) index++;
  }
  return embedded === undefined ? kept : [...kept, `--upstream=${printAddress(embedded.address)}`];
}

/** Starts workers and keeps their number. Resolves when all are ready, or when the first could not start. */
export async function serveWithWorkers(
  count: number,
  args: readonly string[],
  embedded: EmbeddedServer | undefined,
  log: Log,
  around: Surroundings,
): Promise<void> {
  cluster.setupPrimary({ args: [...workerArgs(args, embedded)] });
  const pool = new Pool(log);
  const first = await pool.start();
  if (typeof first !== 'string') {
    // It has said itself what was wrong.
    await embedded?.close();
    around.exit(first);
    return;
  }
  await Promise.all(Array.from({ length: count - 1 }, () => pool.start()));
  pool.keep();
  around.print(first);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    around.onSignal(signal, () => {
      if (pool.stopping) {
        pool.kill('SIGKILL');
        around.exit(1);
        return;
      }
      log.info({ signal, workers: count }, 'stopping');
      void pool
        .stop()
        .then(() => embedded?.close())
        .then(() => around.exit(0));
    });
  }
  around.onSignal('SIGHUP', () => pool.kill('SIGHUP'));
}

/** The workers that run. */
class Pool {
  readonly #log: Log;
  readonly #workers = new Set<Worker>();
  #keeping = false;
  #stopping = false;
  #emptied: () => void = () => {};

  constructor(log: Log) {
    this.#log = log;
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Starts a worker. Resolves to the line it says when it is ready, or to its exit code if it ends before. */
  start(): Promise<string | number> {
    return new Promise((resolve) => {
      const worker = cluster.fork();
      const startedAt = performance.now();
      this.#workers.add(worker);
      this.#log.info({ worker: worker.process.pid }, 'worker started');
      worker.once('message', (line) => resolve(String(line)));
      worker.once('exit', (code, signal) => {
        resolve(code ?? 1);
        this.#workers.delete(worker);
        if (this.#workers.size === 0) this.#emptied();
        if (this.#keeping && !this.#stopping) this.#replace(worker, startedAt, code ?? signal);
      });
    });
  }

  /** From here on workers that die are replaced. */
  keep(): void {
    this.#keeping = true;
  }

  /** Lets all workers finish what they do. Resolves when they are gone. */
  stop(): Promise<void> {
    this.#stopping = true;
    this.kill('SIGTERM');
    return new Promise((resolve) => {
      this.#emptied = resolve;
      if (this.#workers.size === 0) resolve();
    });
  }

  kill(signal: NodeJS.Signals): void {
    for (const worker of this.#workers) worker.process.kill(signal);
  }

  #replace(worker: Worker, startedAt: number, reason: number | string): void {
    this.#log.error({ worker: worker.process.pid, reason }, 'a worker died and is replaced');
    const wait = Math.max(0, SHORTEST_LIFE_MS - (performance.now() - startedAt));
    setTimeout(() => {
      if (!this.#stopping) void this.start();
    }, wait);
  }
}
