// The cost of being watched to reads that pass untouched: without `--admin`, with it, and while many ask.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Address, parseAddress, printAddress } from '../../proxy/upstream/address.ts';
import { pipelined } from '../load.ts';
import { cpuMicroseconds, type Program, startProgram } from '../program.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Claim, Lane, Row } from '../row.ts';
import { type Bench, MAIN } from '../stage.ts';
import { CPU, readRing, wideTable } from './point-reads.ts';

const SCRAPERS = fileURLToPath(new URL('../scrapers.ts', import.meta.url));
const CONNECTIONS = 8;
const DEPTH = 16;
const ALONE = 'without --admin';
const WATCHED = 'with --admin';
const ASKED = 'asked by 1,000';
const BEFORE = 'the other build';
const LISTENING = /listening on (\S+), .*\n/;
const LISTENING_WATCHED = /listening on (\S+), .*\nlivefold admin on http:\/\/(\S+)\/\n/;

/** Reads through processes that are watched and one that is not; with `--against` through the other build, too. */
export const watched: Row = {
  name: 'watched',
  title: `point reads, ${CONNECTIONS} connections, ${DEPTH} deep, while 1,000 scrapers and 100 pages ask the admin port`,
  metrics: [{ name: 'reads', unit: 'per second' }, CPU],
  async prepare(bench) {
    await wideTable(bench);
    const opened: Served[] = [];
    if (bench.against !== undefined) opened.push(await serve(bench, BEFORE, join(bench.against, 'dist/src/main.js')));
    opened.push(await serve(bench, ALONE, MAIN), await serve(bench, WATCHED, MAIN, true));
    const asked = await serve(bench, ASKED, MAIN, true);
    const ask = ['--import', 'tsx', SCRAPERS, printAddress(asked.admin)];
    const scrapers = await startProgram(process.execPath, ask, /asking\n/);
    return {
      lanes: [...opened, asked].map(({ lane }) => lane),
      rounds: bench.quick ? 5 : 40,
      claims: [
        { metric: 0, of: WATCHED, to: ALONE, atLeast: 0.99 },
        { metric: 1, of: WATCHED, to: ALONE },
        { metric: 0, of: ASKED, to: ALONE, atLeast: 0.95 },
        { metric: 1, of: ASKED, to: ALONE },
        ...(bench.against === undefined ? [] : beside),
      ],
      async close() {
        for (const program of [scrapers, asked.program, ...opened.map(({ program: served }) => served)]) {
          await program.stop();
        }
      },
    };
  },
};

const beside: readonly Claim[] = [
  { metric: 0, of: WATCHED, to: BEFORE, atLeast: 0.99 },
  { metric: 1, of: WATCHED, to: BEFORE },
];

interface Served {
  readonly lane: Lane;
  readonly program: Program;
  /** Where it answers about itself, if it does. */
  readonly admin: Address;
}

/** A build that serves in one worker, and reads through it. */
async function serve(bench: Bench, name: string, main: string, isWatched = false): Promise<Served> {
  const upstream = ['--upstream', printAddress(bench.direct.address), '--listen', '127.0.0.1:0'];
  const args = [main, ...upstream, '--log-level', 'error', ...(isWatched ? ['--admin', '0'] : [])];
  const program = await startProgram(process.execPath, args, isWatched ? LISTENING_WATCHED : LISTENING);
  const { match, pid } = program;
  const address = parseAddress(match[1] ?? '');
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(address)));
  const ring = readRing();
  const loads = connections.map((connection) => ({ connection, ring: ring.another() }));
  const ms = bench.quick ? 150 : 300;
  return {
    program,
    admin: parseAddress(match[2] ?? '127.0.0.1:1'),
    lane: {
      name,
      async sample() {
        const before = cpuMicroseconds(worker(pid));
        const rate = await pipelined(loads, DEPTH, ms);
        return [rate, (cpuMicroseconds(worker(pid)) - before) / ((rate * ms) / 1000)];
      },
    },
  };
}

/** The process that serves. A build without workers serves by itself. */
function worker(supervisor: number): number {
  const children = readFileSync(`/proc/${supervisor}/task/${supervisor}/children`, 'latin1').trim();
  return children === '' ? supervisor : Number(children.split(' ')[0]);
}
