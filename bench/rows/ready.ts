// Time to ready: how long a feed takes that has to see all rows first, beside a client that just drains the same rows.

import type { Address } from '../../proxy/upstream/address.ts';
import type { R, Reql } from '../../rewrite/reql/build/r.ts';
import { untilReady } from '../feed.ts';
import { DATABASE, onTable } from '../query.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Row } from '../row.ts';
import { fill, narrowRow } from '../seed.ts';
import type { Bench } from '../stage.ts';

const STATES = { includeInitial: true, includeStates: true };

interface Watched {
  readonly name: string;
  readonly aggregate: (t: Reql) => Reql;
  /** The element feed that the proxy plan asks for, and that issues measure by: each element in an array. */
  readonly elements: (t: Reql, r: R) => Reql;
  /** What the server plan folds: the elements themselves, null for none; absent where it does not. */
  readonly bare?: (t: Reql, r: R) => Reql;
  readonly serverAtMost: number;
}

const oneNumber = (t: Reql, r: R): Reql => t.map((row: Reql) => r.branch(row.hasFields('x'), [row('x')], []));
const bareNumber = (t: Reql, r: R): Reql => t.map((row: Reql) => r.branch(row.hasFields('x'), row('x'), null));

const NATIVE = 'native feed drained';
const NATIVE_BARE = 'native feed of bare elements drained';

const WATCHED: readonly Watched[] = [
  {
    name: 'count',
    aggregate: (t) => t.count(),
    elements: (t) => t.map(() => [1]),
    bare: (t) => t.map(() => 1),
    serverAtMost: 1.6,
  },
  { name: 'sum', aggregate: (t) => t.sum('x'), elements: oneNumber, bare: bareNumber, serverAtMost: 2.5 },
  { name: 'avg', aggregate: (t) => t.avg('x'), elements: oneNumber, bare: bareNumber, serverAtMost: 2.5 },
];

async function time(connection: RawConnection, query: string): Promise<number> {
  const ms = await untilReady(connection, query);
  await connection.close();
  return ms;
}

async function lanesOf(bench: Bench, table: string, { aggregate, elements, bare }: Watched) {
  const live = onTable(table, (t) => aggregate(t).changes(STATES));
  const native = (feed: Watched['elements']): string => onTable(table, (t, r) => feed(t, r).changes(STATES));
  const { address } = bench.direct;
  const lanes = [
    { name: NATIVE, address, query: native(elements) },
    ...(bare === undefined ? [] : [{ name: NATIVE_BARE, address, query: native(bare) }]),
    ...(await bench.contenders('Livefold, server plan', 'Livefold, proxy plan')).map(([name, { address }]) => {
      return { name, address, query: live };
    }),
  ];
  return [
    ...lanes.map(({ name, address, query }) => ({
      name,
      sample: async () => [await time(await RawConnection.open(address), query)],
    })),
    {
      name: 'one-shot query',
      async sample() {
        const connection = await RawConnection.open(bench.direct.address);
        const start = performance.now();
        await connection.run(onTable(table, aggregate));
        const ms = performance.now() - start;
        await connection.close();
        return [ms];
      },
    },
  ];
}

function readyRow(watched: Watched): Row {
  return {
    name: `ready-${watched.name}`,
    title: `${watched.name}: time to ready on 100,000 rows`,
    metrics: [{ name: 'time', unit: 'milliseconds' }],
    async prepare(bench) {
      const rows = bench.quick ? 20_000 : 100_000;
      await bench.table('narrow', (connection) => fill(connection, 'narrow', rows, narrowRow));
      return {
        lanes: await lanesOf(bench, 'narrow', watched),
        rounds: bench.quick ? 3 : 9,
        claims: [
          { metric: 0, of: 'Livefold, server plan', to: NATIVE, atMost: watched.serverAtMost },
          { metric: 0, of: 'Livefold, server plan', to: NATIVE_BARE },
          { metric: 0, of: 'Livefold, proxy plan', to: NATIVE },
        ],
      };
    },
  };
}

/** count, sum and avg on 100,000 rows. */
export const readyRows: readonly Row[] = WATCHED.map(readyRow);

/** Distinct values of a million rows: the proxy plan keeps each. */
export const readyMillion: Row = {
  name: 'ready-million',
  title: 'distinct values: time to ready on 1,000,000 elements in the proxy plan',
  metrics: [{ name: 'time', unit: 'milliseconds' }],
  async prepare(bench) {
    const rows = bench.quick ? 50_000 : 1_000_000;
    await bench.table('million', (connection) => fill(connection, 'million', rows, narrowRow));
    const distinct: Watched = {
      name: 'distinct',
      aggregate: (t) => t('x').distinct().count(),
      elements: oneNumber,
      serverAtMost: 0,
    };
    const lanes = await lanesOf(bench, 'million', distinct);
    return {
      lanes: lanes.filter(({ name }) => name === NATIVE || name === 'Livefold, proxy plan'),
      rounds: bench.quick ? 1 : 3,
      claims: [{ metric: 0, of: 'Livefold, proxy plan', to: NATIVE, atMost: 1.3 }],
    };
  },
};

/** Rows of the right side of a join: `k` of a narrow row names one of them. */
const RIGHTS = 1000;

/** What the proxy plan asks for of a left row. */
const leftRow = (t: Reql, r: R): Reql =>
  t.map((row: Reql) => [
    0,
    row('k')
      .do((key: Reql) => r.branch(key.eq(null), [], [[key, row.pluck('x')]]))
      .default([]),
  ]);

interface Kept {
  readonly name: string;
  readonly query: (t: Reql, r: R) => Reql;
  /** The element feeds that the proxy plan asks for. */
  readonly feeds: readonly string[];
}

/** What the proxy keeps rows for, beside clients that drain what it reads. */
export const readyKept: Row = {
  name: 'ready-kept',
  title: `a join with ${RIGHTS} rows, and the first 10 of an order: time to ready on 100,000 rows in the proxy plan`,
  metrics: [{ name: 'time', unit: 'milliseconds' }],
  async prepare(bench) {
    const rows = bench.quick ? 20_000 : 100_000;
    await bench.table('narrow', (connection) => fill(connection, 'narrow', rows, narrowRow));
    await bench.table('rights', (connection) => fill(connection, 'rights', RIGHTS, (id) => ({ id, y: id % 7 })));
    const native = (table: string, feed: Watched['elements']): string =>
      onTable(table, (t, r) => feed(t, r).changes(STATES));
    const kept: readonly Kept[] = [
      {
        name: 'join',
        query: (t, r) => {
          const rights = r.db(DATABASE).table('rights');
          const pairs = t.eqJoin('k', rights).map((pair: Reql) => pair('left')('x').add(pair('right')('y')));
          return pairs.sum();
        },
        feeds: [
          native('narrow', leftRow),
          native('rights', (t, r) =>
            t.map((row: Reql) => [1, r.expr([row('id')]).map((key: Reql) => [key, row.pluck('y')])]),
          ),
        ],
      },
      { name: 'first 10', query: (t) => t.orderBy('x').limit(10), feeds: [native('narrow', (t) => t)] },
    ];
    const contenders = await bench.contenders('Livefold, proxy plan');
    const open = async (address: Address, query: string): Promise<number> =>
      time(await RawConnection.open(address), query);
    return {
      lanes: kept.flatMap(({ name, query, feeds }) => [
        {
          name: `${name}: feeds drained`,
          sample: async () => [Math.max(...(await Promise.all(feeds.map((feed) => open(bench.direct.address, feed)))))],
        },
        ...contenders.map(([, { address }]) => ({
          name: `${name}: Livefold`,
          sample: async () => [await open(address, native('narrow', query))],
        })),
      ]),
      rounds: bench.quick ? 3 : 9,
      claims: kept.map(({ name }) => ({
        metric: 0,
        of: `${name}: Livefold`,
        to: `${name}: feeds drained`,
        atMost: 1.5,
      })),
    };
  },
};
