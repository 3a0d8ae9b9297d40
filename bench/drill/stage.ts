// The stage of a drill: a database, with a table, rows and a user without rights, and proxies before it.

import { readdirSync, readFileSync } from 'node:fs';
import { type Address, printAddress } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { queryOfText } from '../../src/command/query-of-text.ts';
import { eventually } from '../../test/support/checks/eventually.ts';
import type { Program, Started } from '../../test/support/servers/program.ts';
import { startRethinkdb } from '../stage.ts';
import type { Verdicts } from './verdict.ts';

/** The database behind the proxy. */
export type DatabaseKind = 'real' | 'embedded';

/** A database that runs for one drill, so that nothing of the last one is left in it. */
export interface Database {
  readonly kind: DatabaseKind;
  readonly address: Address;
  stop(): Promise<void>;
}

/** A user who may do nothing. */
export const NOBODY = { user: 'nobody', password: 'nothing' } as const;

/** Heap of each worker, in megabytes; the budget of memory is half of it. */
const HEAP_MB = 1024;

/** Starts a database and fills it. */
export async function openDatabase(kind: DatabaseKind, program: Program): Promise<Database> {
  const database = kind === 'real' ? await real() : await embedded(program);
  const owner = await Client.connect(database.address);
  const run = (text: string): Promise<unknown> => owner.run(queryOfText(text));
  await run("r.dbCreate('test')").catch(() => {});
  await run("r.db('test').tableCreate('t')");
  await run("r.db('test').table('t').insert([{id: 1}, {id: 2}, {id: 3}])");
  await run(`r.db('rethinkdb').table('users').insert({id: '${NOBODY.user}', password: '${NOBODY.password}'})`);
  owner.close();
  return database;
}

async function real(): Promise<Database> {
  const found = await startRethinkdb();
  if (found === undefined) throw new Error('there is no `rethinkdb` on the PATH; --databases embedded needs none');
  return {
    kind: 'real',
    address: found.address,
    async stop() {
      endAtOnce(found.pid);
      await found.stop();
    },
  };
}

/** What a database still evaluates would keep it from ending in good order. */
function endAtOnce(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {
    console.log('  RethinkDB itself has died');
  }
}

async function embedded(program: Program): Promise<Database> {
  const started = program.start(['--embedded', '--workers', '0', '--listen', '127.0.0.1:0']);
  await started.readyPort();
  const port = Number(/upstream 127\.0\.0\.1:(\d+)/.exec(started.out())?.[1]);
  return {
    kind: 'embedded',
    address: { host: '127.0.0.1', port },
    async stop() {
      started.child.kill('SIGKILL');
      await eventually('it has ended', () => started.code() !== undefined);
    },
  };
}

/** A proxy that runs. */
export interface Proxy extends Started {
  readonly address: Address;
}

/** Starts a proxy before a database. `nodeOptions`: what Node is told besides. */
export async function openProxy(
  program: Program,
  { address }: Database,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<Proxy> {
  const all = ['--listen', '127.0.0.1:0', '--upstream', printAddress(address), ...args];
  const started = program.start(all, [`--max-old-space-size=${HEAP_MB}`, ...nodeOptions]);
  const port = await started.readyPort();
  return { ...started, address: { host: '127.0.0.1', port } };
}

/** What a stop may take: `--drain-seconds`, and two more until a worker is killed. */
const STOP_MS = 12_000;

/** Tells a proxy to stop, which it has to do in time. */
export async function stopProxy({ child, code }: Started, verdicts: Verdicts): Promise<void> {
  const start = performance.now();
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exit;
  const took = performance.now() - start;
  verdicts.say(
    took <= STOP_MS && code() === 0,
    `SIGTERM ends it in ${took.toFixed(0)} ms, at most ${STOP_MS} ms, with code ${code()}`,
  );
}

/** What a process takes beside its heap, in megabytes. */
const BESIDE_HEAP_MB = 200;

/** Says whether what a proxy of so many workers has taken is within its budget, and whether all of them lived. */
export function sayLived(proxy: Started, most: number, workers: number, verdicts: Verdicts): void {
  const budget = workers * (HEAP_MB + BESIDE_HEAP_MB);
  verdicts.say(most <= budget, `${most.toFixed(0)} MB resident at most, ${budget} MB allowed`);
  verdicts.say(deaths(proxy) === 0, `${deaths(proxy)} workers died`);
}

/** How many workers have died so far. */
function deaths({ logged }: Started): number {
  return logged('a worker died and is replaced').length;
}

/** Watches how much memory a proxy takes. */
export class MemoryWatch {
  readonly #pid: number;
  readonly #timer: NodeJS.Timeout;
  #most = 0;

  constructor({ child }: Started) {
    this.#pid = child.pid ?? 0;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#look();
  }

  /** The most resident megabytes so far. */
  get most(): number {
    return this.#most;
  }

  stop(): number {
    clearInterval(this.#timer);
    return this.#most;
  }

  #look(): void {
    try {
      this.#most = Math.max(this.#most, residentMb(this.#pid));
    } catch {
      // A process that ends while it is looked at.
    }
  }
}

const LOOK_MS = 250;
const KIB_PER_MB = 1024;

/** Resident megabytes of a process and of those that it started. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const own = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / KIB_PER_MB;
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== ''),
  );
  return children.reduce((sum, child) => sum + residentMb(Number(child)), own);
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
