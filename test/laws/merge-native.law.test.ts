// RethinkDB's own feeds as merges, through random histories of writes: the bodies lead to what the query gives, the reverses back to
// all that was before. LIVEFOLD_RUNS says how often.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { truthOf } from '../support/checks/oracle.ts';
import { WatchedMerges } from '../support/checks/watched-merges.ts';
import { anyHistories, type Histories, rowTerm, writeQuery } from '../support/queries/histories.ts';
import type { Query, Reql } from '../support/reql.ts';
import type { Connection } from '../support/servers/drivers.ts';
import { type Ground, openGround } from '../support/servers/ground.ts';
import { bases } from '../support/servers/servers.ts';
import { TABLES } from '../support/servers/stage.ts';

const RUNS = Number(process.env['LIVEFOLD_RUNS'] ?? 1);
const HISTORIES = 3;
const HOURS = 6 * 3_600_000;
const DB = 'mergesofrows';

const T = (r: Reql): Reql => r.table('t');

/** Queries that RethinkDB watches by itself; `rows` gives what there is of each as a list. */
const queries: readonly { readonly name: string; readonly query: Query; readonly rows?: Query }[] = [
  { name: 'a table', query: T },
  { name: 'a row', query: (r) => T(r).get(1), rows: (r) => r.branch(T(r).get(1), [T(r).get(1)], []) },
  { name: 'rows by their keys', query: (r) => T(r).getAll(1, 2) },
  { name: 'rows by an index', query: (r) => T(r).getAll('a', { index: 'k' }) },
  { name: 'a range', query: (r) => T(r).between(1, 3) },
  { name: 'a filter', query: (r) => T(r).filter({ k: 'a' }) },
  {
    name: 'a filter of what is made of rows',
    query: (r) =>
      T(r)
        .pluck('k', 'n')
        .filter((row: Reql) => row('n').gt(1)),
  },
  { name: 'fields', query: (r) => T(r).pluck('k', 'v') },
  { name: 'without a field', query: (r) => T(r).without('id', 'x') },
  { name: 'values', query: (r) => T(r)('n') },
  {
    name: 'a map',
    query: (r) => T(r).map((row: Reql) => ({ k: row('k'), n: row('n').add(1) })),
    // RethinkDB's feed leaves out rows for which a function fails.
    rows: (r) =>
      T(r)
        .hasFields('k', 'n')
        .map((row: Reql) => ({ k: row('k'), n: row('n').add(1) }))
        .coerceTo('array'),
  },
  { name: 'rows with fields', query: (r) => T(r).withFields('k', 'n') },
  { name: 'rows that have a field', query: (r) => T(r).hasFields('n').merge({ more: true }) },
  { name: 'a union of tables', query: (r) => T(r).union(r.table('u')) },
  {
    name: 'a union of selections',
    query: (r) => T(r).filter({ k: 'a' }).union(T(r).hasFields('n').pluck('n')).merge({ of: 't' }),
  },
  { name: 'the first of an order', query: (r) => T(r).orderBy({ index: 'id' }).limit(2) },
  {
    name: 'the last row of an order',
    query: (r) =>
      T(r)
        .orderBy({ index: r.desc('n') })
        .limit(1),
    // The server may put any of several rows with an equal number first.
    rows: (r) =>
      T(r)
        .orderBy({ index: r.desc('n') })
        .limit(1)
        .coerceTo('array'),
  },
];

for (const under of bases) {
  describe.skipIf(!under.there)(`over ${under.name}`, () => {
    let ground: Ground;
    let writes: Connection;
    let reader: Connection;
    beforeAll(async () => {
      ground = await openGround(under, DB);
      ({ writes } = ground);
      reader = await ground.reader('auto');
    });
    afterAll(() => ground.close());

    const asked = fc.record({
      includeStates: fc.boolean(),
      includeTypes: fc.boolean(),
      squash: fc.constantFrom(false, true, 0.01),
    });

    test(
      'bodies lead on, and reverses lead back',
      async () => {
        const play = async ({ rows, histories }: Histories, options: object): Promise<void> => {
          await writes.run((r) => r.expr(TABLES.map((table) => r.table(table).delete())));
          await writes.run((r) => T(r).insert(rows.map((row) => rowTerm(r, row))));
          const feeds = await Promise.all(
            queries.map(async (watched) => {
              const feed = await reader.feed((r) =>
                watched.query(r).changes({ includeInitial: true, format: 'merge', ...options }),
              );
              return { ...watched, merges: new WatchedMerges(watched.name, feed, 'rows') };
            }),
          );
          for (const steps of histories) {
            for (const { table, write } of steps) await writes.run(writeQuery(table, write), { durability: 'soft' });
            for (const { name, merges, query, rows: listed } of feeds) {
              const told = { name, query: listed ?? ((r: Reql) => query(r).coerceTo('array')), shows: 'rows' } as const;
              await merges.rest((await truthOf(writes, told)).shown);
            }
          }
          await Promise.all(feeds.map(({ merges }) => merges.close()));
        };
        await fc.assert(fc.asyncProperty(anyHistories(HISTORIES), asked, play), { numRuns: RUNS, endOnFailure: true });
      },
      HOURS,
    );
  });
}
