// A hostile client for as long as one likes, and what another client's reads take meanwhile: through the proxy, and with the
// hostile client at the database itself. `npm run drill -- --help`.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Address } from '../proxy/upstream/address.ts';
import { TermType } from '../rewrite/reql/term-type.ts';
import { Client } from '../src/client/client.ts';
import { type Hostile, hostileAtPlaces, hostileByChance } from '../test/support/queries/hostile-mix.ts';
import { buildProgram, type Started } from '../test/support/servers/program.ts';

const USAGE = `npm run drill -- [options]
  --upstream HOST:PORT   a RethinkDB; its table \`t\` of the database \`test\` is made if it is not there (localhost:28015)
  --minutes N            for each configuration (1)
  --plans A,B            auto, server, proxy (auto,server,proxy)
  --workers A,B          processes of the proxy (1,2)
  --fuzzed N             queries made by chance, beside one for each hostile term (200)
  --seed N               the same seed gives the same queries (1)
`;

/** So many hostile queries are open at once; each for so long, unless it is answered before. */
const AT_ONCE = 8;
const PATIENCE_MS = 2000;
const READ_PAUSE_MS = 5;
const GRACE_MS = 5000;
const TABLE = `[${TermType.TABLE},["t"]]`;
const READ = `[1,[${TermType.GET},[${TABLE},1]]]`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function addressOf(text: string): Address {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) };
}

/** Reads a row again and again, and prints how long each took, as JSON. A process of its own, which nothing else holds up. */
async function read(address: Address, ms: number): Promise<void> {
  const end = performance.now() + ms;
  const client = await Client.connect(address);
  const took: number[] = [];
  while (performance.now() < end) {
    const start = performance.now();
    // A read that has no answer long after the end counts as long as it was waited for.
    await Promise.race([client.run(READ).catch(() => {}), pause(end + GRACE_MS - start)]);
    took.push(performance.now() - start);
    await pause(READ_PAUSE_MS);
  }
  client.close();
  console.log(JSON.stringify(took));
  process.exit(0);
}

function reader(address: Address, ms: number): Promise<readonly number[]> {
  const args = [
    '--import',
    'tsx',
    fileURLToPath(import.meta.url),
    'read',
    `${address.host}:${address.port}`,
    String(ms),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code === 0 ? JSON.parse(out) : [])));
}

/** Sends hostile queries until the time is over, each over a connection that goes when nothing more is expected of it. */
async function attack(address: Address, queries: readonly Hostile[], until: number): Promise<number> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < until) {
      const query = queries[next++ % queries.length]?.query ?? '';
      const client = await Promise.race([Client.connect(address).catch(() => undefined), pause(PATIENCE_MS)]);
      if (!(client instanceof Client)) continue;
      await Promise.race([client.run(query).catch(() => {}), pause(PATIENCE_MS)]);
      client.close();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return next;
}

/** Resident megabytes of a process and of those that it started. */
function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const own = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  const started = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== ''),
  );
  return started.reduce((sum, child) => sum + residentOf(Number(child)), own);
}

function summary(took: readonly number[]): string {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  return `${sorted.length} reads: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

async function drill(
  name: string,
  target: Address,
  read: Address,
  queries: readonly Hostile[],
  ms: number,
  proxy?: Started,
) {
  const until = performance.now() + ms;
  let resident = 0;
  const watch = setInterval(() => {
    if (proxy?.child.pid !== undefined) resident = Math.max(resident, residentOf(proxy.child.pid));
  }, 500);
  const [took, sent] = await Promise.all([reader(read, ms), attack(target, queries, until)]);
  clearInterval(watch);
  const memory = proxy === undefined ? '' : `, resident ${resident.toFixed(0)} MB at most, ${died(proxy)} workers died`;
  console.log(`${name}: ${sent} hostile queries, ${summary(took)}${memory}`);
}

function died({ logged }: Started): number {
  return logged('a worker died and is replaced').length;
}

/** Tells the program to stop while it is attacked; milliseconds until it has. */
async function stop(proxy: Started, address: Address, queries: readonly Hostile[]): Promise<number> {
  const attacking = attack(address, queries, performance.now() + PATIENCE_MS);
  await pause(PATIENCE_MS / 2);
  const start = performance.now();
  const exit = new Promise((resolve) => proxy.child.once('exit', resolve));
  proxy.child.kill('SIGTERM');
  await exit;
  const took = performance.now() - start;
  await attacking;
  return took;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      upstream: { type: 'string', default: 'localhost:28015' },
      minutes: { type: 'string', default: '1' },
      plans: { type: 'string', default: 'auto,server,proxy' },
      workers: { type: 'string', default: '1,2' },
      fuzzed: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const upstream = addressOf(values.upstream);
  const ms = Number(values.minutes) * 60_000;
  const owner = await Client.connect(upstream);
  await owner.run(`[1,[${TermType.TABLE_CREATE},["t"]]]`).catch(() => {});
  await owner.run(`[1,[${TermType.INSERT},[${TABLE},[2,[{"id":1},{"id":2},{"id":3}]]],{"conflict":"replace"}]]`);
  owner.close();
  const queries = [...hostileAtPlaces(true), ...hostileByChance(Number(values.fuzzed), Number(values.seed), true)];
  const program = await buildProgram();
  try {
    for (const plan of values.plans.split(',')) {
      for (const workers of values.workers.split(',')) {
        const args = ['--listen', '127.0.0.1:0', '--upstream', values.upstream, '--plan', plan, '--workers', workers];
        const proxy = program.start(args);
        const address = { host: '127.0.0.1', port: await proxy.readyPort() };
        const name = `plan ${plan}, ${workers} worker${workers === '1' ? '' : 's'}`;
        await drill(name, address, address, queries, ms, proxy);
        const took = await stop(proxy, address, queries);
        console.log(`${name}: SIGTERM ends it in ${took.toFixed(0)} ms, with code ${proxy.code()}`);
      }
    }
    // Last, since RethinkDB goes on with some of them when their clients have gone.
    await drill('directly', upstream, upstream, queries, ms);
  } finally {
    await program.close();
  }
}

const [role, address = '', ms = '0'] = process.argv.slice(2);
if (role === 'read') await read(addressOf(address), Number(ms));
else await main();
