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
    const copies = await bench.contenders('Livefold', 'HAProxy', 'plain copy');
    return {
      lanes: [
        lane('native table feed, direct', () => feedDelays(bench, bench.direct, TABLE_FEED, count)),
        lane('native element feed, direct', () => feedDelays(bench, bench.direct, ELEMENT_FEED, count)),
        ...copies.map(([name, contender]) =>
          lane(`native table feed, ${name}`, () => feedDelays(bench, contender, TABLE_FEED, count)),
        ),
        ...plans.map(([name, contender]) => lane(name, () => feedDelays(bench, contender, COUNT_FEED, count))),
        lane('polling without a pause', () => pollDelays(bench, count / 10)),
      ],
      rounds: bench.quick ? 3 : 15,
      claims: [
        ...copies.map(([name]) => ({ metric: 0, of: `native table feed, ${name}`, to: 'native table feed, direct' })),
        ...plans.flatMap(([name]) => [
          { metric: 0, of: name, to: 'native table feed, direct', atMost: 1.1 },
          { metric: 1, of: name, to: 'native table feed, direct' },
        ]),
      ],
    };
  },
};

/** The cost of a write to the server with one feed open. */
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
