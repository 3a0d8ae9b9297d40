// Many who follow the same figure: what they cost those who write, how soon the last of them knows, how soon one who comes late
// is shown the value, and what each of them takes.

import { openFeed } from '../feed.ts';
import { pipelined, QueryRing } from '../load.ts';
import { collectedKib, residentKib } from '../program.ts';
import { onTable } from '../query.ts';
import { frameOf, RawConnection } from '../raw-connection.ts';
import type { Lane, Row } from '../row.ts';
import { fill, narrowRow } from '../seed.ts';
import type { Bench, Contender } from '../stage.ts';
import { quantile } from '../statistics.ts';
import { firstValue, joinRow } from './shared-joins.ts';

const TABLE = 'shared';
const LARGE = 'shared_million';
const ROWS = 1000;
const MILLION = 1_000_000;
/** Connections that all subscribers come over. */
const CONNECTIONS = 10;
const DEPTH = 8;
const MANY = 1000;
const STORM = 2048;
/** Subscribers of a crowd whose memory is measured, and crowds before the measured ones, in which V8 takes its young generation. */
const CROWD = 10_000;
const CROWDS_BEFORE = 2;
/** Crowds that are measured: RSS grows in large pieces. */
const CROWDS = 5;

const sumFeed = (options: object, table = TABLE): string => onTable(table, (t) => t.sum('x').changes(options));
const SUM = sumFeed({});
const SQUASHED = sumFeed({ squash: true });
const INITIAL = { includeInitial: true };
/** What RethinkDB gives without a proxy: the rows that change. */
const NATIVE = onTable(TABLE, (t) => t('x').changes());

/** Writes that each change the sum: of three digits, so that all queries are equally long. */
const WRITES = Array.from({ length: 800 }, (_, at) =>
  onTable(TABLE, (t) => t.get(100 + at).update({ x: 100 + ((at * 7919) % 900) }, { durability: 'soft' })),
);
/** Rounds of the same values would change nothing. */
const REWRITES = Array.from({ length: 800 }, (_, at) =>
  onTable(TABLE, (t) => t.get(100 + at).update({ x: 100 + ((at * 7919 + 1) % 900) }, { durability: 'soft' })),
);

function smallTable(bench: Bench): Promise<void> {
  return bench.table(TABLE, (connection) => fill(connection, TABLE, ROWS, narrowRow));
}

interface Crowd {
  readonly connections: readonly RawConnection[];
  close(): Promise<unknown>;
}

/** Opens `count` feeds, the first alone and then all at once, and waits until each has been answered. */
async function crowd(
  { address }: Contender,
  query: string,
  count: number,
  batch: () => void = () => {},
): Promise<Crowd> {
  const connections = await Promise.all(
    Array.from({ length: Math.min(count, CONNECTIONS) }, () => RawConnection.open(address)),
  );
  const open = (connection: RawConnection): Promise<void> =>
    new Promise((resolve, reject) => {
      let told = (): void => {
        told = batch;
        resolve();
      };
      openFeed(connection, query, { batch: () => told(), failed: reject });
    });
  const openAt = (at: number): Promise<void> => open(connections[at % CONNECTIONS] as RawConnection);
  await openAt(0);
  await Promise.all(Array.from({ length: count - 1 }, (_, at) => openAt(at + 1)));
  return { connections, close: () => Promise.all(connections.map((connection) => connection.close())) };
}

/** Writes a second while so many follow. */
async function writesWith(bench: Bench, contender: Contender, query: string, count: number): Promise<number> {
  const followers = await crowd(contender, query, count);
  const writer = await RawConnection.open(bench.direct.address);
  const ring = QueryRing.of([...WRITES, ...REWRITES]);
  const writes = await pipelined([{ connection: writer, ring }], DEPTH, bench.quick ? 500 : 2000);
  await Promise.all([followers.close(), writer.close()]);
  return writes;
}

/** Writes a second, by how many follow. */
const sharedWrites: Row = {
  name: 'shared-writes',
  title: `writes a second while many follow one sum, on ${CONNECTIONS} connections`,
  metrics: [{ name: 'writes', unit: 'per second' }],
  async prepare(bench) {
    await smallTable(bench);
    const lane = (name: string, contender: Contender, query: string, count: number): Lane => ({
      name,
      sample: async () => [await writesWith(bench, contender, query, count)],
    });
    const plans = await bench.contenders('Livefold, server plan', 'Livefold, proxy plan');
    const native = 'native feeds of rows, direct';
    return {
      lanes: [
        ...plans.flatMap(([name, contender]) => [
          lane(`${name}: 1`, contender, SUM, 1),
          lane(`${name}: 100`, contender, SUM, 100),
          lane(`${name}: ${MANY}`, contender, SUM, MANY),
          lane(`${name}: ${MANY} with squash`, contender, SQUASHED, MANY),
        ]),
        lane(`${native}: 1`, bench.direct, NATIVE, 1),
        lane(`${native}: 100`, bench.direct, NATIVE, 100),
        lane(`${native}: ${MANY}`, bench.direct, NATIVE, MANY),
      ],
      rounds: bench.quick ? 1 : 5,
      claims: plans.flatMap(([name]) => [
        { metric: 0, of: `${name}: 100`, to: `${name}: 1` },
        { metric: 0, of: `${name}: ${MANY}`, to: `${name}: 1`, atLeast: 0.6 },
        { metric: 0, of: `${name}: ${MANY} with squash`, to: `${name}: 1`, atLeast: 0.8 },
        { metric: 0, of: `${name}: ${MANY}`, to: `${native}: ${MANY}` },
      ]),
    };
  },
};

/** Milliseconds from each of some writes until so many have its document, on a table that is quiet between them. */
async function lastDelays(
  bench: Bench,
  contender: Contender,
  query: string,
  writes: number,
): Promise<readonly number[]> {
  let left = 0;
  let all = (): void => {};
  const followers = await crowd(contender, query, MANY, () => {
    left--;
    if (left === 0) all();
  });
  const writer = await RawConnection.open(bench.direct.address);
  const times: number[] = [];
  for (let at = 0; at < writes; at++) {
    left = MANY;
    const seen = new Promise<void>((resolve) => {
      all = resolve;
    });
    const start = performance.now();
    const written = writer.run((at < WRITES.length ? WRITES : REWRITES)[at % WRITES.length] ?? '');
    await seen;
    times.push(performance.now() - start);
    await written;
  }
  await Promise.all([followers.close(), writer.close()]);
  return times;
}

/** From a write to the document of the last who follows. */
const sharedLast: Row = {
  name: 'shared-last',
  title: `a write to its document at the last of ${MANY} who follow, on ${CONNECTIONS} connections`,
  metrics: [
    { name: 'p50', unit: 'milliseconds' },
    { name: 'p99', unit: 'milliseconds' },
  ],
  async prepare(bench) {
    await smallTable(bench);
    const plans = await bench.contenders('Livefold, server plan', 'Livefold, proxy plan');
    const lane = (name: string, contender: Contender, query: string): Lane => ({
      name,
      async sample() {
        // Values that differ from those that the rows have: each write is seen.
        const refill = await RawConnection.open(bench.direct.address);
        await fill(refill, TABLE, ROWS, narrowRow);
        await refill.close();
        const times = await lastDelays(bench, contender, query, bench.quick ? 50 : 200);
        return [quantile(times, 0.5), quantile(times, 0.99)];
      },
    });
    return {
      lanes: [
        ...plans.map(([name, contender]) => lane(name, contender, SUM)),
        lane('native feeds of rows, direct', bench.direct, NATIVE),
      ],
      rounds: bench.quick ? 1 : 5,
      claims: plans.map(([name]) => ({ metric: 0, of: name, atMost: 10 })),
    };
  },
};

/** Many who join at once. */
const sharedStorm: Row = {
  name: 'shared-storm',
  title: `${STORM} join one feed at once, on ${CONNECTIONS} connections`,
  metrics: [{ name: 'until all have the value', unit: 'milliseconds' }],
  async prepare(bench) {
    await smallTable(bench);
    const plans = await bench.contenders('Livefold, server plan', 'Livefold, proxy plan');
    return {
      lanes: plans.map(([name, contender]) => ({
        name,
        async sample() {
          const query = sumFeed(INITIAL);
          const followers = await crowd(contender, query, CONNECTIONS);
          const start = performance.now();
          await Promise.all(
            Array.from({ length: STORM }, (_, at) =>
              firstValue(followers.connections[at % CONNECTIONS] as RawConnection, query),
            ),
          );
          const ms = performance.now() - start;
          await followers.close();
          return [ms];
        },
      })),
      rounds: bench.quick ? 3 : 7,
      claims: plans.map(([name]) => ({ metric: 0, of: name, atMost: 1000 })),
    };
  },
};

async function crowds(contender: Contender, count: number): Promise<readonly Crowd[]> {
  const all: Crowd[] = [];
  for (let at = 0; at < count; at++) all.push(await crowd(contender, SUM, CROWD));
  return all;
}

/** What each of many takes in the proxy. */
const sharedMemory: Row = {
  name: 'shared-memory',
  title: `memory of the proxy for each of ${CROWDS * CROWD} who follow one sum, where ${CROWDS_BEFORE * CROWD} do already`,
  metrics: [
    { name: 'RSS when garbage has been collected', unit: 'KiB a subscriber' },
    { name: 'RSS with the garbage of their coming', unit: 'KiB a subscriber' },
  ],
  async prepare(bench) {
    await smallTable(bench);
    return {
      lanes: [
        {
          name: 'Livefold, server plan, collecting',
          async sample() {
            const contender = await bench.start('Livefold, server plan, collecting');
            if (contender?.pid === undefined) return [Number.NaN, Number.NaN];
            const first = await crowds(contender, CROWDS_BEFORE);
            const before = await collectedKib(contender.pid);
            const rest = await crowds(contender, CROWDS);
            const seen = residentKib(contender.pid);
            const after = await collectedKib(contender.pid);
            await Promise.all([...first, ...rest].map((some) => some.close()));
            await contender.stop();
            return [after, seen].map((kib) => (kib - before) / (CROWDS * CROWD));
          },
        },
      ],
      rounds: bench.quick ? 2 : 3,
      claims: [
        { metric: 0, of: 'Livefold, server plan, collecting', atMost: 2 },
        { metric: 1, of: 'Livefold, server plan, collecting' },
      ],
    };
  },
};

/** What a client that does not read takes, while others do and the table is written to. */
const sharedStalled: Row = {
  name: 'shared-stalled',
  title: 'memory of the proxy for 100 who have stopped reading, after the writes of ten seconds',
  metrics: [{ name: 'RSS', unit: 'KiB a subscriber' }],
  async prepare(bench) {
    await smallTable(bench);
    return {
      lanes: [
        {
          name: 'Livefold, proxy plan',
          async sample() {
            const contender = await bench.start('Livefold, proxy plan');
            if (contender?.pid === undefined) return [Number.NaN];
            const quick = await crowd(contender, SUM, CONNECTIONS);
            const writer = await RawConnection.open(bench.direct.address);
            const ring = QueryRing.of([...WRITES, ...REWRITES]);
            const load = [{ connection: writer, ring }];
            const ms = bench.quick ? 1000 : 10_000;
            await pipelined(load, DEPTH, ms);
            const stalled = await RawConnection.open(contender.address);
            const before = residentKib(contender.pid);
            for (let each = 0; each < 100; each++) await openedOnly(stalled, SUM);
            await pipelined(load, DEPTH, ms);
            const after = residentKib(contender.pid);
            await Promise.all([quick.close(), stalled.close(), writer.close()]);
            await contender.stop();
            return [(after - before) / 100];
          },
        },
      ],
      rounds: bench.quick ? 1 : 3,
      claims: [{ metric: 0, of: 'Livefold, proxy plan' }],
    };
  },
};

/** Opens a feed, and never asks for more of it. */
function openedOnly(connection: RawConnection, query: string): Promise<void> {
  return new Promise((resolve) => {
    const token = connection.nextToken();
    connection.listen(token, () => resolve());
    connection.socket.write(frameOf(token, query));
  });
}

/** Rows of shared feeds. */
export const sharedRows: readonly Row[] = [
  sharedWrites,
  sharedLast,
  joinRow({ name: 'shared-join', table: TABLE, rows: ROWS, isSlow: false }, sumFeed(INITIAL)),
  joinRow({ name: 'shared-join-million', table: LARGE, rows: MILLION, isSlow: true }, sumFeed(INITIAL, LARGE)),
  sharedStorm,
  sharedMemory,
  sharedStalled,
];
