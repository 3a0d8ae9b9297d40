// A hostile client, and what another client's reads take meanwhile: through the proxy, and with the hostile client at the
// database itself. There the client sends what it sends through the proxy; and, in a second run, folds in place of what the proxy
// makes folds of, since RethinkDB evaluates those for whoever writes them. Reads through the proxy are held to the worse of the two.
//
// A single `r.range(1e15).count()` stops RethinkDB 2.4.4 for good, whoever sends it, with any rights: reads of others are not answered
// any more, by the database itself. So do `sum`, `avg` and `max` of such a range: of each, three readers waited for eight seconds, and
// for ten more when its client was gone. So does an option of `changes` that is such a count, which the proxy refuses; and what nests deeply ends its
// process. What is
// RethinkDB's to evaluate is left out, therefore, unless `--passing` asks for it: in all forms what comes to it whichever way it is
// sent, and beside these, without a proxy, what the proxy would not let pass.

import type { Address } from '../../proxy/upstream/address.ts';
import { rewrite } from '../../rewrite/rewrite.ts';
import { Client } from '../../src/client/client.ts';
import { chance } from '../../test/support/queries/chance.ts';
import { hostileFeeds } from '../../test/support/queries/hostile-feeds.ts';
import { type Hostile, hostileAtPlaces, hostileByChance } from '../../test/support/queries/hostile-mix.ts';
import type { Program } from '../../test/support/servers/program.ts';
import { fillForHostile, keepChanging } from './hostile-tables.ts';
import { type Reading, readFor, textOf, worse } from './reading.ts';
import {
  type Database,
  type DatabaseKind,
  MemoryWatch,
  NOBODY,
  openDatabase,
  openProxy,
  pause,
  sayLived,
  stopProxy,
} from './stage.ts';
import { TurnWatch } from './turns.ts';
import type { Verdicts } from './verdict.ts';

/** The settings of the drill. */
export interface HostileSettings {
  /** How long each form lasts, and each run at the database itself. */
  readonly ms: number;
  readonly directMs: number;
  readonly plans: readonly string[];
  readonly workers: readonly number[];
  readonly databases: readonly DatabaseKind[];
  /** Whether the hostile client may read the table. */
  readonly rights: readonly ('with' | 'without')[];
  /** Queries made by chance, beside one for each hostile term. */
  readonly fuzzed: number;
  readonly seed: number;
  /** Whether turns of the workers' loops are looked at, rather than reads. */
  readonly turns: boolean;
  /** Whether terms are sent as well that RethinkDB alone evaluates. */
  readonly passing: boolean;
  /** What the names of the queries contain that are sent; all are if it is empty. */
  readonly named: string;
}

/** So many hostile queries are open at once; each for so long, unless it is answered before. */
const AT_ONCE = 8;
const PATIENCE_MS = 2000;
const MS_PER_MINUTE = 60_000;

/** Runs the drill in all its forms. */
export async function hostile(program: Program, settings: HostileSettings, verdicts: Verdicts): Promise<void> {
  for (const kind of settings.databases) {
    for (const right of settings.rights) {
      const place: Place = { program, kind, right, ...settings };
      // The same for all plans: of what is watched RethinkDB evaluates what it can before it refuses the query. It gets that as folds.
      const plain = settings.turns ? undefined : await directly(place, queriesOf(settings), 'directly');
      for (const plan of settings.plans) {
        const drill: Drill = { ...place, plan, queries: queriesOf(settings, plan) };
        const folds = plain && (await foldsDirectly(drill));
        const base = plain && folds ? worse(plain, folds) : plain;
        for (const workers of settings.workers) await through(drill, workers, base, verdicts);
      }
    }
  }
}

/** Reads with the hostile client at the database itself, where it sends folds; `undefined` where the plan has none, or it may not. */
async function foldsDirectly(drill: Drill): Promise<Reading | undefined> {
  const { right, plan, queries } = drill;
  if (right === 'without' || plan === 'proxy') return undefined;
  // Terms after `changes` would stand in the fold, and be RethinkDB's to evaluate: in the proxy they are not.
  const folded = queries.flatMap((query) => {
    if (query.where === 'feed') return foldedBy(plan, query) ?? query;
    return isRethinkdbs(query, undefined) ? [] : query;
  });
  return directly(drill, folded, `directly, folds of plan ${plan}`);
}

/** All queries under a plan, or without a proxy, in an order of chance, so that a short drill meets all kinds. */
function queriesOf({ fuzzed, seed, named, passing }: HostileSettings, plan?: string): readonly Hostile[] {
  const feeds = Object.entries(hostileFeeds()).map(([name, query]): Hostile => ({ name, query, where: 'feed' }));
  const all = [...hostileAtPlaces(true), ...feeds, ...hostileByChance(fuzzed, seed, true)];
  const isSent = (hostile: Hostile): boolean => passing || !isRethinkdbs(hostile, plan);
  return shuffled(
    all.filter((hostile) => hostile.name.includes(named) && isSent(hostile)),
    seed,
  );
}

/** Whether it is RethinkDB that evaluates what is hostile in a query. */
function isRethinkdbs(hostile: Hostile, plan: string | undefined): boolean {
  switch (hostile.where) {
    case 'option':
    case 'opening':
      return plan === undefined;
    case 'watched':
      return plan === undefined || foldedBy(plan, hostile) !== undefined;
    case 'passing':
      return true;
    case 'feed':
      return hostile.name.includes('costs') && (plan === undefined || foldedBy(plan, hostile) !== undefined);
    case 'beside':
      return false;
  }
}

/** The same in an order of chance. */
function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  const random = chance(seed);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Where the hostile client is. */
interface Place extends HostileSettings {
  readonly program: Program;
  readonly kind: DatabaseKind;
  readonly right: 'with' | 'without';
}

interface Drill extends Place {
  readonly plan: string;
  readonly queries: readonly Hostile[];
}

/** The fold that a plan makes of a query; `undefined` where it makes none. */
function foldedBy(plan: string, hostile: Hostile): Hostile | undefined {
  if (plan === 'proxy') return undefined;
  const made = rewrite(hostile.query);
  const isFold = made.kind === 'rewritten' && (plan === 'server' || made.growth === 'constant');
  return isFold ? { ...hostile, query: made.query } : undefined;
}

/** Reads with the hostile client at the database itself. */
async function directly(place: Place, queries: readonly Hostile[], how: string): Promise<Reading> {
  const { kind, right, program, directMs: ms } = place;
  const database = await openDatabase(kind, program);
  await fillForHostile(database);
  const { reading, sent } = await attacked(database, database.address, right, queries, ms);
  await database.stop();
  console.log(`hostile, ${kind} database, ${right} rights, ${how}: ${sent} queries, ${textOf(reading)}`);
  return reading;
}

async function through(
  { program, kind, right, plan, queries, ms, turns }: Drill,
  workers: number,
  base: Reading | undefined,
  verdicts: Verdicts,
): Promise<void> {
  verdicts.begin(
    `hostile, ${kind} database, ${right} rights, plan ${plan}, ${workers} worker${workers === 1 ? '' : 's'}`,
  );
  const database = await openDatabase(kind, program);
  await fillForHostile(database);
  const watch = turns ? await TurnWatch.make(program) : undefined;
  const args = ['--plan', plan, '--workers', String(workers)];
  const proxy = await openProxy(program, database, args, watch?.nodeOptions);
  const memory = new MemoryWatch(proxy);
  const { reading, sent } = await attacked(database, proxy.address, right, queries, ms);
  console.log(`  ${sent} queries, ${textOf(reading)}`);
  if (base !== undefined) verdicts.compare(reading, base);
  sayLived(proxy, memory.stop(), workers, verdicts);
  const attacking = attack(proxy.address, right, queries, performance.now() + PATIENCE_MS);
  await pause(PATIENCE_MS / 2);
  await stopProxy(proxy, verdicts);
  await attacking;
  watch?.say(verdicts);
  await database.stop();
}

/** Reads a row of a server again and again while hostile queries are sent to it and rows change. */
async function attacked(
  database: Database,
  server: Address,
  right: 'with' | 'without',
  queries: readonly Hostile[],
  ms: number,
): Promise<{ readonly reading: Reading; readonly sent: number }> {
  const start = performance.now();
  const until = start + ms;
  let sent = 0;
  const tell = setInterval(() => {
    console.log(`    ${Math.round((performance.now() - start) / MS_PER_MINUTE)} min: ${sent} queries so far`);
  }, MS_PER_MINUTE);
  try {
    const [reading] = await Promise.all([
      readFor(server, ms),
      attack(server, right, queries, until, () => sent++),
      keepChanging(database, until),
    ]);
    return { reading, sent };
  } finally {
    clearInterval(tell);
  }
}

/** Sends hostile queries until the time is over, each over a connection that goes when nothing more is expected of it. */
async function attack(
  address: Address,
  right: 'with' | 'without',
  queries: readonly Hostile[],
  until: number,
  sends: () => void = () => {},
): Promise<void> {
  const settings = right === 'with' ? {} : { credentials: NOBODY };
  let next = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const query = queries[next++ % queries.length]?.query ?? '';
      sends();
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
      // It reads a feed on as long as it lasts: late documents are evaluated as well.
      const { ended } = client.open(query, () => {});
      await Promise.race([ended.catch(() => {}), pause(PATIENCE_MS)]);
      client.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}
