// `npx tsx bench/beside.ts [MAIN]`: what being watched costs the path of untouched queries. Pipelined reads through several set-ups of
// Livefold in turn, in short rounds, so that what else the machine does falls on all of them. Ratios are those within a round: of reads
// a second, and of the CPU time that the process which serves has taken for a read, which says more on a machine that is busy.
//
//   before   another build, where MAIN (its dist/src/main.js) is given
//   now      dist/ as it is
//   watched  the same with --admin
//   asked    the same while 1,000 scrapers ask every 15 seconds, each over a connection of its own, and 100 pages follow

import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type Address, parseAddress, printAddress } from '../proxy/upstream/address.ts';
import { pipelined } from './load.ts';
import { cpuMicroseconds, startProgram } from './program.ts';
import { RawConnection } from './raw-connection.ts';
import { readRing, wideTable } from './rows/point-reads.ts';
import { Bench } from './stage.ts';
import { spread } from './statistics.ts';

const MAIN = fileURLToPath(new URL('../dist/src/main.js', import.meta.url));
const SELF = fileURLToPath(import.meta.url);
const CONNECTIONS = 8;
const DEPTH = 16;
const ROUND_MS = 300;
const ROUNDS = Number(process.env['ROUNDS'] ?? 40);
const SCRAPERS = 1000;
const SCRAPE_MS = 15_000;
const PAGES = 100;

interface Sample {
  /** Reads a second. */
  readonly rate: number;
  /** Microseconds of CPU a read. */
  readonly cpu: number;
}

interface Lane {
  readonly name: string;
  /** One round. */
  sample(): Promise<Sample>;
}

const [what, admin = ''] = process.argv.slice(2);
if (what === '--ask') askForever(parseAddress(admin));
else await compare(what);

async function compare(before: string | undefined): Promise<void> {
  const bench = await Bench.open({ quick: false });
  await wideTable(bench);
  const upstream = bench.direct.address;
  const watched = await lane('watched', MAIN, upstream, ['--admin', '0']);
  const asked = await lane('asked', MAIN, upstream, ['--admin', '0']);
  const lanes: Lane[] = [...(before === undefined ? [] : [await lane('before', before, upstream, [])])];
  lanes.push(await lane('now', MAIN, upstream, []), watched, asked);
  const askers = await startProgram(
    process.execPath,
    ['--import', 'tsx', SELF, '--ask', printAddress(asked.admin)],
    /asking\n/,
  );
  const first = lanes[0]?.name ?? '';
  const rounds: ReadonlyMap<string, Sample>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const samples = new Map<string, Sample>();
    // Each in its turn first, so that none is always the one that comes after another.
    for (const one of [...lanes.slice(round % lanes.length), ...lanes.slice(0, round % lanes.length)]) {
      samples.set(one.name, await one.sample());
    }
    // The first round is for compilers.
    if (round > 0) rounds.push(samples);
  }
  for (const { name } of lanes) {
    const ratios = (of: keyof Sample): string => {
      const all = rounds.map((each) => (each.get(name)?.[of] ?? Number.NaN) / (each.get(first)?.[of] ?? Number.NaN));
      const { low, median, high } = spread(all);
      return `${median.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
    };
    console.log(`${name.padEnd(8)} reads ${ratios('rate')}  CPU a read ${ratios('cpu')}  of ${first}`);
  }
  await askers.stop();
  await bench.close();
  process.exit(0);
}

async function lane(
  name: string,
  main: string,
  upstream: Address,
  more: readonly string[],
): Promise<Lane & { readonly admin: Address }> {
  const args = [main, '--upstream', printAddress(upstream), '--listen', '127.0.0.1:0', '--log-level', 'error', ...more];
  const ready = /listening on (\S+), .*\n(?:livefold admin on http:\/\/(\S+)\/\n)?/;
  const { match, pid } = await startProgram(
    process.execPath,
    args,
    more.length === 0 ? ready : new RegExp(`${ready.source}(?<=/\n)`),
  );
  const ring = readRing();
  const address = parseAddress(match[1] ?? '');
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(address)));
  const loads = connections.map((connection) => ({ connection, ring: ring.another() }));
  return {
    name,
    admin: parseAddress(match[2] ?? '127.0.0.1:1'),
    async sample() {
      const before = cpuMicroseconds(serving(pid));
      const rate = await pipelined(loads, DEPTH, ROUND_MS);
      return { rate, cpu: (cpuMicroseconds(serving(pid)) - before) / ((rate * ROUND_MS) / 1000) };
    },
  };
}

/** The process that serves: the worker. */
function serving(supervisor: number): number {
  const children = readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'latin1').trim();
  return Number(children.split(' ')[0]);
}

/** Scrapes and follows until it is killed. */
function askForever(address: Address): void {
  for (let page = 0; page < PAGES; page++)
    request({ ...address, path: '/api/events' }, (events) => events.resume()).end();
  for (let scraper = 0; scraper < SCRAPERS; scraper++) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const scrape = (): void => {
      request({ ...address, path: '/metrics', agent }, (answer) => answer.resume()).end();
    };
    // Spread over the time between two of one.
    const begin = (scraper / SCRAPERS) * SCRAPE_MS;
    setTimeout(() => {
      scrape();
      setInterval(scrape, SCRAPE_MS);
    }, begin);
  }
  console.log('asking');
}
