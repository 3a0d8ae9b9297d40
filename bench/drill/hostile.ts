// A hostile client, and what another client's reads take meanwhile: through the proxy, and with the hostile client at the
// database itself.

import type { Address } from '../../proxy/upstream/address.ts';
import { Client } from '../../src/client/client.ts';
import { type Hostile, hostileAtPlaces, hostileByChance } from '../../test/support/queries/hostile-mix.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { type Reading, readFor, textOf } from './reading.ts';
import {
  type DatabaseKind,
  deaths,
  HEAP_MB,
  MemoryWatch,
  NOBODY,
  openDatabase,
  openProxy,
  pause,
  stopProxy,
} from './stage.ts';
import type { Verdicts } from './verdict.ts';

/** The settings of the drill. */
export interface HostileSettings {
  readonly ms: number;
  readonly plans: readonly string[];
  readonly workers: readonly number[];
  readonly databases: readonly DatabaseKind[];
  /** Whether the hostile client may read the table. */
  readonly rights: readonly ('with' | 'without')[];
  /** Queries made by chance, beside one for each hostile term. */
  readonly fuzzed: number;
  readonly seed: number;
}

/** So many hostile queries are open at once; each for so long, unless it is answered before. */
const AT_ONCE = 8;
const PATIENCE_MS = 2000;
/** What a stop may take: `--drain-seconds`, and two more until a worker is killed. */
const STOP_MS = 12_000;
/** What a process takes beside its heap. */
const BESIDE_HEAP_MB = 200;

/** Runs the drill in all its forms. */
export async function hostile(program: Program, settings: HostileSettings, verdicts: Verdicts): Promise<void> {
  const { ms, databases, rights, fuzzed, seed } = settings;
  const queries = [...hostileAtPlaces(true), ...hostileByChance(fuzzed, seed, true)];
  for (const kind of databases) {
    for (const right of rights) {
      const name = `hostile, ${kind} database, ${right} rights`;
      const database = await openDatabase(kind, program);
      const { reading: directly, sent } = await attacked(database.address, database.address, right, queries, ms);
      await database.stop();
      console.log(`${name}, directly: ${sent} queries, ${textOf(directly)}`);
      for (const plan of settings.plans) {
        for (const workers of settings.workers) {
          console.log(`${name}, plan ${plan}, ${workers} worker${workers === 1 ? '' : 's'}:`);
          await through({ program, kind, right, queries, ms, plan, workers }, directly, verdicts);
        }
      }
    }
  }
}

interface Through {
  readonly program: Program;
  readonly kind: DatabaseKind;
  readonly right: 'with' | 'without';
  readonly queries: readonly Hostile[];
  readonly ms: number;
  readonly plan: string;
  readonly workers: number;
}

async function through(
  { program, kind, right, queries, ms, plan, workers }: Through,
  directly: Reading,
  verdicts: Verdicts,
): Promise<void> {
  const database = await openDatabase(kind, program);
  const proxy = await openProxy(program, database, ['--plan', plan, '--workers', String(workers)]);
  const memory = new MemoryWatch(proxy);
  const { reading, sent } = await attacked(proxy.address, proxy.address, right, queries, ms);
  console.log(`  ${sent} queries, ${textOf(reading)}`);
  verdicts.compare(reading, directly);
  const most = memory.stop();
  const budget = workers * (HEAP_MB + BESIDE_HEAP_MB);
  verdicts.say(most <= budget, `${most.toFixed(0)} MB resident at most, ${budget} MB allowed`);
  verdicts.say(deaths(proxy) === 0, `${deaths(proxy)} workers died`);
  const attacking = attack(proxy.address, right, queries, performance.now() + PATIENCE_MS);
  await pause(PATIENCE_MS / 2);
  const took = await stopProxy(proxy);
  await attacking;
  verdicts.say(took <= STOP_MS, `SIGTERM ends it in ${took.toFixed(0)} ms, with code ${proxy.code()}`);
  await database.stop();
}

async function attacked(
  target: Address,
  read: Address,
  right: 'with' | 'without',
  queries: readonly Hostile[],
  ms: number,
): Promise<{ readonly reading: Reading; readonly sent: number }> {
  const [reading, sent] = await Promise.all([
    readFor(read, ms),
    attack(target, right, queries, performance.now() + ms),
  ]);
  return { reading, sent };
}

/** Sends hostile queries until the time is over, each over a connection that goes when nothing more is expected of it. */
async function attack(
  address: Address,
  right: 'with' | 'without',
  queries: readonly Hostile[],
  until: number,
): Promise<number> {
  const settings = right === 'with' ? {} : { credentials: NOBODY };
  let next = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const query = queries[next++ % queries.length]?.query ?? '';
      const connecting = Client.connect(address, settings);
      // One that is let in late goes at once.
      const client = await Promise.race([connecting.catch(() => undefined), pause(PATIENCE_MS)]);
      if (!(client instanceof Client)) {
        connecting.then(
          (late) => late.close(),
          () => {},
        );
        continue;
      }
      // It reads a feed on as long as it lasts: what comes late is evaluated as well.
      const { ended } = client.open(query, () => {});
      await Promise.race([ended.catch(() => {}), pause(PATIENCE_MS)]);
      client.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return next;
}
