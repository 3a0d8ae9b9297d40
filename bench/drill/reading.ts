// The time of a client's reads while something else goes on: a process of its own, which nothing else holds up.
//
// RethinkDB gives each connection to one of its threads, in turn. What holds up one thread, a write to a large row say, is seen by the
// readers on that thread alone: with a single connection it would be chance whether a run shows it. And who waits for an answer reads
// less while there is a stall; the reads that it would have sent are counted with what they would have waited, as in Gil Tene's
// HdrHistogram ("coordinated omission").

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Address } from '../../proxy/upstream/address.ts';
import { printAddress } from '../../proxy/upstream/address.ts';
import { TermType } from '../../rewrite/reql/term-type.ts';
import { Client } from '../../src/client/client.ts';
import { quantile } from '../statistics.ts';

/** A row of the table that the stage has made. */
const READ = `[1,[${TermType.GET},[[${TermType.TABLE},["t"]],1]]]`;
/** So often each connection would read if nothing held it up. */
const READ_EVERY_MS = 10;
const CONNECTIONS = 4;
/** A read that has no answer so long after the end counts as long as it was waited for. */
const GRACE_MS = 5000;

/** The times of reads, in milliseconds. */
export interface Reading {
  readonly reads: number;
  /** Reads that were answered with an error, or not at all since the connection had gone. */
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads a row again and again for so long, over several connections. */
export function readFor(address: Address, ms: number): Promise<Reading> {
  const args = ['--import', 'tsx', fileURLToPath(import.meta.url), printAddress(address), String(ms)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  return new Promise((resolve, reject) =>
    child.on('exit', (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error('the reader failed')))),
  );
}

/** A reading in words. */
export function textOf({ reads, failed, p50, p99, longest }: Reading): string {
  const [median, most, last] = [p50, p99, longest].map((ms) => ms.toFixed(1));
  return `${reads} reads: p50 ${median} ms, p99 ${most} ms, longest ${last} ms${failed === 0 ? '' : `, ${failed} failed`}`;
}

/** Two readings as one: as bad as the worse of them. */
export function worse(one: Reading, other: Reading): Reading {
  return {
    reads: one.reads + other.reads,
    failed: one.failed + other.failed,
    p50: Math.max(one.p50, other.p50),
    p99: Math.max(one.p99, other.p99),
    longest: Math.max(one.longest, other.longest),
  };
}

/** What one connection has seen: what each read took, in milliseconds, and how many have failed. */
interface Seen {
  readonly took: readonly number[];
  readonly failed: number;
}

async function read(address: Address, ms: number): Promise<Reading> {
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => Client.connect(address)));
  const end = performance.now() + ms;
  const seen = await Promise.all(clients.map((client) => readUntil(address, client, end)));
  const took = seen.flatMap((one) => one.took);
  const waited = took.flatMap(withOmitted);
  const at = (part: number): number => quantile(waited, part);
  const failed = seen.reduce((sum, one) => sum + one.failed, 0);
  return { reads: took.length, failed, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** What a read has waited, and those that would have been sent meanwhile. */
function withOmitted(ms: number): readonly number[] {
  const omitted = Math.floor(ms / READ_EVERY_MS);
  return Array.from({ length: omitted + 1 }, (_, index) => ms - index * READ_EVERY_MS);
}

/** Reads over one connection, until a moment. One that is made anew belongs to the read after it. */
async function readUntil(address: Address, first: Client, end: number): Promise<Seen> {
  const took: number[] = [];
  let failed = 0;
  let client: Client | undefined = first;
  const readOnce = async (): Promise<boolean> => {
    client ??= await Client.connect(address);
    await client.run(READ);
    return true;
  };
  while (performance.now() < end) {
    const start = performance.now();
    const late = pause(end + GRACE_MS - start).then(() => true);
    const isAnswered = await Promise.race([readOnce().catch(() => false), late]);
    const ms = performance.now() - start;
    took.push(ms);
    if (!isAnswered) {
      failed++;
      client = undefined;
    }
    await pause(READ_EVERY_MS - ms);
  }
  client?.close();
  return { took, failed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [where = '', ms = '0'] = process.argv.slice(2);
  const at = where.lastIndexOf(':');
  console.log(JSON.stringify(await read({ host: where.slice(0, at), port: Number(where.slice(at + 1)) }, Number(ms))));
  process.exit(0);
}
