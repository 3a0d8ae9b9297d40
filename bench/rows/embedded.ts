// The embedded server beside RethinkDB, and one write reaching a thousand feeds.

import type { Reql } from '../../rewrite/reql/build/r.ts';
import { openFeed } from '../feed.ts';
import { pipelined } from '../load.ts';
import { DATABASE, onTable, wire } from '../query.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Row } from '../row.ts';
import { fill, narrowRow, wideRow } from '../seed.ts';
import { type Contender, startEmbedded } from '../stage.ts';
import { readRing, wideTable } from './point-reads.ts';

const CONNECTIONS = 8;
const DEPTH = 16;
const FEEDS = 1000;
const STATES = { includeStates: true };

async function tableIn(
  server: Contender,
  name: string,
  fillIt: (connection: RawConnection) => Promise<void>,
): Promise<void> {
  const connection = await RawConnection.open(server.address);
  await connection.run(wire((r) => r.dbCreate(DATABASE)));
  await connection.run(wire((r) => r.db(DATABASE).tableCreate(name)));
  await fillIt(connection);
  await connection.close();
}

/** The same reads, answered by the embedded server. */
export const embeddedReads: Row = {
  name: 'embedded-reads',
  title: `point reads, ${CONNECTIONS} connections, ${DEPTH} deep, without a proxy`,
  metrics: [{ name: 'reads', unit: 'per second' }],
  async prepare(bench) {
    await wideTable(bench);
    const embedded = await startEmbedded();
    await tableIn(embedded, 'wide', (connection) => fill(connection, 'wide', 10_000, wideRow));
    const ms = bench.quick ? 150 : 500;
    const ring = readRing();
    const servers = [
      ...(bench.real ? [{ name: 'RethinkDB', server: bench.direct }] : []),
      { name: 'embedded', server: embedded },
    ];
    const lanes = servers.map(({ name, server }) => ({
      name,
      async sample() {
        const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(server.address)));
        const loads = open.map((connection) => ({ connection, ring: ring.another() }));
        const rate = await pipelined(loads, DEPTH, ms);
        await Promise.all(open.map((connection) => connection.close()));
        return [rate];
      },
    }));
    return {
      lanes,
      rounds: bench.quick ? 5 : 15,
      claims: [{ metric: 0, of: 'embedded', to: 'RethinkDB', atLeast: 1 }],
      close: () => embedded.stop(),
    };
  },
};

/** A write that matches all of a thousand feeds, or ten of them, with few and with many rows. */
export const embeddedFeeds: Row = {
  name: 'embedded-feeds',
  title: `embedded server: from a write to the last document, ${FEEDS} feeds open`,
  metrics: [{ name: 'time', unit: 'milliseconds' }],
  async prepare(bench) {
    const servers: Contender[] = [];
    const made = async (name: string, rows: number, matching: number) => {
      const embedded = await startEmbedded();
      servers.push(embedded);
      await tableIn(embedded, 'rows', (connection) => fill(connection, 'rows', rows, narrowRow));
      const reach = await reaching(embedded, matching);
      return { name, sample: async () => [await reach()] };
    };
    return {
      lanes: [
        await made('all match, 1,000 rows', 1000, FEEDS),
        await made('all match, 50,000 rows', 50_000, FEEDS),
        await made('10 match, 50,000 rows', 50_000, 10),
      ],
      rounds: bench.quick ? 5 : 25,
      claims: [
        { metric: 0, of: 'all match, 50,000 rows', to: 'all match, 1,000 rows' },
        { metric: 0, of: '10 match, 50,000 rows', to: 'all match, 50,000 rows' },
      ],
      async close() {
        await Promise.all(servers.map((server) => server.stop()));
      },
    };
  },
};

/** Opens feeds of which so many are on row 7, and gives what writes to row 7 and waits for all of their documents. */
async function reaching(server: Contender, matching: number): Promise<() => Promise<number>> {
  const connections = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(server.address)));
  const writer = await RawConnection.open(server.address);
  let missing = 0;
  let arrived = (): void => {};
  let number = 0;
  for (let i = 0; i < FEEDS; i++) {
    const connection = connections[i % connections.length];
    const watched = (t: Reql): Reql => (i < matching ? (matching === FEEDS ? t : t.get(7)) : t.get(100 + i));
    if (connection !== undefined) {
      await new Promise<void>((resolve, reject) => {
        openFeed(
          connection,
          onTable('rows', (t) => watched(t).changes(STATES)),
          {
            ready: resolve,
            failed: reject,
            batch() {
              missing--;
              if (missing === 0) arrived();
            },
          },
        );
      });
    }
  }
  return async () => {
    missing = matching;
    number++;
    const all = new Promise<void>((resolve) => (arrived = resolve));
    const start = performance.now();
    const written = writer.run(onTable('rows', (t) => t.get(7).update({ number })));
    await all;
    const ms = performance.now() - start;
    await written;
    return ms;
  };
}
