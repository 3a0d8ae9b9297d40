// Writes beside subscribers: what it costs those who write that others watch.

import { untilReady } from '../feed.ts';
import { onTable } from '../query.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Row } from '../row.ts';
import { fill, narrowRow } from '../seed.ts';
import type { Bench, Contender } from '../stage.ts';

const STATES = { includeInitial: true, includeStates: true };
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
    title: `writes with ${subscribers === 1 ? 'one subscriber' : `${subscribers} subscribers`} of a count (a native feed: of the table), 1,000 rows`,
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
