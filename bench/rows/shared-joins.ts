// One who joins a feed that is carried already: how soon it is shown the value, beside what RethinkDB takes to answer what it is asked
// for that.

import { QueryType } from '../../rewrite/reql/protocol.ts';
import { openFeed } from '../feed.ts';
import { onTable } from '../query.ts';
import { frameOf, RawConnection } from '../raw-connection.ts';
import type { Row } from '../row.ts';
import { fill, narrowRow } from '../seed.ts';
import type { Contender } from '../stage.ts';
import { quantile } from '../statistics.ts';

/** Where there are fewer, the slowest hundredth is a few of them. */
const JOINS = 5000;
const QUICK_JOINS = 500;

/** What RethinkDB itself takes. */
const DIRECT = 'what RethinkDB is asked for it, direct';

/** Opens a feed, and waits for its first value; gives what ends it. */
export function firstValue(connection: RawConnection, query: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const stop = openFeed(connection, query, {
      batch: (body) => body.includes('new_val') && resolve(stop),
      failed: reject,
    });
  });
}

/** Milliseconds that each of some acts takes, one after the other. */
async function timesOf(count: number, act: () => Promise<() => void>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const start = performance.now();
    const after = await act();
    times.push(performance.now() - start);
    after();
  }
  return times;
}

/** Milliseconds until a feed that joins has been sent its first value. */
async function joins({ address }: Contender, query: string, count: number): Promise<readonly number[]> {
  const carrier = await RawConnection.open(address);
  const joiner = await RawConnection.open(address);
  await firstValue(carrier, query);
  const times = await timesOf(count, () => firstValue(joiner, query));
  await Promise.all([carrier.close(), joiner.close()]);
  return times;
}

/**
 * What RethinkDB is asked for one who joins: on the carrier's connection a feed of the first row, which is ready behind all changes
 * and is stopped then, and at the same time on the joiner's whether he may read the table.
 */
async function questions({ address }: Contender, table: string, count: number): Promise<readonly number[]> {
  const carrier = await RawConnection.open(address);
  const joiner = await RawConnection.open(address);
  const barrier = onTable(table, (t, r) =>
    t
      .orderBy({ index: 'id' })
      .limit(1)
      .changes({
        includeStates: true,
        changefeedQueueSize: r.branch(t.status()('id').ne(''), 100_000, r.error('It is another table.')),
      }),
  );
  const probe = onTable(table, (t) => t.get('').eq(null));
  openFeed(
    carrier,
    onTable(table, (t) => t.changes()),
    { failed: () => {} },
  );
  const times = await timesOf(count, async () => {
    await Promise.all([passed(carrier, barrier), joiner.run(probe)]);
    return () => {};
  });
  await Promise.all([carrier.close(), joiner.close()]);
  return times;
}

function passed(connection: RawConnection, barrier: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const token = connection.nextToken();
    const send = (query: string): boolean => connection.socket.write(frameOf(token, query));
    let owed = 2;
    let isStopped = false;
    connection.listen(token, (body) => {
      owed--;
      if (!isStopped && body.includes('"ready"')) {
        isStopped = true;
        owed++;
        send(`[${QueryType.STOP}]`);
      } else if (owed === 0) {
        if (isStopped) resolve();
        else reject(new Error(`${body}`));
      }
    });
    send(barrier);
    send(`[${QueryType.CONTINUE}]`);
  });
}

/** A row of those who join. `query` is what they follow, with the value that is there at first; `isSlow`: filling the table is. */
export function joinRow(
  {
    name,
    table,
    rows,
    isSlow,
  }: { readonly name: string; readonly table: string; readonly rows: number; readonly isSlow: boolean },
  query: string,
): Row {
  return {
    name,
    title: `the first value of one who joins a feed of ${rows} rows, of ${JOINS} one after the other`,
    metrics: [
      { name: 'p50', unit: 'milliseconds' },
      { name: 'p99', unit: 'milliseconds' },
    ],
    ...(isSlow ? { slow: true } : {}),
    async prepare(bench) {
      await bench.table(table, (connection) => fill(connection, table, rows, narrowRow));
      const plans = await bench.contenders('Livefold, server plan', 'Livefold, proxy plan');
      const count = bench.quick ? QUICK_JOINS : JOINS;
      const lane = (of: string, times: () => Promise<readonly number[]>) => ({
        name: of,
        async sample() {
          const all = await times();
          return [quantile(all, 0.5), quantile(all, 0.99)];
        },
      });
      return {
        lanes: [
          ...plans.map(([plan, contender]) => lane(plan, () => joins(contender, query, count))),
          lane(DIRECT, () => questions(bench.direct, table, count)),
        ],
        rounds: 3,
        claims: plans.flatMap(([plan]) => [
          { metric: 1, of: plan, atMost: 5 },
          { metric: 1, of: plan, to: DIRECT },
        ]),
      };
    },
  };
}
