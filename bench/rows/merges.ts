// A table's feed as merges beside the same feed untouched: documents a second, and their bytes.

import { untilReady } from '../feed.ts';
import { onTable } from '../query.ts';
import { RawConnection } from '../raw-connection.ts';
import type { Lane, Row } from '../row.ts';
import { fill, type SeedRow } from '../seed.ts';
import type { Bench, Contender } from '../stage.ts';

const TABLE = 'merged';
const ROWS = 100;
/** Fields of a row of 10 KB. */
const FIELDS = 100;
const LETTERS = 90;
/** Writes that are under way. */
const AT_ONCE = 8;
const STATES = { includeStates: true };

const UNTOUCHED = onTable(TABLE, (t) => t.changes(STATES));
const MERGES = onTable(TABLE, (t) => t.changes({ ...STATES, format: 'merge' }));

function wideRow(id: number): SeedRow {
  const fields = Array.from({ length: FIELDS }, (_, n) => [`f${n}`, ''.padEnd(LETTERS, 'x')]);
  return { id, n: 0, ...Object.fromEntries(fields) };
}

/** Changes one field of one row after the other, and waits for all documents: documents a second, and bytes of each. */
async function changed(bench: Bench, { address }: Contender, query: string, count: number): Promise<readonly number[]> {
  const subscriber = await RawConnection.open(address);
  const writer = await RawConnection.open(bench.direct.address);
  let documents = 0;
  let bytes = 0;
  let done = (): void => {};
  const all = new Promise<void>((resolve) => (done = resolve));
  await untilReady(subscriber, query, (body) => {
    bytes += body.length;
    documents += body.toString('latin1').split('"n":').length - 1;
    // Both sides of a change tell of the field.
    if (documents >= 2 * count) done();
  });
  const start = performance.now();
  for (let at = 0; at < count; at += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        writer.run(onTable(TABLE, (t) => t.get((at + n) % ROWS).update({ n: at + n + 1 }, { durability: 'soft' }))),
      ),
    );
  }
  await all;
  const seconds = (performance.now() - start) / 1000;
  await Promise.all([subscriber.close(), writer.close()]);
  return [count / seconds, bytes / count];
}

/** Merges of a table. */
export const mergedFeed: Row = {
  name: 'merges',
  title: `one field of rows of 10 KB changes: the table's feed, untouched and as merges`,
  metrics: [
    { name: 'documents', unit: 'per second' },
    { name: 'bytes', unit: 'a document' },
  ],
  async prepare(bench) {
    await bench.table(TABLE, async (connection) => {
      await fill(connection, TABLE, ROWS, wideRow);
    });
    const count = bench.quick ? 400 : 2000;
    const livefold = await bench.contenders('Livefold');
    const lane = (name: string, contender: Contender, query: string): Lane => ({
      name,
      sample: () => changed(bench, contender, query, count),
    });
    return {
      lanes: livefold.flatMap(([, contender]) => [
        lane('untouched', contender, UNTOUCHED),
        lane('merges', contender, MERGES),
      ]),
      rounds: bench.quick ? 3 : 9,
      claims: [
        { metric: 0, of: 'merges', to: 'untouched', atLeast: 0.8 },
        { metric: 1, of: 'merges', to: 'untouched', atMost: 1 / 20 },
      ],
    };
  },
};
