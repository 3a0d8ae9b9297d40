// Reads of single rows: many under way, and one after the other.

import { pipelined, QueryRing, roundTrips } from '../load.ts';
import { cpuMicroseconds } from '../program.ts';
import { onTable } from '../query.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Claim, Lane, Metric, Row } from '../row.ts';
import { fill, wideRow } from '../seed.ts';
import type { Bench, ContenderName } from '../stage.ts';
import { median } from '../statistics.ts';

const TABLE = 'wide';
const ROWS = 10_000;
const CONNECTIONS = 8;
const DEPTH = 16;
const RING = 1000;

/** The contenders that relay bytes. */
export const RELAYS: readonly ContenderName[] = ['direct', 'Livefold', 'HAProxy', 'plain copy'];

/** Fills the table that reads are made on. */
export function wideTable(bench: Bench): Promise<void> {
  return bench.table(TABLE, (connection) => fill(connection, TABLE, ROWS, wideRow));
}

/** Reads of single rows, all of one length. */
export function readRing(table: string = TABLE): QueryRing {
  const first = ROWS - RING;
  return QueryRing.of(Array.from({ length: RING }, (_, i) => onTable(table, (t) => t.get(first - 1 - i))));
}

/** What one sample saw, and of how many queries. */
interface Sampled {
  readonly value: number;
  readonly queries: number;
}

/** The CPU time of a proxy says more than the clock where other work goes on. */
export const CPU: Metric = { name: 'CPU of the proxy', unit: 'microseconds a query' };

async function lanes(
  bench: Bench,
  connections: number,
  sample: (open: readonly RawConnection[]) => Promise<Sampled>,
  names: readonly ContenderName[] = RELAYS,
): Promise<{ lanes: readonly Lane[]; close(): Promise<void> }> {
  const all: RawConnection[] = [];
  const made: Lane[] = [];
  for (const [name, { address, pid }] of await bench.contenders(...names)) {
    const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(address)));
    all.push(...open);
    const cpu = (): number => (name === 'direct' || pid === undefined ? Number.NaN : cpuMicroseconds(pid));
    made.push({
      name,
      async sample() {
        const before = cpu();
        const { value, queries } = await sample(open);
        return [value, (cpu() - before) / queries];
      },
    });
  }
  return {
    lanes: made,
    async close() {
      await Promise.all(all.map((connection) => connection.close()));
    },
  };
}

const against = (target: Pick<Claim, 'atLeast' | 'atMost'>): readonly Claim[] => [
  { metric: 0, of: 'Livefold', to: 'HAProxy', ...target },
  { metric: 0, of: 'Livefold', to: 'plain copy' },
  { metric: 0, of: 'Livefold', to: 'direct' },
  { metric: 0, of: 'HAProxy', to: 'direct' },
  { metric: 0, of: 'plain copy', to: 'HAProxy' },
  { metric: 1, of: 'Livefold', to: 'HAProxy' },
  { metric: 1, of: 'Livefold', to: 'plain copy' },
];

/** Many connections with many reads under way. */
export const pointReads: Row = {
  name: 'reads',
  title: `point reads, ${CONNECTIONS} connections, ${DEPTH} deep`,
  metrics: [{ name: 'reads', unit: 'per second' }, CPU],
  async prepare(bench) {
    await wideTable(bench);
    const ms = bench.quick ? 150 : 500;
    const ring = readRing();
    const made = await lanes(bench, CONNECTIONS, async (open) => {
      const loads = open.map((connection) => ({ connection, ring: ring.another() }));
      const rate = await pipelined(loads, DEPTH, ms);
      return { value: rate, queries: (rate * ms) / 1000 };
    });
    return { ...made, rounds: bench.quick ? 5 : 25, claims: against({ atLeast: 0.97 }) };
  },
};

/** The same through two builds. */
export const comparedReads: Row = {
  name: 'compared-reads',
  title: `point reads, ${CONNECTIONS} connections, ${DEPTH} deep, through two builds`,
  metrics: [{ name: 'reads', unit: 'per second' }, CPU],
  async prepare(bench) {
    await wideTable(bench);
    const ms = bench.quick ? 150 : 500;
    const ring = readRing();
    const sample = async (open: readonly RawConnection[]): Promise<Sampled> => {
      const loads = open.map((connection) => ({ connection, ring: ring.another() }));
      const rate = await pipelined(loads, DEPTH, ms);
      return { value: rate, queries: (rate * ms) / 1000 };
    };
    const made = await lanes(bench, CONNECTIONS, sample, ['Livefold', 'the other build']);
    return { ...made, rounds: bench.quick ? 5 : 25, claims: untouched };
  },
};

const untouched: readonly Claim[] = [
  { metric: 0, of: 'Livefold', to: 'the other build', atLeast: 0.98 },
  { metric: 1, of: 'Livefold', to: 'the other build', atMost: 1.02 },
];

/** One read after the other. */
export const roundTrip: Row = {
  name: 'round-trip',
  title: 'one point read after the other on one connection',
  metrics: [{ name: 'median round trip', unit: 'microseconds' }, CPU],
  async prepare(bench) {
    await wideTable(bench);
    const ms = bench.quick ? 150 : 400;
    const ring = readRing();
    const made = await lanes(bench, 1, async ([connection]) => {
      const times = connection === undefined ? [] : await roundTrips(connection, ring, ms);
      return { value: median(times), queries: times.length };
    });
    return { ...made, rounds: bench.quick ? 5 : 25, claims: against({ atMost: 1.13 }) };
  },
};

/** A table of 1,000 rows read whole. */
export const largeReads: Row = {
  name: 'large-reads',
  title: 'a table of 1,000 rows read whole, 4 connections',
  metrics: [{ name: 'reads', unit: 'per second' }, CPU],
  async prepare(bench) {
    await bench.table('thousand', (connection) => fill(connection, 'thousand', 1000, wideRow));
    const query = onTable('thousand', (t) => t);
    const ms = bench.quick ? 200 : 600;
    const made = await lanes(bench, 4, (open) => repeated(open, query, ms));
    return { ...made, rounds: bench.quick ? 5 : 25, claims: against({ atLeast: 0.93 }) };
  },
};

async function repeated(open: readonly RawConnection[], query: string, ms: number): Promise<Sampled> {
  const start = performance.now();
  let done = 0;
  const run = async (connection: RawConnection): Promise<void> => {
    while (performance.now() < start + ms) {
      await connection.run(query);
      done++;
    }
  };
  await Promise.all(open.map(run));
  return { value: (done * 1000) / (performance.now() - start), queries: done };
}

/** Inserts of 200 rows of a kilobyte. */
export const largeInserts: Row = {
  name: 'large-inserts',
  title: 'inserts of 200 rows of 1 KB, replaced each time, 2 connections',
  metrics: [{ name: 'inserts', unit: 'per second' }, CPU],
  async prepare(bench) {
    await bench.table('inserts', async () => {});
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, text: 'y'.repeat(1000) }));
    const query = onTable('inserts', (t, r) => t.insert(r.expr(rows), { durability: 'soft', conflict: 'replace' }));
    const ms = bench.quick ? 200 : 600;
    const made = await lanes(bench, 2, (open) => repeated(open, query, ms));
    return { ...made, rounds: bench.quick ? 5 : 15, claims: against({}) };
  },
};
