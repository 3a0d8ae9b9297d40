// From a write to its document: how soon a subscriber knows, and what that costs the server.

import { untilReady } from '../feed.ts';
import { cpuMicroseconds } from '../program.ts';
import { onTable } from '../query.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Lane, Row } from '../row.ts';
import { fill, narrowRow } from '../seed.ts';
import type { Bench, Contender } from '../stage.ts';
import { quantile } from '../statistics.ts';

const TABLE = 'watched';
const ROWS = 10_000;
const STATES = { includeInitial: true, includeStates: true };
/** The row that comes and goes. */
const ID = ROWS + 1;

const INSERT = onTable(TABLE, (t) => t.insert({ id: ID, x: 5, k: 1 }, { durability: 'soft' }));
const DELETE = onTable(TABLE, (t) => t.get(ID).delete({ durability: 'soft' }));
const COUNT = onTable(TABLE, (t) => t.count());
/** Feeds: of the table itself, of what a count is made of, and of the count. */
const TABLE_FEED = onTable(TABLE, (t) => t.changes(STATES));
const ELEMENT_FEED = onTable(TABLE, (t) => t.map(() => [1]).changes(STATES));
const COUNT_FEED = onTable(TABLE, (t) => t.count().changes(STATES));

function watchedTable(bench: Bench): Promise<void> {
  return bench.table(TABLE, (connection) => fill(connection, TABLE, ROWS, narrowRow));
}

interface Pair {
  readonly writer: RawConnection;
  readonly subscriber: RawConnection;
  close(): Promise<unknown>;
}

async function pair(bench: Bench, { address }: Contender): Promise<Pair> {
  const writer = await RawConnection.open(bench.direct.address);
  const subscriber = await RawConnection.open(address);
  return { writer, subscriber, close: () => Promise.all([writer.close(), subscriber.close()]) };
}

/** Milliseconds from each write to the document, which `changed` waits for. */
async function delays(pairOf: Pair, count: number, changed: () => Promise<void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const seen = changed();
    const start = performance.now();
    const written = pairOf.writer.run(i % 2 === 0 ? INSERT : DELETE);
    await seen;
    times.push(performance.now() - start);
    await written;
  }
  return times;
}

async function feedDelays(
  bench: Bench,
  contender: Contender,
  query: string,
  count: number,
): Promise<readonly number[]> {
  const both = await pair(bench, contender);
  let tell = (): void => {};
  await untilReady(both.subscriber, query, () => tell());
  const times = await delays(both, count, () => new Promise((resolve) => (tell = resolve)));
  await both.close();
  return times;
}

async function pollDelays(bench: Bench, count: number): Promise<readonly number[]> {
  const both = await pair(bench, bench.direct);
  let last = await both.subscriber.run(COUNT);
  const times = await delays(both, count, async () => {
    const before = last;
    while (last === before) last = await both.subscriber.run(COUNT);
  });
  await both.close();
  return times;
}

/** Update to document. */
export const updates: Row = {
  name: 'updates',
  title: `a write to its document, table of ${ROWS} rows`,
  metrics: [
    { name: 'p50', unit: 'milliseconds' },
    { name: 'p99', unit: 'milliseconds' },
  ],
  async prepare(bench) {
    await watchedTable(bench);
    const count = bench.quick ? 100 : 400;
    const lane = (name: string, take: () => Promise<readonly number[]>): Lane => ({
      name,
      async sample() {
        const times = await take();
        return [quantile(times, 0.5), quantile(times, 0.99)];
      },
    });
    const plans = await bench.contenders('Livefold, server plan', 'Livefold, proxy plan');
    return {
      lanes: [
        lane('native table feed, direct', () => feedDelays(bench, bench.direct, TABLE_FEED, count)),
        ...plans.map(([name, contender]) => lane(name, () => feedDelays(bench, contender, COUNT_FEED, count))),
        lane('polling without a pause', () => pollDelays(bench, count / 10)),
      ],
      rounds: bench.quick ? 3 : 15,
      claims: plans.flatMap(([name]) => [
        { metric: 0, of: name, to: 'native table feed, direct', atMost: 1.1 },
        { metric: 1, of: name, to: 'native table feed, direct' },
      ]),
    };
  },
};

/** What a write costs the server with one feed open. */
export const serverCost: Row = {
  name: 'server-cost',
  title: 'CPU of the server for each write, with one feed open',
  metrics: [{ name: 'CPU', unit: 'microseconds a write' }],
  async prepare(bench) {
    await watchedTable(bench);
    const { pid } = bench.direct;
    const count = bench.quick ? 1000 : 6000;
    const server = await bench.contender('Livefold, server plan');
    const proxy = await bench.contender('Livefold, proxy plan');
    const lane = (name: string, contender: Contender | undefined, query: string | undefined): Lane => ({
      name,
      async sample() {
        if (pid === undefined || contender === undefined) return [Number.NaN];
        const both = await pair(bench, contender);
        if (query !== undefined) await untilReady(both.subscriber, query);
        const before = cpuMicroseconds(pid);
        await toggled(both.writer, count);
        const after = cpuMicroseconds(pid);
        await both.close();
        return [(after - before) / count];
      },
    });
    return {
      lanes: [
        lane('no feed', bench.direct, undefined),
        lane('native element feed', bench.direct, ELEMENT_FEED),
        lane('Livefold, server plan', server, COUNT_FEED),
        lane('Livefold, proxy plan', proxy, COUNT_FEED),
      ],
      rounds: bench.quick ? 1 : 9,
      claims: [
        { metric: 0, of: 'Livefold, server plan', to: 'native element feed', atMost: 1.2 },
        { metric: 0, of: 'Livefold, proxy plan', to: 'native element feed', atMost: 1.2 },
      ],
    };
  },
};

/** Inserts and deletes one row so many times, 8 writes under way. */
async function toggled(writer: RawConnection, count: number): Promise<void> {
  for (let done = 0; done < count; done += 8) {
    await Promise.all(Array.from({ length: 8 }, (_, i) => writer.run(i % 2 === 0 ? INSERT : DELETE)));
  }
}

const POLL_MS = 200;

interface Subscribers {
  readonly name: string;
  readonly contender: Contender;
  /** A feed, or a query to be asked again and again. */
  readonly query: string;
  readonly polls?: true;
}

function writesRow(subscribers: number): Row {
  return {
    name: `writes-${subscribers}`,
    title: `writes with ${subscribers} subscribers of a count (a native feed: of the table), 1,000 rows`,
    metrics: [{ name: 'writes', unit: 'per second' }],
    async prepare(bench) {
      await bench.table('written', (connection) => fill(connection, 'written', 1000, narrowRow));
      const plans = await bench.contenders('Livefold, server plan', 'Livefold, proxy plan');
      const feed = onTable('written', (t) => t.count().changes(STATES));
      const kinds: readonly Subscribers[] = [
        {
          name: 'native table feed, direct',
          contender: bench.direct,
          query: onTable('written', (t) => t.changes(STATES)),
        },
        ...plans.map(([name, contender]) => ({ name, contender, query: feed })),
        {
          name: `polling every ${POLL_MS} ms`,
          contender: bench.direct,
          query: onTable('written', (t) => t.count()),
          polls: true,
        },
      ];
      const ms = bench.quick ? 300 : 1000;
      return {
        lanes: [
          { name: 'no subscriber', sample: async () => [await writeRate(bench, ms)] },
          ...kinds.map((kind) => ({
            name: kind.name,
            sample: async () => [await withSubscribers(bench, kind, subscribers, ms)],
          })),
        ],
        rounds: bench.quick ? 1 : 5,
        claims: plans.map(([name]) => ({ metric: 0, of: name, to: 'native table feed, direct' })),
      };
    },
  };
}

/** One, twenty, a hundred subscribers, each on a connection of its own. */
export const writesRows: readonly Row[] = [1, 20, 100].map(writesRow);

async function withSubscribers(bench: Bench, kind: Subscribers, count: number, ms: number): Promise<number> {
  const open = await Promise.all(Array.from({ length: count }, () => RawConnection.open(kind.contender.address)));
  let over = false;
  const polling: Promise<void>[] = [];
  for (const connection of open) {
    if (kind.polls === true) polling.push(poll(connection, kind.query, () => over));
    else await untilReady(connection, kind.query);
  }
  const rate = await writeRate(bench, ms);
  over = true;
  await Promise.all(polling);
  await Promise.all(open.map((connection) => connection.close()));
  return rate;
}

async function poll(connection: RawConnection, query: string, over: () => boolean): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * POLL_MS));
  while (!over()) {
    await connection.run(query);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Writes a second on 8 connections, each of which inserts and deletes rows of its own. */
async function writeRate(bench: Bench, ms: number): Promise<number> {
  const writers = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(bench.direct.address)));
  const start = performance.now();
  let done = 0;
  const write = async (writer: RawConnection, index: number): Promise<void> => {
    const id = 5000 + index;
    const insert = onTable('written', (t) => t.insert({ id, x: 1, k: 1 }, { durability: 'soft', conflict: 'replace' }));
    const remove = onTable('written', (t) => t.get(id).delete({ durability: 'soft' }));
    while (performance.now() < start + ms) {
      await writer.run(insert);
      await writer.run(remove);
      done += 2;
    }
  };
  await Promise.all(writers.map(write));
  const rate = (done * 1000) / (performance.now() - start);
  await Promise.all(writers.map((writer) => writer.close()));
  return rate;
}
